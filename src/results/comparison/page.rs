//! The comparison as one page that loads nothing, in the style of the report.

use minijinja::Value;

use super::change::VerdictChange;
use super::compared::{Compared, ComparedCombo, ComparedRun};
use super::machines::{HEADS, MachineUse};
use super::picture::draw_run_differences;
use super::text::{format_difference, format_seconds, format_time_ratio};
use super::{designs, metrics, paired_metrics};
use crate::model::units::or_unknown;
use crate::results::outcome::ShardOutcome;
use crate::results::rate_text::rate_text;
use crate::results::report::page::render_plain_page;
use crate::results::report::template::{Section, values};
use crate::results::statistics::group::ShardGroup;
use crate::results::statistics::totals::Totals;

const FOOTER: &str = "Intervals hold the truth in 95 of 100 cases: Wilson, for differences Newcombe, put together with \
     Mantel–Haenszel weights, and of pairs Tango. * p ≤ .05 by the test of Cochran, Mantel and Haenszel, of pairs by \
     McNemar's, adjusted by Holm's method for all combos of the table. Only shards that succeeded are counted. — stands for \
     what is not known.";

/// How the figures of the section on metrics are to be read.
const METRICS: &str = "Mean ± standard deviation of the shards, median and mean of the middle half (IQM). P is how often a \
     shard of that run has more than one of A, in the mean over the combos; equal ones count half.";

/// Returns the page as an HTML document.
pub fn render_comparison_page(compared: &Compared<'_>) -> String {
    let names: Vec<&str> =
        compared.sides.iter().map(|side| side.findings.records.info.id.0.as_str()).collect();
    let sections: Vec<Section> = [
        Some(runs_section(compared)),
        Some(machines_section(compared)),
        Some(combos_section(compared)),
        metrics_section(compared),
        paired_metrics_section(compared),
    ]
    .into_iter()
    .flatten()
    .chain(compared.other_sides().map(|(place, side)| against_first(compared, place, side)))
    .collect();
    render_plain_page(&names.join(" · "), "<h1>Comparison of runs</h1>", &sections, FOOTER)
}

fn runs_section(compared: &Compared<'_>) -> Section {
    let run = |side: &ComparedRun<'_>| {
        let records = &side.findings.records;
        let (info, totals) = (records.info, Totals::from_shards(side.findings.outcomes.iter()));
        values! {
            label => side.label, id => info.id.0, state => records.word.as_str(), succeeded => totals.succeeded,
            shards => totals.shards, success => side.findings.headline().map(|headline| headline.text()),
            started => info.created.strftime("%Y-%m-%d %H:%M UTC").to_string(), host => info.host,
            commit => info.git_commit, breaks => side.sameness.breaks, notes => side.sameness.notes,
        }
    };
    let runs: Vec<Value> = compared.sides.iter().map(run).collect();
    Section::new("Runs", "compared_runs", values! { runs })
}

/// Renders the section on how each run used its machine.
fn machines_section(compared: &Compared<'_>) -> Section {
    let uses: Vec<MachineUse> =
        compared.sides.iter().map(|side| MachineUse::from_findings(side.findings)).collect();
    let rows = compared.sides.iter().zip(&uses);
    let rows = rows.map(|(side, machine)| (&side.label, machine.table_cells(&uses[0])));
    let values = values! { heads => HEADS, machines => rows.collect::<Vec<_>>() };
    Section::new("Machines", "compared_machines", values)
}

fn combos_section(compared: &Compared<'_>) -> Section {
    let combo = |combo: &ComparedCombo| {
        let rate =
            |cell: &Option<_>| or_unknown(cell.as_ref(), |group: &ShardGroup| rate_text(&group.totals));
        let change = |(place, _)| {
            let change = compared.combo_change(combo, place);
            let (tested, pace) =
                (change.as_ref().and_then(|it| it.tested), change.as_ref().and_then(|it| it.pace));
            values! {
                difference => format_difference(tested), design => designs::design_cell(tested),
                time => pace.map(format_time_ratio), is_slower => pace.is_some_and(|pace| pace.is_slower()),
            }
        };
        values! {
            values => combo.values, rates => combo.cells.iter().map(rate).collect::<Vec<_>>(),
            changes => compared.other_sides().map(change).collect::<Vec<_>>(),
        }
    };
    let values = values! {
        axes => compared.axes, labels => compared.sides.iter().map(|side| &side.label).collect::<Vec<_>>(),
        others => compared.other_sides().map(|(_, side)| &side.label).collect::<Vec<_>>(),
        combos => compared.combos.iter().map(combo).collect::<Vec<_>>(),
        notes => designs::design_notes(compared), alone => compared.alone,
    };
    Section::new("Combos", "compared_combos", values)
}

/// Metrics side by side; `None` if no two runs share one.
fn metrics_section(compared: &Compared<'_>) -> Option<Section> {
    let all = metrics::compare_metrics(compared);
    let rows: Vec<_> = all.iter().take(metrics::MOST).map(|one| one.table_cells()).collect();
    let values = values! { text => METRICS, class => "text", heads => metrics::table_heads(compared), rows };
    (!all.is_empty()).then(|| Section::new("Metrics", "rows", values))
}

/// Metrics of the same episodes; `None` where no run reports one of an episode of the first.
fn paired_metrics_section(compared: &Compared<'_>) -> Option<Section> {
    let rows = paired_metrics::metric_rows(compared);
    let text = format!("{}.", paired_metrics::NOTE);
    let is_any = !rows.is_empty();
    let values = values! { text, class => "text", heads => paired_metrics::HEADS, rows };
    is_any.then(|| Section::new("Metrics of the same episodes", "rows", values))
}

fn against_first(compared: &Compared<'_>, place: usize, side: &ComparedRun<'_>) -> Section {
    let label = &side.label;
    let [mut broken, mut fixed, mut failing, mut slower] = [const { Vec::new() }; 4];
    for combo in &compared.combos {
        let Some(change) = compared.combo_change(combo, place) else { continue };
        let failures = |shards: &[&ShardOutcome<'_>]| -> Vec<(String, String)> {
            shards.iter().map(|shard| (combo.name(), failure_text(shard))).collect()
        };
        match &change.turn {
            VerdictChange::Broken(shards) => broken.extend(failures(shards)),
            VerdictChange::Fixed(shards) => fixed.extend(failures(shards)),
            VerdictChange::StillFailing(shards) => failing.extend(failures(shards)),
            VerdictChange::None => {}
        }
        slower.extend(change.pace.filter(|pace| pace.is_slower()).map(|pace| {
            let (now, before, work) =
                (format_seconds(pace.now), format_seconds(pace.before), pace.of.per_unit_text());
            (combo.name(), format!("{now} instead of {before} {work}"))
        }));
    }
    let lists = [
        (format!("Failed in {label}, not in A"), broken),
        (format!("Failed in A, fixed in {label}"), fixed),
        (format!("Failed in A and in {label}"), failing),
        (format!("Slower in {label} by 10 % or more"), slower),
    ];
    let values = values! {
        label, lists, picture => draw_run_differences(compared, place),
        above => metrics::probability_above_first(compared, place),
    };
    Section::new(format!("{label} against A"), "compared_with_first", values)
}

fn failure_text(shard: &ShardOutcome<'_>) -> String {
    let message = shard.message.map(|message| format!(", {message}")).unwrap_or_default();
    format!("{}, {}{message}", shard.id(), shard.verdict())
}
