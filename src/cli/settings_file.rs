//! Where the user's settings lie, and how their file is replaced.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::tui::theme::store;

/// The file, whether it is there or not; `None` if no folder is known.
pub fn path() -> Option<PathBuf> {
    store::config_folder().map(|folder| folder.join("config.toml"))
}

/// Replaces a file at once; a link to it stays a link, and its mode what it is.
pub fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let Ok(file) = path.canonicalize() else {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        return std::fs::write(path, text);
    };
    let mut new = NamedTempFile::new_in(file.parent().unwrap_or(Path::new("/")))?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(std::fs::metadata(&file)?.permissions())?;
    new.as_file().sync_all()?;
    new.persist(&file)?;
    Ok(())
}
