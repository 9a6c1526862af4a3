//! Which commands of the user's own a screen offers, and from whose hands they are taken.

use std::os::unix::fs::MetadataExt;

use crate::model::sweep::own_command::OwnCommand;
use crate::rundir::layout::RunDir;
use crate::rundir::residence::{self, Residence};
use crate::rundir::trust;
use crate::tui::keymap::own::with_sweep;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::KeyedCommand;
use crate::tui::model::overlays::own_commands::OwnCommands;
use crate::tui::model::screen::ScreenAccess;

/// The user's commands, and those of the sweep where it is the user's own run and may be changed from here.
pub fn collect_commands(
    run: &RunDir,
    access: ScreenAccess,
    users: Vec<KeyedCommand>,
    sweep: &[OwnCommand],
    keymap: &Keymap,
) -> OwnCommands {
    let sweep = if access == ScreenAccess::Acting && is_mine(run) { sweep } else { &[] };
    let list = with_sweep(users, sweep, keymap);
    let run_dir = std::path::absolute(run.path()).ok();
    let sees_processes = matches!(residence::find_residence(run), Ok(Residence::Here));
    OwnCommands { run: run_dir.filter(|_| !list.is_empty()), list, sees_processes }
}

/// A run directory of another user, or one that another user can write to, must not choose what runs as this one.
fn is_mine(run: &RunDir) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let owner = std::fs::metadata(run.path()).map(|found| found.uid());
    owner.is_ok_and(|owner| owner == me) && trust::verify_run(run).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::model::sweep::command_template::CommandTemplate;
    use crate::model::sweep::own_command::CommandMode;

    fn offered(folder: &Path, access: ScreenAccess) -> usize {
        let sweep = [OwnCommand {
            name: "video".to_owned(),
            key: None,
            command: CommandTemplate::Shell("mpv {{ out }}".to_owned()),
            mode: CommandMode::Foreground,
            confirm: false,
        }];
        collect_commands(&RunDir::at(folder), access, Vec::new(), &sweep, &Keymap::default()).list.len()
    }

    #[test]
    fn a_run_that_others_can_write_to_chooses_nothing_that_runs() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        fs::create_dir(&run).unwrap();
        for name in ["run.json", "plan.json", "journal.jsonl"] {
            fs::write(run.join(name), "{}").unwrap();
            fs::set_permissions(run.join(name), fs::Permissions::from_mode(0o644)).unwrap();
        }
        fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(offered(&run, ScreenAccess::Acting), 1);
        assert_eq!(offered(&run, ScreenAccess::ReadOnly), 0);
        assert_eq!(offered(&run, ScreenAccess::Replaying), 0);
        fs::set_permissions(run.join("plan.json"), fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(offered(&run, ScreenAccess::Acting), 0);
    }
}
