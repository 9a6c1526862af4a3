//! The commit that is checked out in a folder, read from git's own files because starting `git` costs more than a
//! shard.

use std::fs;
use std::path::{Path, PathBuf};

/// The commit of the work tree around `folder`; none outside git and before the first commit.
pub fn read_commit(folder: &Path) -> Option<String> {
    let dot_git = folder.ancestors().map(|parent| parent.join(".git")).find(|path| path.exists())?;
    let git = git_folder(&dot_git)?;
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    match head.trim().strip_prefix("ref: ") {
        Some(name) => resolve_ref(&git, name),
        None => Some(head.trim().to_owned()),
    }
}

/// In linked work trees and submodules `.git` is a file that names the folder.
fn git_folder(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = fs::read_to_string(dot_git).ok()?;
    let folder = text.trim().strip_prefix("gitdir: ")?;
    Some(dot_git.parent()?.join(folder))
}

fn resolve_ref(git: &Path, name: &str) -> Option<String> {
    // Linked work trees keep only HEAD to themselves; branches lie in the common folder.
    let common = match fs::read_to_string(git.join("commondir")) {
        Ok(path) => git.join(path.trim()),
        Err(_) => git.to_owned(),
    };
    if let Ok(commit) = fs::read_to_string(common.join(name)) {
        return Some(commit.trim().to_owned());
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| {
        let (commit, packed_name) = line.split_once(' ')?;
        (packed_name == name).then(|| commit.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_packed_and_detached_heads_are_read_from_any_folder_below() {
        let folder = tempfile::tempdir().unwrap();
        let (git, deep) = (folder.path().join(".git"), folder.path().join("a/b"));
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::create_dir_all(&deep).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(read_commit(&deep), None, "no commit yet");
        fs::write(git.join("packed-refs"), "# pack-refs\nabc123 refs/heads/main\n").unwrap();
        assert_eq!(read_commit(&deep).as_deref(), Some("abc123"));
        fs::write(git.join("refs/heads/main"), "def456\n").unwrap();
        assert_eq!(read_commit(&deep).as_deref(), Some("def456"));
        fs::write(git.join("HEAD"), "0123ab\n").unwrap();
        assert_eq!(read_commit(&deep).as_deref(), Some("0123ab"));
    }

    #[test]
    fn linked_work_trees_find_their_branch_in_the_common_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (common, own) = (folder.path().join("main/.git"), folder.path().join("main/.git/worktrees/x"));
        fs::create_dir_all(common.join("refs/heads")).unwrap();
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(folder.path().join("x")).unwrap();
        fs::write(folder.path().join("x/.git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/x\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(common.join("refs/heads/x"), "fee1\n").unwrap();
        assert_eq!(read_commit(&folder.path().join("x")).as_deref(), Some("fee1"));
    }
}
