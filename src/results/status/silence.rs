//! The sentence that explains the silence of a running shard with what is measured of it now.

use std::time::Duration;

use jiff::Timestamp;

use crate::model::state::fact::{Condition, Shown};
use crate::model::units::{between, format_duration};

/// Load of a shard as measured now; what is unknown is left out of the sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Load {
    /// Processor use, in % of one core.
    pub cpu_percent: Option<f64>,
    /// Utilisation of the busiest of its GPUs, in %, whichever processes use it.
    pub gpu_percent: Option<f64>,
}

/// `no output for 12m 03s, CPU 100 %, GPU 0 %: probably compiling`; nothing where a question waits for an answer.
pub fn sentence(shown: Shown, load: Load, now: Timestamp) -> Option<String> {
    let guess = match shown.condition {
        Condition::Stalled => "",
        Condition::Compiling => ": probably compiling",
        Condition::NeedsInput => return None,
    };
    Some(format!("{}{guess}", measured("output", between(shown.since, now), load)))
}

/// The same where nothing was read of its work for longer than usual: `no progress for 6m 00s, GPU 0 %`.
pub fn unusual(silence: Duration, load: Load) -> String {
    format!("{}: longer than usual", measured("progress", silence, load))
}

fn measured(what: &str, silence: Duration, load: Load) -> String {
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
        let compiling = Shown { condition: Condition::Compiling, since: at(0) };
        let both = Load { cpu_percent: Some(99.6), gpu_percent: Some(0.0) };
        let said = |shown, load| sentence(shown, load, at(720));
        assert_eq!(
            said(compiling, both).as_deref(),
            Some("no output for 12m 00s, CPU 100 %, GPU 0 %: probably compiling")
        );
        let cpu = Load { gpu_percent: None, ..both };
        assert_eq!(
            said(compiling, cpu).as_deref(),
            Some("no output for 12m 00s, CPU 100 %: probably compiling")
        );
        let stalled = Shown { condition: Condition::Stalled, since: at(0) };
        assert_eq!(said(stalled, Load::default()).as_deref(), Some("no output for 12m 00s"));
        assert_eq!(said(Shown { condition: Condition::NeedsInput, since: at(0) }, both), None);
    }
}
