//! The files that shards have left: how many, how large, where, and which of them two shards claim.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::model::ids::ShardId;

/// So many files of a shard are named.
const NAMED: usize = 100;

/// File endings of videos: files that are played and not read.
const VIDEO_ENDS: [&str; 5] = [".mp4", ".webm", ".avi", ".mkv", ".gif"];

/// A file that a shard left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactFile {
    /// Its path: below the run's folder where it lies there, else absolute.
    pub path: String,
    /// File size in bytes.
    pub bytes: u64,
    /// Device and inode number, which identify the file under any of its names.
    pub identity: (u64, u64),
}

impl ArtifactFile {
    /// Whether it is a video, by its name.
    pub fn is_video(&self) -> bool {
        VIDEO_ENDS.iter().any(|end| self.path.to_ascii_lowercase().ends_with(end))
    }
}

/// The files of a shard's newest ended attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardArtifacts {
    /// The files, by their paths.
    pub files: Vec<ArtifactFile>,
    /// There are more, which were not looked at.
    pub more: bool,
    /// Files that the sweep names but that were there before the attempt began.
    pub older: Vec<String>,
}

impl ShardArtifacts {
    /// Returns the total size of all files in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Counts the files that are videos.
    pub fn count_videos(&self) -> usize {
        self.files.iter().filter(|file| file.is_video()).count()
    }

    /// `12 files, 3 videos`.
    pub fn format_counts(&self) -> String {
        let more = if self.more { "more than " } else { "" };
        let files = self.files.len();
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match self.count_videos() {
            0 => format!("{more}{files} file{}", plural(files)),
            videos => format!("{more}{files} file{}, {videos} video{}", plural(files), plural(videos)),
        }
    }

    /// Returns the files as a part of the summary document.
    pub fn to_json(&self) -> Value {
        let names: Vec<&str> = self.files.iter().take(NAMED).map(|file| file.path.as_str()).collect();
        json!({
            "count": self.files.len(),
            "videos": self.count_videos(),
            "bytes": self.total_bytes(),
            "complete": !self.more,
            "files": names,
        })
    }
}

/// Reports what is odd about the files of all shards, one line each.
pub fn find_file_warnings<'a>(
    shards: impl IntoIterator<Item = (&'a ShardId, &'a ShardArtifacts)>,
) -> Vec<String> {
    let shards: Vec<(&ShardId, &ShardArtifacts)> = shards.into_iter().collect();
    let older = shards.iter().flat_map(|(shard, artifacts)| {
        artifacts.older.iter().map(move |path| format!("{shard}: {path} was there before its attempt began"))
    });
    older.chain(find_overwritten_files(shards.iter().copied())).collect()
}

/// Files that are those of two shards: one of the two has overwritten the other's.
fn find_overwritten_files<'a>(
    shards: impl IntoIterator<Item = (&'a ShardId, &'a ShardArtifacts)>,
) -> Vec<String> {
    let mut owners: BTreeMap<(u64, u64), Vec<(&ShardId, &ArtifactFile)>> = BTreeMap::new();
    for (shard, artifacts) in shards {
        for file in &artifacts.files {
            owners.entry(file.identity).or_default().push((shard, file));
        }
    }
    let mut told: BTreeMap<(&ShardId, &ShardId), (&str, usize)> = BTreeMap::new();
    for files in owners.values() {
        let (first, file) = files[0];
        for (other, _) in files.iter().filter(|(other, _)| *other != first) {
            told.entry((first, other)).or_insert((&file.path, 0)).1 += 1;
        }
    }
    let line = |((first, second), (path, count)): ((&ShardId, &ShardId), (&str, usize))| match count {
        1 => format!("{first} and {second} share the file {path}: one has overwritten the other's"),
        _ => format!(
            "{first} and {second} share {count} files, such as {path}: one has overwritten the other's"
        ),
    };
    told.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_two_shards_is_told_whatever_its_names_are() {
        let file = |path: &str, inode| ArtifactFile { path: path.to_owned(), bytes: 2, identity: (1, inode) };
        let of = |files: Vec<ArtifactFile>| ShardArtifacts { files, ..ShardArtifacts::default() };
        let shards = ["a", "b", "c"].map(|id| ShardId::new(id).unwrap());
        let artifacts = [
            of(vec![file("a/0.mp4", 1), file("v/1.mp4", 2), file("a.json", 3)]),
            of(vec![file("b/0.mp4", 4), file("v/1.mp4", 2)]),
            of(vec![file("c/link", 4), file("v/2", 2)]),
        ];
        assert_eq!(artifacts[0].format_counts(), "3 files, 2 videos");
        let told = find_overwritten_files(shards.iter().zip(&artifacts));
        let one =
            |pair: &str, path: &str| format!("{pair} share the file {path}: one has overwritten the other's");
        assert_eq!(told, [one("a and b", "v/1.mp4"), one("a and c", "v/1.mp4"), one("b and c", "b/0.mp4")]);
        assert_eq!(find_overwritten_files(shards.iter().zip(&artifacts[..1])), Vec::<String>::new());
    }
}
