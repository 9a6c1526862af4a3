//! `[schedule]`: when and how shards start, wait and end.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::ladder::{self, LadderAxes};
use super::{hours, neighbours};
use crate::config::document::problem::{Problem, word_hint};
use crate::config::document::table::{NumberOrAuto, Table};
use crate::config::needs::{NeedKey, NeedTemplates};
use crate::model::needs::resources::Placement;
use crate::model::outcome::FailureReason;
use crate::model::sweep::plan::{Grace, OnOom, OnStall, Parallel, QueueOrder, Schedule};

/// How long a program may take to react to SIGINT, and then to SIGTERM.
const GRACE: Duration = Duration::from_secs(10);

/// How long helpers may outlive the main process before they are stopped.
const LINGER: Duration = Duration::from_secs(5);

/// Compiling kernels and loading a scene are silent for many minutes.
const STALL_AFTER: Duration = Duration::from_secs(30 * 60);

/// Reads the table. Without `parallel` as many shards run as there are cores, and at least 2.
pub(in crate::config) fn read_schedule(
    root: &Table<'_>,
    cores: u32,
    templates: &mut NeedTemplates,
    axes: &LadderAxes<'_>,
) -> Schedule {
    let table = root.get_table("schedule");
    let own_timeout = templates.take_template(&table, "timeout", NeedKey::Timeout);
    let parallel = match table.number_or_auto("parallel", 1) {
        Some(NumberOrAuto::Number(number)) => Parallel::Fixed(number),
        Some(NumberOrAuto::Auto) => Parallel::Auto,
        None => Parallel::Fixed(cores.max(2)),
    };
    let order = [("longest-first", QueueOrder::LongestFirst), ("as-listed", QueueOrder::AsListed)];
    let placement = [("spread", Placement::Spread), ("pack", Placement::Pack)];
    let schedule = Schedule {
        parallel,
        order: table.get_choice("order", &order).unwrap_or(QueueOrder::LongestFirst),
        placement: table.get_choice("placement", &placement).unwrap_or_default(),
        reserve_vram: table.get_bytes("reserve_vram").unwrap_or_default(),
        stagger: table.get_duration("stagger").unwrap_or_default(),
        warmup: table.get_flag("warmup").unwrap_or(false),
        cooldown: table.get_duration("cooldown").unwrap_or_default(),
        retries: table.get_integer("retries", 0).unwrap_or(0),
        resume_after: read_reasons(&table, "resume_after"),
        timeout: if own_timeout { None } else { table.get_duration("timeout") },
        stall_after: table.get_duration("stall_after").unwrap_or(STALL_AFTER),
        // Steps for what stalls are steps for attempts that are ended.
        on_stall: choice_or_steps(
            &table,
            "on_stall",
            &[("show", OnStall::Show), ("fail", OnStall::Fail)],
            OnStall::Fail,
        )
        .unwrap_or(OnStall::Show),
        on_oom: choice_or_steps(
            &table,
            "on_oom",
            &[("back-off", OnOom::BackOff), ("fail", OnOom::Fail)],
            OnOom::Steps,
        )
        .unwrap_or(OnOom::BackOff),
        ladder: ladder::read_ladder(&table, axes),
        grace: read_grace(&table),
        linger: table.get_duration("linger").unwrap_or(LINGER),
        hours: hours::read_start_hours(&table),
        neighbours: neighbours::read_neighbours(&table),
    };
    table.report_unknown_keys();
    schedule
}

/// Reads one of several words; for a list of steps, which has a meaning of its own, returns `steps`.
fn choice_or_steps<T: Copy>(
    table: &Table<'_>,
    key: &'static str,
    words: &[(&'static str, T)],
    steps: T,
) -> Option<T> {
    match table.get(key).map(Spanned::get_ref) {
        Some(DeValue::Array(_)) => Some(steps),
        Some(_) | None => table.get_choice(key, words),
    }
}

/// Reasons of failures by their words.
fn read_reasons(table: &Table<'_>, key: &'static str) -> Vec<FailureReason> {
    let words = FailureReason::ALL.map(FailureReason::as_str);
    let reason = |word: Spanned<String>| {
        let found = FailureReason::ALL.into_iter().find(|reason| reason.as_str() == word.get_ref());
        if found.is_none() {
            let message = format!("`{}` is no reason of a failure", word.get_ref());
            table.sink().add(Problem::new(word.span(), message).with_hint(word_hint(word.get_ref(), &words)));
        }
        found
    };
    table.get_strings(key).into_iter().filter_map(reason).collect()
}

fn read_grace(table: &Table<'_>) -> Grace {
    let table = table.get_table("grace");
    let grace = Grace {
        interrupt: table.get_duration("interrupt").unwrap_or(GRACE),
        terminate: table.get_duration("terminate").unwrap_or(GRACE),
    };
    table.report_unknown_keys();
    grace
}
