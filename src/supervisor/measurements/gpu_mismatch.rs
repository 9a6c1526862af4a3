//! Attempts that are not where they were put: on another GPU than they were given, or drawing on the processor.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::units::duration_between;

/// A program that asks every GPU what it can do is on all of them for a moment.
const LASTS: Duration = Duration::from_secs(3);

/// A program that draws is on its GPU by the time its log counts; this is room for a late reading.
const NOT_SEEN_FOR: Duration = Duration::from_secs(5);

/// The places where one attempt was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::supervisor) struct GpuMismatch {
    /// GPUs that it was not given, each since when it is there without a break.
    elsewhere: BTreeMap<GpuIndex, Since>,
    /// The attempt was seen on any GPU.
    was_seen: bool,
    processor: Option<OnProcessor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Since {
    at: Timestamp,
    is_told: bool,
}

/// Its log names a renderer of the processor, and it makes progress.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OnProcessor {
    renderer: &'static str,
    since: Since,
}

impl GpuMismatch {
    /// Its log names that renderer, and it has made progress.
    pub(in crate::supervisor) fn suspect_renderer(&mut self, renderer: &'static str, at: Timestamp) {
        self.processor.get_or_insert(OnProcessor { renderer, since: Since { at, is_told: false } });
    }

    /// Takes in where it is now; returns what is to be reported, each alarm once. `is_known` means that the
    /// driver lists all processes of the GPUs it was given.
    pub(in crate::supervisor) fn check_gpus(
        &mut self,
        given: &[GpuIndex],
        on: &[GpuIndex],
        is_known: bool,
        now: Timestamp,
    ) -> Vec<String> {
        self.was_seen |= !on.is_empty();
        self.elsewhere.retain(|gpu, since| since.is_told || on.contains(gpu));
        let mut alarms = Vec::new();
        for gpu in on.iter().filter(|gpu| !given.contains(gpu)) {
            let since = self.elsewhere.entry(*gpu).or_insert(Since { at: now, is_told: false });
            if !since.is_told && duration_between(since.at, now) >= LASTS {
                since.is_told = true;
                alarms.push(describe_mismatch(*gpu, given));
            }
        }
        if let Some(OnProcessor { renderer, since }) = &mut self.processor
            && !since.is_told
            && !self.was_seen
            && is_known
            && !given.is_empty()
            && duration_between(since.at, now) >= NOT_SEEN_FOR
        {
            since.is_told = true;
            alarms.push(on_processor(renderer, given));
        }
        alarms
    }
}

fn describe_mismatch(gpu: GpuIndex, given: &[GpuIndex]) -> String {
    let given = if given.is_empty() { "none".to_owned() } else { format_gpus(given) };
    format!("it computes or renders on GPU {gpu}, and was given {given}")
}

fn on_processor(renderer: &str, given: &[GpuIndex]) -> String {
    format!("it renders on the processor: its log names {renderer}, and it is not on {}", format_gpus(given))
}

/// `GPU 0`, or `GPUs 0, 1`.
fn format_gpus(gpus: &[GpuIndex]) -> String {
    let numbers: Vec<String> = gpus.iter().map(GpuIndex::to_string).collect();
    format!("GPU{} {}", if gpus.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// The alarms of a course: where it is, second by second.
    fn told(
        given: &[u32],
        seconds: &[&[u32]],
        renderer: Option<&'static str>,
        is_known: bool,
    ) -> Vec<String> {
        let gpus = |numbers: &[u32]| numbers.iter().copied().map(GpuIndex).collect::<Vec<_>>();
        let mut gpu_mismatch = GpuMismatch::default();
        if let Some(renderer) = renderer {
            gpu_mismatch.suspect_renderer(renderer, second(0));
        }
        let looks = seconds.iter().zip(0..);
        looks
            .flat_map(|(on, at)| gpu_mismatch.check_gpus(&gpus(given), &gpus(on), is_known, second(at)))
            .collect()
    }

    #[test]
    fn a_gpu_that_it_was_not_given_is_told_once_when_it_stays_there() {
        let stays: [&[u32]; 8] = [&[2]; 8];
        assert_eq!(told(&[3], &stays, None, true), ["it computes or renders on GPU 2, and was given GPU 3"]);
        let both: [&[u32]; 8] = [&[0, 2]; 8];
        assert_eq!(
            told(&[0, 1], &both, None, true),
            ["it computes or renders on GPU 2, and was given GPUs 0, 1"]
        );
        assert_eq!(told(&[], &stays, None, true), ["it computes or renders on GPU 2, and was given none"]);
        let asks: [&[u32]; 8] = [&[0, 1, 2], &[0, 1, 2], &[1], &[1], &[0, 1], &[1], &[1], &[1]];
        assert_eq!(told(&[1], &asks, None, true), [] as [&str; 0]);
    }

    #[test]
    fn drawing_on_the_processor_needs_a_name_in_the_log_and_an_empty_gpu() {
        let never: [&[u32]; 9] = [&[]; 9];
        let alarm = "it renders on the processor: its log names llvmpipe, and it is not on GPU 0";
        assert_eq!(told(&[0], &never, Some("llvmpipe"), true), [alarm]);
        assert_eq!(told(&[0], &never, None, true), [] as [&str; 0]);
        assert_eq!(told(&[0], &never, Some("llvmpipe"), false), [] as [&str; 0], "the driver lists nobody");
        assert_eq!(told(&[], &never, Some("llvmpipe"), true), [] as [&str; 0], "it has none to draw on");
        let late: [&[u32]; 9] = [&[], &[], &[0], &[], &[], &[], &[], &[], &[]];
        assert_eq!(told(&[0], &late, Some("swrast"), true), [] as [&str; 0]);
    }
}
