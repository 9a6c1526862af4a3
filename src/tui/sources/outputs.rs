//! Files of a run that the screen only names or dates: its report, and the log that is looked at.

use std::time::SystemTime;

use jiff::Timestamp;

use crate::model::ids::AttemptKey;
use crate::model::units::duration_between;
use crate::rundir::layout::RunDir;
use crate::tui::message::Message;
use crate::tui::model::screen::Model;

/// The files that were reported already.
#[derive(Debug, Default)]
pub struct Outputs {
    has_report: bool,
    written: Option<(AttemptKey, SystemTime)>,
}

impl Outputs {
    /// Returns messages about a new report or newer output.
    pub fn new_messages(&mut self, run: &RunDir, model: &Model) -> Vec<Message> {
        self.find_report(run).into_iter().chain(self.last_output(run, model)).collect()
    }

    fn find_report(&mut self, run: &RunDir) -> Option<Message> {
        let path = run.results_folder().join("report.html");
        if self.has_report || !path.exists() {
            return None;
        }
        self.has_report = true;
        let folder = std::env::current_dir().ok();
        let whole = path.full_path();
        let shown = folder.and_then(|folder| whole.strip_prefix(folder).ok().map(ToOwned::to_owned));
        Some(Message::Report(shown.unwrap_or_else(|| whole.to_owned()).display().to_string()))
    }

    fn last_output(&mut self, run: &RunDir, model: &Model) -> Option<Message> {
        let key = model.selected_attempt()?;
        let modified = run.attempt_dir(&key).output_log().metadata().and_then(|file| file.modified()).ok()?;
        let news = Some((key.clone(), modified));
        if self.written == news {
            return None;
        }
        self.written = news;
        // Files are dated by the wall clock; the run has a clock of its own.
        let age = duration_between(Timestamp::try_from(modified).ok()?, Timestamp::now());
        Some(Message::LastOutput { key, at: model.now.checked_sub(age).ok()? })
    }
}
