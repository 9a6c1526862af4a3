//! What is compared episode by episode, counted again from what the attempts came to: in every face the same.

use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use serde_json::Value as Json;

use super::{Life, run};
use crate::model::results::episode_list::{Episode, EpisodeList};
use crate::results::comparison::compared::Compared;
use crate::results::comparison::document::build_document;
use crate::results::comparison::{page, text};
use crate::results::faces::markdown::render_markdown;
use crate::results::findings::Findings;
use crate::results::paper::tables::build_tables;
use crate::results::scale::format_short;
use crate::results::statistics::paired::paired_metric::LEAST_PAIRS;

/// Episodes of the seeds from 0 on.
pub(super) fn list(episodes: &[Ended]) -> Option<EpisodeList> {
    let of_seed = |(seed, (success, reward)): (usize, &Ended)| {
        let seed = seed as i64;
        let episode = Episode { task: "", number: seed, seed: Some(seed), success: Some(*success) };
        (episode, vec![("reward".to_owned(), f64::from(*reward))])
    };
    EpisodeList::of_measured(episodes.iter().enumerate().map(of_seed))
}

/// How an episode ended, with its reward.
type Ended = (bool, i8);

/// Pairs of episodes of one seed, and how many have no partner.
#[derive(Debug, Default)]
struct Counted {
    pairs: Vec<(Ended, Ended)>,
    left_out: usize,
}

impl Counted {
    fn add(&mut self, first: &[Ended], second: &[Ended]) {
        self.pairs.extend(first.iter().copied().zip(second.iter().copied()));
        self.left_out += first.len().abs_diff(second.len());
    }

    fn count(&self, first: bool, second: bool) -> usize {
        self.pairs.iter().filter(|pair| (pair.0.0, pair.1.0) == (first, second)).count()
    }

    /// A document has the same counts, and the difference that follows from them within its interval.
    fn check_design(&self, told: &Json) -> Result<(), TestCaseError> {
        let design = &told["design"];
        prop_assert_eq!(design["kind"].as_str(), Some("paired"), "{}", told);
        let of = |name: &str| design[name].as_u64().map(|count| count as usize);
        prop_assert_eq!(of("pairs"), Some(self.pairs.len()));
        prop_assert_eq!(of("left_out"), Some(self.left_out));
        for (name, first, second) in [
            ("both", true, true),
            ("first_only", true, false),
            ("second_only", false, true),
            ("neither", false, false),
        ] {
            prop_assert_eq!(of(name), Some(self.count(first, second)), "{}: {}", name, design);
        }
        let difference = self.count(true, false) as f64 - self.count(false, true) as f64;
        let difference = difference / self.pairs.len() as f64;
        let value = told["success_rate_difference"].as_f64().unwrap();
        prop_assert!((value - difference).abs() < 1e-12, "{told}");
        let [low, high] = ["low", "high"].map(|end| told["interval_95"][end].as_f64().unwrap());
        prop_assert!(low <= value && value <= high, "{told}");
        Ok(())
    }

    /// The same of the mean difference of the rewards.
    fn check_metric(&self, told: &Json) -> Result<(), TestCaseError> {
        let count = self.pairs.len() as f64;
        let mean = |of: fn(&(Ended, Ended)) -> i8| {
            self.pairs.iter().map(|pair| f64::from(of(pair))).sum::<f64>() / count
        };
        let (first, second) = (mean(|pair| pair.0.1), mean(|pair| pair.1.1));
        prop_assert_eq!(told["metric"].as_str(), Some("reward"));
        prop_assert_eq!(told["pairs"].as_u64(), Some(self.pairs.len() as u64));
        for (name, value) in [("first_mean", first), ("second_mean", second), ("difference", first - second)]
        {
            prop_assert!(
                (told[name].as_f64().unwrap() - value).abs() < 1e-9,
                "{}: {} and {}",
                name,
                told,
                value
            );
        }
        let ends = ["low", "high"].map(|end| told["interval_95"][end].as_f64());
        prop_assert_eq!(ends[0].is_some(), self.pairs.len() >= LEAST_PAIRS, "{}", told);
        if let [Some(low), Some(high)] = ends {
            let value = told["difference"].as_f64().unwrap();
            prop_assert!(low <= value + 1e-9 && value <= high + 1e-9, "{told}");
        }
        Ok(())
    }
}

/// Source for the episodes of a shard that succeeded in the end: their list, or nothing but counts.
fn told(life: &Life) -> Option<Option<&[Ended]>> {
    let came = life.ended.last().filter(|came| life.runs.is_none() && came.succeeds)?;
    came.counts.map(|_| came.episodes.as_deref())
}

/// How a difference of rewards is written beside its interval.
fn shown(told: &Json) -> String {
    let signed = |value: &Json| {
        let value = value.as_f64().unwrap();
        format!("{}{}", if value > 0.0 { "+" } else { "" }, format_short(value)).replace('-', "−")
    };
    let difference = signed(&told["difference"]);
    match &told["interval_95"] {
        Json::Null => format!("{difference}, fewer than {LEAST_PAIRS} pairs"),
        ends => format!("{difference} [{}, {}]", signed(&ends["low"]), signed(&ends["high"])),
    }
}

/// Both policies of a run: `summary.json`, the reports and the tables of a paper.
pub(super) fn check_policies(
    lives: &[Life],
    (findings, summary, page): (&Findings<'_>, &Json, &str),
) -> Result<(), TestCaseError> {
    let of_policy = |name: &str| {
        let all = summary[name].as_array().unwrap();
        all.iter().find(|told| told["axis"] == "policy").cloned()
    };
    let (mut rates, mut lists) = (Counted::default(), true);
    // The later policy is compared with the earlier one.
    for cell in lives.chunks_exact(2) {
        match (told(&cell[1]), told(&cell[0])) {
            (Some(Some(first)), Some(Some(second))) => rates.add(first, second),
            (Some(None), Some(_)) | (Some(_), Some(None)) => lists = false,
            (None, _) | (_, None) => {}
        }
    }
    let (difference, metric) = (of_policy("differences"), of_policy("paired_metrics"));
    if rates.pairs.is_empty() || !lists {
        prop_assert_eq!(metric, None, "no episode of both was told");
        prop_assert!(difference.is_none_or(|told| told["design"]["kind"] == "unpaired"));
        return Ok(());
    }
    let (difference, metric) = (difference.unwrap(), metric.unwrap());
    prop_assert_eq!((difference["first"].as_str(), difference["second"].as_str()), (Some("1"), Some("0")));
    rates.check_design(&difference)?;
    rates.check_metric(&metric)?;
    let sentence = format!(
        "paired by {} episodes: 1 only {}, 0 only {}, both {}, neither {}",
        rates.pairs.len(),
        rates.count(true, false),
        rates.count(false, true),
        rates.count(true, true),
        rates.count(false, false)
    );
    let percent = |value: &Json| format!("{:+.1}", 100.0 * value.as_f64().unwrap());
    let ends = &difference["interval_95"];
    let interval = format!("({} to {})", percent(&ends["low"]), percent(&ends["high"]));
    let csv: String = build_tables(findings).iter().map(|table| table.to_csv()).collect();
    let text = render_markdown(findings);
    for (name, face) in [("report.html", page), ("report.md", &text), ("the tables", &csv)] {
        prop_assert!(face.contains(&sentence), "{} lacks {}:\n{}", name, sentence, face);
    }
    for (name, face) in [("report.html", page), ("report.md", &text)] {
        // A minus sign is one in print.
        let face = face.replace('−', "-");
        prop_assert!(face.contains(&interval), "{} lacks {}:\n{}", name, interval, face);
    }
    prop_assert!(page.contains(&shown(&metric)), "report.html lacks {}", shown(&metric));
    let row = csv.lines().find_map(|line| line.strip_prefix("policy,1,0,reward,")).unwrap();
    let cells: Vec<f64> = row.split(',').map_while(|cell| cell.parse().ok()).collect();
    for (name, cell) in ["first_mean", "second_mean", "difference"].iter().zip(cells) {
        prop_assert!(
            (metric[name].as_f64().unwrap() - cell).abs() < 1e-9,
            "{}: {} and {}",
            name,
            metric,
            row
        );
    }
    Ok(())
}

/// Two runs of a sweep: `compare` as a document, as text and as a page.
pub(super) fn check_runs([before, after]: [&[Life]; 2]) -> Result<(), TestCaseError> {
    let (first, second) = (run(before), run(after));
    let both = [first.findings(), second.findings()];
    let compared = Compared::new(&both);
    let document = build_document(&compared);
    let faces = [
        ("compare", text::render_comparison(&compared)),
        ("compare --html", page::render_comparison_page(&compared)),
    ];
    let (mut whole, mut lists) = (Counted::default(), true);
    for (place, (before, after)) in before.iter().zip(after).enumerate() {
        let mut of_combo = Counted::default();
        match (told(after), told(before)) {
            (Some(Some(first)), Some(Some(second))) => {
                whole.add(first, second);
                of_combo.add(first, second);
            }
            (Some(None), Some(_)) | (Some(_), Some(None)) => lists = false,
            (None, _) | (_, None) => {}
        }
        if of_combo.pairs.is_empty() {
            continue;
        }
        let values = serde_json::json!({"policy": (place % 2).to_string(), "env": (place / 2).to_string()});
        let combos = document["combos"].as_array().unwrap();
        let combo = combos.iter().find(|combo| combo["values"] == values).unwrap();
        of_combo.check_design(&combo["changes"][0])?;
        let (ours, theirs) = (of_combo.count(true, false), of_combo.count(false, true));
        let cell = format!("{ours} : {theirs} of {}", of_combo.pairs.len());
        for (name, face) in &faces {
            prop_assert!(face.contains(&cell), "{} lacks {}:\n{}", name, cell, face);
        }
    }
    let told = &document["differences"][0];
    if whole.pairs.is_empty() || !lists {
        prop_assert_eq!(told["paired_metrics"].as_array().map(Vec::len), Some(0));
        return Ok(());
    }
    whole.check_design(told)?;
    let metric = &told["paired_metrics"][0];
    whole.check_metric(metric)?;
    for (name, face) in &faces {
        prop_assert!(face.contains(&shown(metric)), "{} lacks {}:\n{}", name, shown(metric), face);
    }
    Ok(())
}
