//! Paths of a sweep made absolute: `~` is the home folder, relative ones start at a given folder.

use std::path::{Path, PathBuf};

/// Why a path cannot be made absolute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The home folder is unknown.
    #[error("`{0}` needs a home folder, and none is known: write the whole path")]
    NoHome(String),
    /// The home folders of other users are not looked up.
    #[error("`{0}` begins with the home folder of another user: write the whole path")]
    OtherHome(String),
}

/// The absolute form of a path, without `.` parts.
pub fn absolute_path(text: &str, base: &Path, home: Option<&Path>) -> Result<PathBuf, PathError> {
    let path = base.join(expand_home(text, home)?);
    Ok(path.components().collect())
}

/// Replaces a leading `~`.
pub fn expand_home(text: &str, home: Option<&Path>) -> Result<PathBuf, PathError> {
    let Some(rest) = text.strip_prefix('~') else { return Ok(PathBuf::from(text)) };
    if !rest.is_empty() && !rest.starts_with('/') {
        return Err(PathError::OtherHome(text.to_owned()));
    }
    let home = home.ok_or_else(|| PathError::NoHome(text.to_owned()))?;
    Ok(home.join(rest.trim_start_matches('/')))
}
