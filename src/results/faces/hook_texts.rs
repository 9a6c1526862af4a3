//! The title and the message of a call of a hook: plain text for a phone, a mail or a chat.

use jiff::Timestamp;
use serde::Serialize;

use super::called_shard::CalledShard;
use crate::model::logs::printable::{printable_lines, to_printable};
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_info::RunInfo;
use crate::model::sweep::hook::HookMoment;
use crate::model::units::{duration_between, format_duration};
use crate::results::status::document::{PhaseCounts, RunWord};

/// What has happened, in words. A hook also gets them as `SWEEPDECK_TITLE` and `SWEEPDECK_MESSAGE`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookTexts {
    /// One line.
    pub title: String,
    /// A few lines, without the title.
    pub message: String,
}

/// Writes title and message of a call.
pub fn write_texts(
    info: &RunInfo,
    word: RunWord,
    counts: &PhaseCounts,
    (event, shard): (HookMoment, Option<&CalledShard>),
    now: Timestamp,
) -> HookTexts {
    let what = match shard {
        Some(shard) => format!("{} {}", shard.id, shard_verb(event)),
        None => describe_end(word, counts),
    };
    let elapsed = format_duration(duration_between(info.created, now));
    let mut lines: Vec<String> = shard.map(|shard| explain_shard(event, info, shard)).into_iter().collect();
    lines.push(describe_counts(counts));
    lines.push(format!("{} on {}, {elapsed} after its start", info.id, info.host));
    HookTexts {
        title: to_printable(&format!("{}: {what}", info.name)).into_owned(),
        message: printable_lines(&lines.join("\n")).into_owned(),
    }
}

fn shard_verb(event: HookMoment) -> &'static str {
    match event {
        HookMoment::FirstFailure | HookMoment::Failure => "failed",
        HookMoment::NeedsInput => "needs input",
        HookMoment::Stuck => "is stuck",
        HookMoment::RunEnded => "ended",
    }
}

fn explain_shard(event: HookMoment, info: &RunInfo, shard: &CalledShard) -> String {
    match event {
        HookMoment::FirstFailure | HookMoment::Failure | HookMoment::RunEnded => {
            let reason = shard.reason.map(|reason| reason.to_string());
            let parts: Vec<String> = reason.into_iter().chain(shard.message.clone()).collect();
            format!("{} (attempt {})", parts.join(": "), shard.attempt.0)
        }
        HookMoment::NeedsInput => format!("answer with: sweepdeck enter {} {}", info.id, shard.id),
        HookMoment::Stuck => {
            format!("no output for longer than `stall_after`: sweepdeck logs {} {}", info.id, shard.id)
        }
    }
}

/// `all 8 shards succeeded`, `1 of 8 shards failed`, or `stopped`.
fn describe_end(word: RunWord, counts: &PhaseCounts) -> String {
    let of = |wanted| counts.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, count)| count);
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    match (word, of(PhaseKind::Succeeded), of(PhaseKind::Failed)) {
        (RunWord::Stopped, _, _) => "stopped".to_owned(),
        (RunWord::Running | RunWord::Finished | RunWord::Unsupervised, 1, 0) if all == 1 => {
            "succeeded".to_owned()
        }
        (RunWord::Running | RunWord::Finished | RunWord::Unsupervised, good, _) if good == all => {
            format!("all {all} shards succeeded")
        }
        (RunWord::Running | RunWord::Finished | RunWord::Unsupervised, good, 0) => {
            format!("{good} of {all} shards succeeded")
        }
        (RunWord::Running | RunWord::Finished | RunWord::Unsupervised, _, failed) => {
            format!("{failed} of {all} shards failed")
        }
    }
}

/// `3 queued, 1 running, 2 succeeded`: the phases that any shard is in.
fn describe_counts(counts: &PhaseCounts) -> String {
    let present = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = present.map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::AttemptNumber;
    use crate::model::outcome::FailureReason;
    use crate::results::status::status_tests::id;
    use crate::results::tests::run;

    fn counts(queued: usize, succeeded: usize, failed: usize) -> PhaseCounts {
        PhaseCounts(PhaseKind::ALL.map(|kind| match kind {
            PhaseKind::Queued => queued,
            PhaseKind::Succeeded => succeeded,
            PhaseKind::Failed => failed,
            PhaseKind::Starting
            | PhaseKind::Running
            | PhaseKind::Paused
            | PhaseKind::Stopping
            | PhaseKind::Cancelled => 0,
        }))
    }

    fn write(
        word: RunWord,
        counts: &PhaseCounts,
        event: HookMoment,
        shard: Option<&CalledShard>,
    ) -> [String; 2] {
        let (mut info, _, _) = run();
        info.host = "gpu07".into();
        let now = info.created + std::time::Duration::from_secs(3720);
        let texts = write_texts(&info, word, counts, (event, shard), now);
        [texts.title, texts.message]
    }

    #[test]
    fn the_end_of_a_run_in_one_line_and_a_few() {
        let end = |word, counts: &PhaseCounts| write(word, counts, HookMoment::RunEnded, None);
        insta::assert_debug_snapshot!([
            end(RunWord::Finished, &counts(0, 8, 0)),
            end(RunWord::Finished, &counts(0, 7, 1)),
            end(RunWord::Finished, &counts(0, 1, 0)),
            end(RunWord::Stopped, &counts(3, 4, 0)),
        ]);
    }

    #[test]
    fn what_happened_to_a_shard_and_no_escape_of_its_log() {
        let attempt = AttemptNumber(2);
        let failed = CalledShard {
            id: id("stairs_flat"),
            attempt,
            reason: Some(FailureReason::GpuOom),
            message: Some("CUDA out of memory\u{1b}[31m\0: tried 2 GiB".into()),
        };
        let lives = CalledShard { reason: None, message: None, ..failed.clone() };
        let write = |event, shard| write(RunWord::Running, &counts(2, 1, 1), event, Some(shard));
        insta::assert_debug_snapshot!([
            write(HookMoment::Failure, &failed),
            write(HookMoment::NeedsInput, &lives),
            write(HookMoment::Stuck, &lives),
        ]);
    }
}
