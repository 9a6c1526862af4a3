//! A file that is read when an attempt has ended, and for what.

/// A result file, or all files that a pattern finds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultFile {
    /// Its absolute path; may hold `*`.
    pub pattern: String,
    /// The same for the attempts whose work is continued, oldest first, where each has a folder of its own.
    pub earlier: Vec<String>,
    /// Whether the file has a known format, of which everything is taken.
    pub known: bool,
    /// The metrics of the sweep that are read from it.
    pub metrics: Vec<String>,
    /// Whether the file is merged, and so may show how single episodes ended.
    pub merged: bool,
}

impl ResultFile {
    /// Reports whether it is a fault that the file is absent. A file that is only merged is judged by the merge
    /// instead.
    pub fn is_missed(&self) -> bool {
        self.known || !self.metrics.is_empty()
    }

    /// Returns the parts of the sweep that want the file: `` `[results]` and `[[metric]]` falls, reward ``.
    pub fn wanted_by(&self) -> String {
        let known = self.known.then(|| "`[results]`".to_owned());
        let metrics = (!self.metrics.is_empty()).then(|| format!("`[[metric]]` {}", self.metrics.join(", ")));
        known.into_iter().chain(metrics).collect::<Vec<_>>().join(" and ")
    }
}
