//! All outputs of a run agree: dashboard, `status`, `summary.json`, CSV, report and `compare`, on random
//! runs.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::model::claims::claim::Claim;
use crate::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::machine::sample::TelemetrySample;
use crate::model::needs::demand::Demand;
use crate::model::outcome::{Energy, Failure, FailureReason, Outcome, Peaks, Progress, Verdict};
use crate::model::state::fact::{Event, Fact, JOURNAL_VERSION};
use crate::model::state::phase::{PhaseKind, QueueCause};
use crate::model::state::run_info::{RUN_VERSION, RunInfo};
use crate::model::state::run_state::RunState;
use crate::model::sweep::plan::Plan;
use crate::model::units::Bytes;
use crate::model::value::{Value, Variables};
use crate::results::comparison::document::build_document;
use crate::results::comparison::{self, compared::Compared};
use crate::results::faces::markdown::render_markdown;
use crate::results::faces::summary::build_summary;
use crate::results::faces::table::{ResultsTable, build_table};
use crate::results::faces::text;
use crate::results::findings::{Findings, Records};
use crate::results::live::LiveReading;
use crate::results::report::page::render_report;
use crate::results::status::document::{RunWord, Status, build_status};
use crate::results::status::plain_text;
use crate::results::status::sources::Sources;
use crate::results::status::status_tests::{plan, second};
use crate::tui::model::screen::{Model, ScreenAccess, Supervision};
use crate::tui::model::shards::track::Track;
use crate::tui::once;
use crate::tui::theme::color::Depth;
use crate::tui::theme::store;

mod paired;

/// What one attempt came to.
#[derive(Debug, Clone)]
struct Came {
    succeeds: bool,
    seconds: u64,
    done: u64,
    counts: Option<(u64, u64)>,
    /// How each of the counted episodes ended, with its reward; `None` where no file gives it.
    episodes: Option<Vec<(bool, i8)>>,
    unit: &'static str,
    joules: Option<u32>,
    vram: Option<u64>,
}

/// One shard: its ended attempts, and whether one more runs.
#[derive(Debug, Clone)]
struct Life {
    ended: Vec<Came>,
    runs: Option<u64>,
}

fn came(lists: bool) -> impl Strategy<Value = Came> {
    let units = prop_oneof![Just("episodes"), Just("iterations"), Just("done")];
    let counted = (0..20_u64, 1..20_u64).prop_map(|(a, b)| (Some((a.min(b), b)), None));
    let listed = vec((any::<bool>(), -9..9_i8), 1..40).prop_map(|episodes| {
        let successes = episodes.iter().filter(|(success, _)| *success).count() as u64;
        (Some((successes, episodes.len() as u64)), Some(episodes))
    });
    let told = if lists { listed.boxed() } else { counted.boxed() };
    let told = prop_oneof![1 => Just((None, None)), 3 => told];
    let measured = (option::of(0..9000_u32), option::of(1..1_000_000_u64));
    (any::<bool>(), 1..500_u64, 0..20_u64, told, units, measured).prop_map(
        |(succeeds, seconds, done, (counts, episodes), unit, (joules, vram))| Came {
            succeeds,
            seconds,
            done,
            counts,
            episodes,
            unit,
            joules,
            vram,
        },
    )
}

fn life(lists: bool) -> impl Strategy<Value = Life> {
    let runs = prop_oneof![2 => Just(None), 1 => (0..9_u64).prop_map(Some)];
    (vec(came(lists), 0..3), runs).prop_map(|(ended, runs)| Life { ended, runs })
}

/// Two runs of a sweep, with and without files that give the end of single episodes.
fn runs() -> impl Strategy<Value = [Vec<Life>; 2]> {
    let both = |lists: bool| vec((life(lists), life(lists)), 1..7);
    any::<bool>().prop_flat_map(both).prop_map(|both| {
        let (first, second) = both.into_iter().unzip();
        [first, second]
    })
}

fn outcome(came: &Came) -> Outcome {
    let failure = Failure { reason: FailureReason::ExitCode, message: "exit code 1".to_owned() };
    let mut metrics = BTreeMap::new();
    if let Some((successes, episodes)) = came.counts {
        metrics.insert("episodes".to_owned(), episodes as f64);
        metrics.insert("successes".to_owned(), successes as f64);
    }
    Outcome {
        verdict: if came.succeeds { Verdict::Succeeded } else { Verdict::Failed(failure) },
        exit: None,
        elapsed: Some(Duration::from_secs(came.seconds)),
        paused: Duration::ZERO,
        loading: None,
        closing: None,
        episodes: came.episodes.as_deref().and_then(paired::list),
        progress: Some(Progress { done: came.done, total: Some(20) }),
        unit: Some(came.unit.to_owned()),
        metrics,
        peaks: Peaks {
            vram: came.vram.map(Bytes),
            energy: came.joules.map(|joules| Energy { joules: f64::from(joules), shared: false }),
            ..Peaks::default()
        },
        proof: None,
        memory_holders: Vec::new(),
        warnings: Vec::new(),
        patterns: Vec::new(),
    }
}

/// A run, and the marks of what runs.
struct Run {
    info: RunInfo,
    plan: Plan,
    state: RunState,
    marks: HashMap<AttemptKey, Vec<Mark>>,
    now: Timestamp,
}

fn run(lives: &[Life]) -> Run {
    let names: Vec<String> = (0..lives.len()).map(|number| format!("s{number}")).collect();
    let mut plan = plan(&names.iter().map(String::as_str).collect::<Vec<_>>());
    plan.axes = vec!["policy".to_owned(), "env".to_owned()];
    for (position, spec) in plan.shards.iter_mut().enumerate() {
        let value = |name: &str, place: usize| (name.to_owned(), Value::Integer(place as i64));
        spec.vars = Variables(vec![value("policy", position % 2), value("env", position / 2)]);
    }
    let ids: Vec<ShardId> = plan.shards.iter().map(|spec| spec.id.clone()).collect();
    let run = RunId("faces-1".to_owned());
    let created =
        Event::RunCreated { version: JOURNAL_VERSION, run: run.clone(), shards: ids.clone(), parallel: 2 };
    let mut facts = vec![Fact::new(second(0), created)];
    let (mut marks, mut newest) = (HashMap::new(), 0_u64);
    for (shard, life) in ids.into_iter().zip(lives) {
        let mut clock = 1;
        let mut tell = |at: u64, event: Event| facts.push(Fact::new(second(at as i64), event));
        let attempts = life.ended.len() + usize::from(life.runs.is_some());
        for number in 1..=attempts as u32 {
            let (attempt, id) = (AttemptNumber(number), shard.clone());
            if number > 1 {
                let (cause, demand) = (QueueCause::User, Demand::default());
                let id = id.clone();
                tell(
                    clock,
                    Event::ShardQueued {
                        shard: id,
                        cause,
                        by: None,
                        not_before: None,
                        demand,
                        edit: None,
                        step: None,
                    },
                );
            }
            let (gpus, claim) = (Vec::new(), Claim::default());
            tell(clock, Event::AttemptStarting { shard: id.clone(), attempt, gpus, claim, previous: None });
            let started = second(clock as i64);
            tell(clock, Event::AttemptStarted { shard: id.clone(), attempt, pid: 7, started });
            if let Some(came) = life.ended.get(number as usize - 1) {
                clock += came.seconds;
                let outcome = Box::new(outcome(came));
                tell(clock, Event::AttemptEnded { shard: id, attempt, outcome });
            } else if let Some(done) = life.runs {
                let mark = |step: u64| Mark {
                    at: second((clock + 10 * step) as i64),
                    offset: step,
                    kind: MarkKind::Progress(Progress { done: step, total: Some(20) }),
                };
                marks.insert(AttemptKey { shard: id, attempt }, (0..=done).map(mark).collect());
                clock += 10 * done;
            }
        }
        newest = newest.max(clock);
    }
    let info = RunInfo {
        version: RUN_VERSION,
        id: run,
        name: "faces".to_owned(),
        host: "here".to_owned(),
        boot_id: String::new(),
        pid_namespace: None,
        place: None,
        cores: None,
        created: second(0),
        sweepdeck: "0".to_owned(),
        git_commit: None,
        sweep: "sweep.toml".into(),
    };
    Run { info, plan, state: RunState::fold_facts(&facts).unwrap(), marks, now: second(newest as i64 + 3) }
}

impl Run {
    fn model(&self) -> Model {
        let (info, plan) = (self.info.clone(), self.plan.clone());
        let mut model = Model::new(info, plan, ScreenAccess::Acting, self.now, TimeZone::UTC);
        model.state = self.state.clone();
        model.supervision = Supervision::Alive { pid: 1 };
        model.tracks = self.state.shards.iter().map(|_| Track::default()).collect();
        for (track, shard) in model.tracks.iter_mut().zip(&self.state.shards) {
            let Some(attempt) = shard.phase.attempt() else { continue };
            track.turn_to(attempt);
            let key = AttemptKey { shard: shard.id.clone(), attempt };
            self.marks.get(&key).into_iter().flatten().for_each(|mark| track.apply_mark(mark));
        }
        model.update_derived();
        model
    }

    fn status(&self) -> Status {
        let reading = |shard: &crate::model::state::shard_state::ShardState| {
            let attempt = shard.phase.live()?.attempt;
            let marks = self.marks.get(&AttemptKey { shard: shard.id.clone(), attempt })?;
            Some((shard.id.clone(), LiveReading::from_marks(&shard.phase, marks)))
        };
        let readings: HashMap<ShardId, LiveReading> = self.state.shards.iter().filter_map(reading).collect();
        build_status(&Sources {
            dir: Path::new("/runs/faces"),
            info: &self.info,
            plan: &self.plan,
            state: &self.state,
            supervised: true,
            place: None,
            readings: &readings,
            health: &[],
            inventory: None,
            waiting: None,
            node_gpus: &[],
            unwritten: &[],
            telemetry: &TelemetrySample::default(),
            now: self.now,
            zone: &TimeZone::UTC,
        })
    }

    fn findings(&self) -> Findings<'_> {
        let records = Records::new(&self.info, &self.plan, &self.state, RunWord::Running, self.now);
        Findings::new(records, |_| ())
    }
}

/// The success of the whole run is one number with one interval and the same counts, in the same words.
fn check_headline(
    run: &Run,
    (model, status, csv, summary, page): (&Model, &Status, &ResultsTable, &Json, &str),
) -> Result<(), TestCaseError> {
    let shown = model.standing.overall.headline();
    prop_assert_eq!(shown, status.headline);
    prop_assert_eq!(serde_json::to_value(status.headline).unwrap(), summary["headline"].clone());
    // The table has what it takes to count it again.
    let (mut rates, mut good, mut all) = (BTreeMap::<(String, String), (f64, f64)>::new(), 0.0, 0.0);
    for row in 0..csv.rows.len() {
        let told = |column| number(cell(csv, row, column));
        let (Some(successes), Some(episodes)) = (told("successes"), told("episodes")) else { continue };
        if cell(csv, row, "phase").as_deref() == Some("succeeded") && episodes > 0.0 {
            let combo = (cell(csv, row, "policy").unwrap(), cell(csv, row, "env").unwrap());
            let sums = rates.entry(combo).or_default();
            (sums.0, sums.1) = (sums.0 + successes, sums.1 + episodes);
            (good, all) = (good + successes, all + episodes);
        }
    }
    let Some(headline) = shown else {
        prop_assert!(rates.is_empty(), "{rates:?}");
        return Ok(());
    };
    let mean =
        rates.values().map(|(successes, episodes)| successes / episodes).sum::<f64>() / rates.len() as f64;
    prop_assert!((headline.value - mean).abs() < 1e-12, "{headline:?} and {rates:?}");
    prop_assert_eq!((headline.sample.successes, headline.sample.episodes), (good, all));
    let text = headline.text();
    let findings = [run.findings(), run.findings()];
    let compared = Compared::new(&findings);
    let faces = [
        ("status", plain_text::render_status_text(status)),
        ("report.html", page.to_owned()),
        ("report.md", render_markdown(&findings[0])),
        ("the end of a run", text::render_results_text(&run.plan, &run.state)),
        ("compare", comparison::text::render_comparison(&compared)),
        ("compare --html", comparison::page::render_comparison_page(&compared)),
    ];
    for (name, face) in faces {
        prop_assert!(face.contains(&text), "{} lacks {}:\n{}", name, text, face);
    }
    let mut model = model.clone();
    model.size = (200, 50);
    let (theme, _) = store::load_or_default(None, Depth::None, false);
    let screen = once::buffer_to_text(&once::draw_model(&model, &theme));
    let told = [headline.text(), headline.format_rate(), headline.format_percentage()];
    prop_assert!(told.iter().any(|told| screen.contains(&format!("success {told}")) || screen.contains(&format!(" {told}\n"))), "{}", screen);
    Ok(())
}

fn cell(table: &ResultsTable, row: usize, column: &str) -> Option<String> {
    let place = table.header.iter().position(|name| name == column).unwrap();
    Some(table.rows[row][place].clone()).filter(|cell| !cell.is_empty())
}

fn number(cell: Option<String>) -> Option<f64> {
    cell.and_then(|cell| cell.parse().ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_face_says_the_same_of_a_run([lives, others] in runs()) {
        let run = run(&lives);
        let (model, status, findings) = (run.model(), run.status(), run.findings());
        let (summary, csv) = (build_summary(&findings), build_table(&findings));
        let page = render_report(&findings, &[]);
        for kind in PhaseKind::ALL {
            let word = kind.as_str();
            let of_status = status.counts.iter().find(|(known, _)| *known == kind).map_or(0, |(_, count)| count);
            let of_csv = (0..csv.rows.len()).filter(|row| cell(&csv, *row, "phase").as_deref() == Some(word)).count();
            prop_assert_eq!(model.count_in_phase(kind), of_status);
            prop_assert_eq!(of_status, of_csv);
            prop_assert_eq!(summary["counts"][word].as_u64(), Some(of_csv as u64));
        }
        prop_assert_eq!(status.run.eta_s, model.left.map(|left| left.time.as_secs_f64()).or(status.run.eta_s.filter(|_| run.state.all_final())));
        for (position, shard) in status.shards.iter().enumerate() {
            let (reading, told) = (model.reading(position).unwrap(), &summary["shards"][position]);
            let is_over = shard.phase.is_final();
            prop_assert_eq!(shard.progress, reading.progress());
            prop_assert_eq!(shard.eta_s, reading.time_left().map(|left| left.as_secs_f64()));
            prop_assert_eq!(shard.energy_j, reading.energy().map(|energy| energy.joules));
            prop_assert_eq!(told["reason"].as_str(), shard.reason.map(FailureReason::as_str));
            prop_assert_eq!(told["phase"].as_str(), Some(shard.phase.as_str()));
            if !is_over {
                continue;
            }
            prop_assert_eq!(shard.energy_j, number(cell(&csv, position, "energy_j")));
            prop_assert_eq!(shard.energy_j, told["cost"]["energy_j"].as_f64());
            prop_assert_eq!(shard.peak_vram_bytes.map(|bytes| bytes.0 as f64), number(cell(&csv, position, "peak_vram_bytes")));
            prop_assert_eq!(shard.progress.map(|progress| progress.done as f64), number(cell(&csv, position, "done")));
            prop_assert_eq!(shard.unit.clone(), cell(&csv, position, "unit"));
            prop_assert_eq!(shard.unit.as_deref(), told["unit"].as_str());
            prop_assert_eq!(told["episodes"].as_f64(), number(cell(&csv, position, "episodes")));
            prop_assert_eq!(told["success_rate"].as_f64(), number(cell(&csv, position, "success_rate")));
            if let Some((successes, episodes)) = reading.success_counts() {
                prop_assert_eq!((Some(successes), Some(episodes)), (told["successes"].as_f64(), told["episodes"].as_f64()));
            }
        }
        check_headline(&run, (&model, &status, &csv, &summary, &page))?;
        paired::check_policies(&lives, (&findings, &summary, &page))?;
        paired::check_runs([&lives, &others])?;
        let totals = &summary["totals"];
        if let (Some(successes), Some(episodes)) = (totals["successes"].as_f64(), totals["episodes"].as_f64()) {
            let said = format!("{successes} of {episodes} episodes");
            prop_assert!(page.contains(&said) || totals["wilson_95"] != Json::Null, "the report lacks {}", said);
        }
        let twice = [run.findings(), run.findings()];
        let compared = build_document(&Compared::new(&twice));
        for side in compared["runs"].as_array().unwrap() {
            prop_assert_eq!(&side["headline"], &summary["headline"]);
            for key in ["shards", "succeeded", "episodes", "successes", "success_rate", "wilson_95"] {
                prop_assert_eq!(&side["totals"][key], &totals[key], "{}", key);
            }
        }
        for change in compared["combos"].as_array().unwrap().iter().map(|combo| &combo["changes"][0]) {
            prop_assert_eq!(&change["turn"].as_str().unwrap_or("still-failing"), &"still-failing", "nothing turned");
            prop_assert!(change["seconds"]["times"].as_f64().is_none_or(|times| (times - 1.0).abs() < 1e-9));
        }
    }
}
