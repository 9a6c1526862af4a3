//! Whether the system ends a user's processes at the last logout, and the run with them.

use std::path::PathBuf;

use super::finding::{Finding, FindingSeverity};
use super::surroundings::Surroundings;

/// Folders of logind's settings; later ones win.
const SETTINGS: [&str; 3] = ["usr/lib/systemd", "run/systemd", "etc/systemd"];

/// Warns where logind kills and the user does not linger.
pub(super) fn inspect(around: &Surroundings) -> Option<Finding> {
    let (uid, name) = around.user.as_ref()?;
    // Root is left alone unless the settings name it.
    let lingers = around.root.join("var/lib/systemd/linger").join(name).exists();
    if *uid == 0 || lingers || !kills_user_processes(around) {
        return None;
    }
    let message =
        "the system ends all your processes at your last logout (KillUserProcesses=yes), this run too";
    let hint =
        format!("loginctl enable-linger {name}, or start with: systemd-run --user --scope sweepdeck ...");
    Some(Finding::new(FindingSeverity::Warning, "logout", message).with_hint(hint))
}

/// The last setting wins; without any, distributions leave the processes alone.
fn kills_user_processes(around: &Surroundings) -> bool {
    let mut kills = false;
    for file in setting_files(around) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        for line in text.lines() {
            if let Some(("KillUserProcesses", value)) =
                line.trim().split_once('=').map(|(k, v)| (k.trim(), v.trim()))
            {
                kills = matches!(value.to_ascii_lowercase().as_str(), "yes" | "true" | "on" | "1");
            }
        }
    }
    kills
}

/// Main files first, then all drop-ins in the order of their names.
fn setting_files(around: &Surroundings) -> Vec<PathBuf> {
    let folders = SETTINGS.map(|folder| around.root.join(folder));
    let mut drop_ins: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder.join("logind.conf.d")).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "conf"))
        .collect();
    drop_ins.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    folders.iter().map(|folder| folder.join("logind.conf")).chain(drop_ins).collect()
}
