//! The terminal in other hands for a while: a shard's, the pager's, those of a command of the user's own.

use std::path::Path;
use std::process::Command;

use super::App;
use crate::model::ids::ShardId;
use crate::model::sweep::own_command::CommandMode;
use crate::tui::message::{Message, Pulse};
use crate::tui::model::overlays::own_commands::OwnRun;
use crate::tui::options::TuiError;
use crate::tui::terminal::input::InputThread;
use crate::tui::terminal::own_process;
use crate::tui::terminal::screen::give_back;
use crate::tui::terminal::tenant::run_tenant;

/// Colours are kept by `less -R`; it begins at the end, as the pane does.
const PAGER: &str = "exec ${PAGER:-less -R +G} \"$1\"";

impl App {
    /// Hands the terminal to a shard until the user detaches from it.
    pub(super) fn enter_shard(&mut self, shard: &ShardId) -> Result<(), TuiError> {
        if let Err(text) = self.lend_terminal(|app| app.actions.enter_shard(shard))? {
            self.apply_message(Message::Told { text, bad: true });
        }
        Ok(())
    }

    /// Hands the terminal to the user's pager.
    pub(super) fn open_pager(&mut self) -> Result<(), TuiError> {
        let path = match &self.player {
            Some(player) => player.log_path(),
            None => self.reader.log_path(),
        };
        let Some(path) = path.map(Path::to_owned) else { return Ok(()) };
        let mut pager = Command::new("sh");
        pager.args(["-c", PAGER, "sh"]).arg(&path);
        let ended = self.lend_terminal(|_| run_tenant(&mut pager))?;
        if let Some(text) = match ended {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the pager ended with {status}; set PAGER to another one")),
            Err(error) => Some(format!("cannot start sh for the pager: {error}")),
        } {
            self.apply_message(Message::Told { text, bad: true });
        }
        Ok(())
    }

    /// Puts the screen away for work that needs the terminal, and brings it back whole: modes, size, and every cell.
    fn lend_terminal<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<T, TuiError> {
        self.input = None;
        give_back();
        let result = work(self);
        self.screen.resume()?;
        self.input = Some(InputThread::start(self.sender.clone())?);
        self.resize();
        Ok(result)
    }

    /// Runs one of the user's own commands, in the foreground with the terminal or in the background next to the
    /// screen.
    pub(super) fn run_own(&mut self, run: OwnRun) -> Result<(), TuiError> {
        let result = match run.mode {
            CommandMode::Foreground | CommandMode::Wait => self.lend_terminal(|_| {
                let ended = run_tenant(&mut own_process::build_command(&run));
                own_process::end_of_tenant(&run, ended)
            })?,
            CommandMode::Background => {
                let (sender, ended) = (self.sender.clone(), run.clone());
                let started = own_process::start_beside(&run, move |result| {
                    // Once the screen has been left, no one receives this message any more.
                    let _ = sender.send(Pulse::Heard(Message::OwnEnded { run: ended, result }));
                });
                match started {
                    Ok(()) => return Ok(()),
                    failed @ Err(_) => failed,
                }
            }
        };
        self.apply_message(Message::OwnEnded { run, result });
        Ok(())
    }
}
