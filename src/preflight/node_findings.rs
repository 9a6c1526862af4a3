//! What looks at the nodes of a sweep have shown, in words.

use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;

use super::finding::{Finding, FindingSeverity};
use super::nodes::NodeCheck;
use crate::model::sweep::node_spec::NodeId;

/// From here on a node that is well may look silent: ten seconds without a sign of life count as silence.
const LATE: Duration = Duration::from_secs(5);

/// Times of the one machine are shown beside those of the other.
const MOST_APART: SignedDuration = SignedDuration::from_secs(2);

/// More nodes are counted.
const MOST_NAMED: usize = 3;

/// Advice for a share that is late.
const SHORTER: &str = "a node that is well may seem silent; NFS is quicker with a shorter `acdirmax` among the options of its mount";

impl NodeCheck {
    /// What has to be known of it before a run, beside what it finds of itself.
    pub fn findings(&self, folder: &Path) -> Vec<Finding> {
        let finding =
            |text: String| Finding::new(FindingSeverity::Warning, "node", format!("{}: {text}", self.id));
        if self.is_job {
            let hint = "`sbatch --test-only` with these options says so";
            return self.problem.iter().map(|problem| finding(problem.clone()).with_hint(hint)).collect();
        }
        if let Some(problem) = &self.problem {
            let hint = format!(
                "`ssh` has to reach it without a question, and {} has to lie on a disk that all nodes share and run \
                 programs from",
                folder.display()
            );
            return vec![finding(problem.clone()).with_hint(hint)];
        }
        let mut findings = Vec::new();
        match self.seen_after_s {
            None => {
                let text = "a file that is written here is not seen there";
                findings.push(finding(text.to_owned()).with_hint(SHORTER));
            }
            Some(seconds) if seconds > LATE.as_secs_f64() => {
                let text = format!("a file that is written here is seen there only after {seconds:.0} s");
                findings.push(finding(text).with_hint(SHORTER));
            }
            Some(_) => {}
        }
        if let Some(ahead) = self.clock_ahead_s.filter(|ahead| ahead.abs() > MOST_APART.as_secs_f64()) {
            let side = if ahead > 0.0 { "ahead" } else { "behind" };
            let text = format!("its clock is {:.0} s {side}", ahead.abs());
            let hint = "times of its shards are shown beside those of this machine; set both clocks by NTP";
            findings.push(finding(text).with_hint(hint));
        }
        findings
    }

    /// A node that is of use, in one line.
    pub fn to_line(&self) -> Option<String> {
        let (None, Some(seen), Some(ahead)) = (&self.problem, self.seen_after_s, self.clock_ahead_s) else {
            return None;
        };
        let locks = match self.locks_hold {
            Some(true) => "locks hold between machines",
            Some(false) => "locks hold on each machine alone",
            None => "locks were not tried",
        };
        Some(format!("node {}: sees a new file after {seen:.1} s, {locks}, clock {ahead:+.1} s", self.id))
    }
}

/// What nodes find of themselves for the sweep. What several find is said once, with their names.
pub fn found_at_nodes(checks: &[NodeCheck]) -> Vec<Finding> {
    let mut found: Vec<(&Finding, Vec<&NodeId>)> = Vec::new();
    for check in checks {
        for finding in check.found.iter().flatten() {
            match found.iter_mut().find(|(known, _)| *known == finding) {
                Some((_, nodes)) => nodes.push(&check.id),
                None => found.push((finding, vec![&check.id])),
            }
        }
    }
    let named = |(finding, nodes): (&Finding, Vec<&NodeId>)| Finding {
        message: format!("{} (at {})", finding.message, list_nodes(&nodes)),
        ..finding.clone()
    };
    found.into_iter().map(named).collect()
}

/// `gpu1`, `gpu1, gpu2 and gpu3`, `gpu1, gpu2 and 62 others`.
fn list_nodes(nodes: &[&NodeId]) -> String {
    match nodes {
        [] => String::new(),
        [one] => one.to_string(),
        [before @ .., last] if nodes.len() <= MOST_NAMED => {
            let before: Vec<String> = before.iter().map(ToString::to_string).collect();
            format!("{} and {last}", before.join(", "))
        }
        [first, second, others @ ..] => format!("{first}, {second} and {} others", others.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen_after_s: Option<f64>, clock_ahead_s: f64) -> NodeCheck {
        let id = NodeId::new("gpu1").unwrap();
        NodeCheck {
            id,
            problem: None,
            is_job: false,
            seen_after_s,
            locks_hold: Some(false),
            clock_ahead_s: Some(clock_ahead_s),
            found: None,
        }
    }

    #[test]
    fn what_is_late_or_apart_is_said() {
        let texts = |check: &NodeCheck| -> Vec<String> {
            check.findings(Path::new("/data")).into_iter().map(|finding| finding.message).collect()
        };
        let well = check(Some(3.04), -0.2);
        assert!(texts(&well).is_empty());
        let line = "node gpu1: sees a new file after 3.0 s, locks hold on each machine alone, clock -0.2 s";
        assert_eq!(well.to_line().as_deref(), Some(line));
        assert_eq!(
            texts(&check(Some(12.3), -61.0)),
            [
                "gpu1: a file that is written here is seen there only after 12 s",
                "gpu1: its clock is 61 s behind"
            ]
        );
        assert_eq!(texts(&check(None, 0.0)), ["gpu1: a file that is written here is not seen there"]);
        assert_eq!(check(None, 0.0).to_line(), None);
    }

    #[test]
    fn what_many_nodes_find_is_said_once() {
        let at = |count: u32, message: &str| -> Vec<NodeCheck> {
            let found = Finding::new(FindingSeverity::Note, "gpu", message);
            let named = |n: u32| NodeCheck {
                id: NodeId::new(format!("gpu{n}")).unwrap(),
                found: Some(vec![found.clone()]),
                ..check(Some(0.1), 0.0)
            };
            (1..=count).map(named).collect()
        };
        let messages = |checks: &[NodeCheck]| -> Vec<String> {
            found_at_nodes(checks).into_iter().map(|finding| finding.message).collect()
        };
        assert_eq!(messages(&at(1, "no GPU")), ["no GPU (at gpu1)"]);
        assert_eq!(messages(&at(3, "no GPU")), ["no GPU (at gpu1, gpu2 and gpu3)"]);
        let both = [at(64, "no GPU"), at(2, "no disk")].concat();
        assert_eq!(messages(&both), ["no GPU (at gpu1, gpu2 and 62 others)", "no disk (at gpu1 and gpu2)"]);
    }
}
