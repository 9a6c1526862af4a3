//! Files that belong to one shard each: two that would write one path are found before anything runs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::document::problem::Problem;
use super::document::table::Sink;
use super::expand::Draft;
use super::templates::paths::absolute_path;
use super::templates::shard::TemplateField;

/// Owner of each path, over all fields that name files.
pub(super) struct OwnPaths<'a> {
    drafts: &'a [Draft],
    /// The folder in which each shard runs; that of the sweep by default.
    folders: Vec<PathBuf>,
    owners: HashMap<PathBuf, usize>,
    sweep_dir: &'a Path,
    home: Option<&'a Path>,
}

impl<'a> OwnPaths<'a> {
    /// Starts with shards that all run in the folder of the sweep, as far as is known yet.
    pub(super) fn new(drafts: &'a [Draft], sweep_dir: &'a Path, home: Option<&'a Path>) -> Self {
        let folders = vec![sweep_dir.to_owned(); drafts.len()];
        Self { drafts, folders, owners: HashMap::new(), sweep_dir, home }
    }

    /// The shards run in these folders.
    pub(super) fn run_in(&mut self, texts: &[String]) {
        for (folder, text) in self.folders.iter_mut().zip(texts) {
            *folder = absolute_path(text, self.sweep_dir, self.home).unwrap_or_else(|_| PathBuf::from(text));
        }
    }

    /// Reports files that two shards share: no file can be the proof or the count of both. One shard may name a file
    /// twice.
    pub(super) fn report_shared_files(
        &mut self,
        field: &TemplateField,
        file: &str,
        texts: &[String],
        sink: &Sink,
    ) {
        for (position, text) in texts.iter().enumerate() {
            let Ok(path) = absolute_path(text, &self.folders[position], self.home) else { continue };
            let owner = *self.owners.entry(path).or_insert(position);
            if owner != position {
                let (first, second) = (&self.drafts[owner].id, &self.drafts[position].id);
                let message = format!("the shards `{first}` and `{second}` share the {file} `{text}`");
                let hint = "begin it with `{{ out }}/`, the own folder of each attempt";
                sink.add(Problem::new(field.text.span(), message).with_hint(hint));
                return;
            }
        }
    }
}
