//! The log and the progress file of one attempt: what is read of them, and the marks made of that.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::progress_file::{ProgressFile, ProgressUpdate};
use crate::model::attempt::HolderOrder;
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::logs::stage::Stage;
use crate::model::logs::steps::Steps;
use crate::model::sweep::resume::Resume;
use crate::model::units::duration_between;
use crate::process::shortage;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::mark_digest::MarkDigest;
use crate::progress::reader::rules::LogRules;
use crate::progress::reading::LogSummary;
use crate::results::counted_unit::EPISODES;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::AttemptDir;
use crate::rundir::marks::MarkWriter;
use crate::rundir::{clock, records};
use crate::tail::follower::Follower;

/// So much of one log is read before the others are read: about 20 ms of reading.
const READ_AT_ONCE: usize = 4 << 20;

/// A longer file of marks is rewritten with those that still matter: a program may print for weeks.
const LONGEST_MARKS: u64 = 4 << 20;

/// As many steps as any chart has columns.
const MOST_POINTS: usize = 1024;

/// The log of one attempt.
pub(in crate::supervisor) struct LogOfAttempt {
    path: PathBeneath,
    marks_path: PathBeneath,
    /// An earlier supervisor wrote marks: they are replaced, not mixed.
    adopted: bool,
    follower: Option<Follower>,
    /// Offset at which the next follower begins.
    offset: u64,
    marks: Option<MarkWriter>,
    /// Summary of all marks written so far.
    digest: MarkDigest,
    reader: LogReader,
    /// The moments of its steps, pauses and all.
    steps: Steps,
    /// Unit that progress counts, according to the marks.
    unit: &'static str,
    /// Marks of what was known before the first line; written with the first others.
    begin: Vec<(u64, MarkKind)>,
    file: Option<ProgressFile>,
    /// The log has been read up to where it grows.
    caught_up: bool,
    last_output: Option<Timestamp>,
    last_progress: Option<Timestamp>,
}

/// Signs of life that a log shows of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::supervisor) struct Life {
    /// When it, or its progress file, was last written to.
    pub(in crate::supervisor) last_output: Timestamp,
    /// When its progress last changed.
    pub(in crate::supervisor) last_progress: Option<Timestamp>,
    /// Its silence from now on may be that of a compiler.
    pub(in crate::supervisor) may_compile: bool,
    /// A renderer of the processor that it names.
    pub(in crate::supervisor) renderer: Option<&'static str>,
}

/// The result of reading on once.
#[derive(Default)]
pub(in crate::supervisor) struct LogUpdate {
    /// The log goes on beyond this update.
    pub(in crate::supervisor) more: bool,
    /// There was new output.
    pub(in crate::supervisor) some: bool,
}

/// The result of reading the rest of a log.
pub(in crate::supervisor) enum Rest {
    /// The rest was read, as far as it can be.
    Read(Result<(), RunDirError>),
    /// The rest could not be read now.
    Later(RunDirError),
}

impl LogOfAttempt {
    /// A log of which nothing was read yet.
    pub(in crate::supervisor) fn new(
        dir: &AttemptDir,
        rules: &Arc<LogRules>,
        resume: Resume,
        adopted: bool,
    ) -> Self {
        let asks_order = rules.has_file() || !resume.is_never();
        // Without an order there was no attempt.
        let order: Option<HolderOrder> =
            if asks_order { records::read_if_there(&dir.order_json()).ok().flatten() } else { None };
        let mut reader = LogReader::new(Arc::clone(rules));
        let mut begin = Vec::new();
        if let Some(before) = order.as_ref().and_then(|order| order.earlier) {
            reader.continue_from(before, &mut begin);
        }
        Self {
            path: dir.output_log(),
            marks_path: dir.marks_path(),
            adopted,
            follower: None,
            offset: 0,
            marks: None,
            digest: MarkDigest::new(MOST_POINTS),
            reader,
            steps: Steps::default(),
            unit: EPISODES,
            begin,
            file: order.and_then(|order| order.progress_file).map(ProgressFile::new),
            caught_up: !adopted,
            last_output: None,
            last_progress: None,
        }
    }

    /// Returns the path of the log file.
    pub(in crate::supervisor) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives its descriptor back until it is read again.
    pub(in crate::supervisor) fn release_file(&mut self) {
        if let Some(follower) = self.follower.take() {
            self.offset = follower.offset();
        }
    }

    /// Returns the signs of life so far; nothing before the first output.
    pub(in crate::supervisor) fn signs_of_life(&self) -> Option<Life> {
        let reading = self.reader.reading();
        let may_compile = match &reading.stage {
            Some(Stage::Compiling(_)) => true,
            Some(Stage::Closing(_)) => false,
            Some(Stage::Starting(_) | Stage::Loading(_) | Stage::CreatingScene(_) | Stage::Running)
            | None => !self.reader.has_counted() && reading.part.is_none(),
        };
        Some(Life {
            last_output: self.last_output?,
            last_progress: self.last_progress,
            may_compile,
            renderer: reading.renderer,
        })
    }

    /// Its program waits for an answer.
    pub(in crate::supervisor) fn is_asking(&self) -> bool {
        self.reader.asks()
    }

    /// Returns everything that was read from the log so far.
    pub(in crate::supervisor) fn reading(&self) -> LogSummary {
        LogSummary { steps: self.steps, ..self.reader.reading().clone() }
    }

    /// Writes what is known before the first line: what earlier attempts had done.
    pub(in crate::supervisor) fn write_begin(&mut self) -> Result<(), RunDirError> {
        self.write_marks(&MarkDigest::new(1))
    }

    /// Reads on for a while and writes the marks.
    pub(in crate::supervisor) fn read_some(&mut self) -> Result<LogUpdate, RunDirError> {
        let mut found = MarkDigest::new(1);
        let update = self.read_update(&mut found)?;
        self.write_marks(&found)?;
        Ok(update)
    }

    /// Writes the marks of a line that has not ended yet.
    pub(in crate::supervisor) fn write_unfinished(&mut self) -> Result<(), RunDirError> {
        let mut found = MarkDigest::new(1);
        let mut read = Vec::new();
        self.reader.glance(&mut read);
        found.take(clock::now(), read);
        self.write_marks(&found)
    }

    /// Looks at the progress file; true when it was written since the last look.
    pub(in crate::supervisor) fn look_at_file(&mut self) -> Result<bool, RunDirError> {
        let Some(ProgressUpdate::Reported(progress)) = self.file.as_mut().map(ProgressFile::read_newest)
        else {
            return Ok(false);
        };
        let mut found = MarkDigest::new(1);
        let mut told = Vec::new();
        self.reader.tell(progress, &mut told);
        let now = clock::now();
        self.last_output = Some(now);
        found.take(now, told);
        self.write_marks(&found)?;
        Ok(true)
    }

    /// Reads the rest and writes the last marks. Marks that the disk refuses cost no evidence: the log is read to its
    /// end all the same. A log that cannot be read now, because the machine lacks something, is to be finished later.
    pub(in crate::supervisor) fn finish(&mut self) -> Rest {
        let mut written = Ok(());
        loop {
            let mut found = MarkDigest::new(1);
            let read = match self.read_update(&mut found) {
                Err(error) if shortage::find_shortage(&error).is_some() => {
                    let _ = self.write_marks(&found);
                    return Rest::Later(error);
                }
                read => read,
            };
            let more = read.as_ref().is_ok_and(|update| update.more);
            if !more {
                let mut last = Vec::new();
                match self.file.as_mut().map(ProgressFile::read_newest) {
                    Some(ProgressUpdate::Reported(progress)) => self.reader.tell(progress, &mut last),
                    Some(ProgressUpdate::Gone) => self.reader.file_is_gone(),
                    Some(ProgressUpdate::Same) | None => {}
                }
                self.reader.finish(&mut last);
                found.take(clock::now(), last);
            }
            written = written.and(self.write_marks(&found)).and(read.map(drop));
            if !more {
                break;
            }
        }
        Rest::Read(written.and_then(|()| self.marks.as_mut().map_or(Ok(()), MarkWriter::take_name)))
    }

    fn read_update(&mut self, found: &mut MarkDigest) -> Result<LogUpdate, RunDirError> {
        let failed = RunDirError::io("read", &self.path);
        let mut update = LogUpdate::default();
        let mut length_read = 0;
        let mut buffer = [0; 64 << 10];
        let mut read = Vec::new();
        let mut read_all = || -> std::io::Result<()> {
            let follower = match &mut self.follower {
                Some(follower) => follower,
                None => self.follower.insert(Follower::open_at(&self.path, self.offset)?),
            };
            while length_read < READ_AT_ONCE {
                let length = follower.read_more(&mut buffer)?;
                if length == 0 {
                    return Ok(());
                }
                self.reader.feed(&buffer[..length], &mut read);
                found.take(clock::now(), read.drain(..));
                update.some = true;
                length_read += length;
            }
            update.more = true;
            Ok(())
        };
        let ended = read_all();
        self.reader.mark_metrics(&mut read);
        found.take(clock::now(), read);
        if update.some {
            self.last_output = Some(self.written_at());
            self.caught_up |= !update.more;
        }
        match ended {
            // An attempt that could not be launched has no log.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(LogUpdate::default()),
            Err(error) => Err(failed(error)),
            Ok(()) => Ok(update),
        }
    }

    /// When what was read just now was written: an adopted log may have been silent for long.
    fn written_at(&self) -> Timestamp {
        let now = clock::now();
        let follower = self.follower.as_ref().filter(|_| !self.caught_up);
        let modified = follower.and_then(|follower| follower.modified().ok()?.try_into().ok());
        modified.map_or(now, clock::of_file)
    }

    /// Writes the rest of a update. A reader that looks in the meantime finds either the old file or the new one whole.
    fn write_marks(&mut self, found: &MarkDigest) -> Result<(), RunDirError> {
        let now = clock::now();
        let begin = self.begin.drain(..).map(|(offset, kind)| Mark { at: now, offset, kind });
        let mut marks: Vec<Mark> = begin.chain(found.marks()).collect();
        // Viewers know no presets.
        let unit = self.reader.reading().unit;
        if found.has_progress() && unit != self.unit {
            self.unit = unit;
            marks.push(Mark { at: now, offset: 0, kind: MarkKind::Unit { name: unit.to_owned() } });
        }
        if self.marks.is_none() && marks.is_empty() {
            return Ok(());
        }
        if found.has_progress() {
            self.last_progress = Some(clock::now());
        }
        for mark in &marks {
            if let MarkKind::Progress(progress) = &mark.kind {
                let since =
                    self.steps.newest_at().map_or(Duration::ZERO, |newest| duration_between(newest, mark.at));
                self.steps.add_count(mark.at, *progress, since);
            }
            self.digest.take_mark(mark.clone());
        }
        let writer = match &mut self.marks {
            Some(writer) => writer,
            None if self.adopted => self.marks.insert(MarkWriter::create_replacement(&self.marks_path)?),
            None => self.marks.insert(MarkWriter::create(&self.marks_path)?),
        };
        writer.append_marks(&marks)?;
        // The old marks stay in place until the new ones have caught up with them.
        writer.take_name()?;
        if writer.bytes_written() > LONGEST_MARKS {
            let mut short = MarkWriter::create_replacement(&self.marks_path)?;
            short.append_marks(&self.digest.marks())?;
            short.take_name()?;
            self.marks = Some(short);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::model::logs::mark::MarkKind;
    use crate::rundir::marks::MarkReader;

    #[test]
    fn a_log_is_read_to_its_end_also_where_its_marks_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let dir = AttemptDir::at(folder.path());
        dir.marks_path().create_dir_all().unwrap();
        fs::write(dir.output_log().full_path(), "Episode 1/5\nEpisode 4/5\nEpisode 5/5").unwrap();
        let rules = Arc::new(LogRules::preset("auto").unwrap());
        let mut log = LogOfAttempt::new(&dir, &rules, Resume::Never, false);
        assert!(matches!(log.finish(), Rest::Read(Err(_))));
        assert_eq!(log.reading().progress.map(|progress| progress.done), Some(5));
    }

    #[test]
    fn marks_of_a_log_that_never_ends_stay_short_and_true() {
        let folder = tempfile::tempdir().unwrap();
        let dir = AttemptDir::at(folder.path());
        let rules = Arc::new(LogRules::preset("auto").unwrap());
        let mut log = LogOfAttempt::new(&dir, &rules, Resume::Never, false);
        let mut output = dir.output_log().create().unwrap();
        let mut reader = MarkReader::new(&dir.marks_path());
        let mut known = MarkDigest::new(MOST_POINTS);
        let (mut restarts, mut longest) = (0, 0);
        for episode in 1..=30_000_u32 {
            writeln!(output, "Episode {episode}/30000 reward={episode} success={}", episode % 2).unwrap();
            log.read_some().unwrap();
            longest = longest.max(dir.marks_path().metadata().unwrap().len());
            if episode % 1000 == 0 {
                let new = reader.read_new().unwrap();
                if new.restarted {
                    restarts += 1;
                    known = MarkDigest::new(MOST_POINTS);
                }
                new.marks.into_iter().for_each(|mark| known.take_mark(mark));
            }
        }
        assert!(restarts > 1 && longest < LONGEST_MARKS + 10_000, "{restarts} restarts, {longest} bytes");
        let told = |mark: &MarkKind| known.marks().iter().any(|known| known.kind == *mark);
        assert!(told(&MarkKind::Progress(log.reading().progress.unwrap())));
        for (name, value) in &log.reading().metrics {
            assert!(told(&MarkKind::Metric { name: name.clone().into(), value: Some(*value) }), "{name}");
        }
    }
}
