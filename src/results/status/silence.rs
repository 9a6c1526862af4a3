//! The sentence that explains the silence of a running shard with what is measured of it now.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::fact::{Condition, ShownCondition};
use crate::model::units::{duration_between, format_duration};

/// Load of a shard as measured now; what is unknown is left out of the sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShardLoad {
    /// Processor use, in % of one core.
    pub cpu_percent: Option<f64>,
    /// Utilisation of the busiest of its GPUs, in %, whichever processes use it.
    pub gpu_percent: Option<f64>,
}

/// `no output for 12m 03s, CPU 100 %, GPU 0 %: probably compiling`; `None` if a question waits for an answer.
pub fn describe_silence(shown: ShownCondition, load: ShardLoad, now: Timestamp) -> Option<String> {
    let guess = match shown.condition {
        Condition::Stalled => "",
        Condition::Compiling => ": probably compiling",
        Condition::NeedsInput => return None,
    };
    Some(format!("{}{guess}", format_silence("output", duration_between(shown.since, now), load)))
}

/// The same where nothing was read of its work for longer than usual: `no progress for 6m 00s, GPU 0 %`.
pub fn describe_long_silence(silence: Duration, load: ShardLoad) -> String {
    format!("{}: longer than usual", format_silence("progress", silence, load))
}

fn format_silence(what: &str, silence: Duration, load: ShardLoad) -> String {
    let part = |name: &str, percent: Option<f64>| {
        percent.map(|percent| format!(", {name} {percent:.0} %")).unwrap_or_default()
    };
    let (cpu, gpu) = (part("CPU", load.cpu_percent), part("GPU", load.gpu_percent));
    format!("no {what} for {}{cpu}{gpu}", format_duration(silence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_measured_is_said() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let compiling = ShownCondition { condition: Condition::Compiling, since: at(0) };
        let both = ShardLoad { cpu_percent: Some(99.6), gpu_percent: Some(0.0) };
        let said = |shown, load| describe_silence(shown, load, at(720));
        assert_eq!(
            said(compiling, both).as_deref(),
            Some("no output for 12m 00s, CPU 100 %, GPU 0 %: probably compiling")
        );
        let cpu = ShardLoad { gpu_percent: None, ..both };
        assert_eq!(
            said(compiling, cpu).as_deref(),
            Some("no output for 12m 00s, CPU 100 %: probably compiling")
        );
        let stalled = ShownCondition { condition: Condition::Stalled, since: at(0) };
        assert_eq!(said(stalled, ShardLoad::default()).as_deref(), Some("no output for 12m 00s"));
        assert_eq!(said(ShownCondition { condition: Condition::NeedsInput, since: at(0) }, both), None);
    }
}
