//! The values of axes that are outside of the sweep file: files that match, lines, and what a command prints.

use std::cmp::Ordering;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::axis_source::OutsideAxes;
use crate::config::paths::absolute;
use crate::model::axis::{AxisOrigin, FoundAxis};
use crate::model::value::Value;
use crate::process::signal::send_to_group;

/// A command that lists values and takes longer has hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often is looked whether the command has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Whether commands that the sweep names are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// The user asked for this sweep.
    Run,
    /// It is only listed among others.
    Leave,
}

/// Finds the values of each axis; those of commands that are not run are left out.
pub fn find(
    outside: &OutsideAxes,
    sweep_dir: &Path,
    home: Option<&Path>,
    commands: Commands,
) -> Vec<FoundAxis> {
    let find = |(name, origin): &(String, AxisOrigin)| {
        let values = match origin {
            AxisOrigin::Glob(pattern) => glob(pattern, sweep_dir, home, outside.keeps_folder),
            AxisOrigin::Lines(file) => lines_of_file(file, sweep_dir, home),
            AxisOrigin::Command(_) if commands == Commands::Leave => return None,
            AxisOrigin::Command(command) => output(command, sweep_dir, PATIENCE).map(|text| values(&text)),
        };
        Some(FoundAxis { name: name.clone(), origin: origin.clone(), values })
    };
    outside.axes.iter().filter_map(find).collect()
}

/// Files and folders in the order of people, `ckpt_9` before `ckpt_10`.
fn glob(
    pattern: &str,
    sweep_dir: &Path,
    home: Option<&Path>,
    keeps_folder: bool,
) -> Result<Vec<Value>, String> {
    let whole = absolute(pattern, sweep_dir, home).map_err(|error| error.to_string())?;
    // The folder is no pattern, also where its name has a bracket.
    let folder = glob::Pattern::escape(&sweep_dir.to_string_lossy());
    let is_relative = !pattern.starts_with(['/', '~']);
    let text = if is_relative { format!("{folder}/{pattern}") } else { whole.to_string_lossy().into_owned() };
    let paths = glob::glob(&text).map_err(|error| format!("`{pattern}` is no pattern: {error}"))?;
    let mut found = Vec::new();
    for path in paths {
        let path: PathBuf = path.map_err(|error| format!("`{pattern}`: {error}"))?;
        let shown = path.strip_prefix(sweep_dir).ok().filter(|_| is_relative && keeps_folder);
        let shown = shown.unwrap_or(&path);
        let text = shown.to_str().ok_or_else(|| format!("the name of {} is not UTF-8", path.display()))?;
        found.push(text.to_owned());
    }
    if found.is_empty() {
        return Err(format!("no file matches `{pattern}` in {}", sweep_dir.display()));
    }
    found.sort_by(|a, b| natural(a, b));
    Ok(found.into_iter().map(Value::String).collect())
}

fn lines_of_file(file: &str, sweep_dir: &Path, home: Option<&Path>) -> Result<Vec<Value>, String> {
    let path = absolute(file, sweep_dir, home).map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    Ok(values(&text))
}

/// One value a line, without empty lines and comments. They are numbers where all of them are.
fn values(text: &str) -> Vec<Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    // What would print in another way, such as `007`, is a name and no number.
    let whole = |line: &&str| line.parse().ok().filter(|number: &i64| number.to_string() == **line);
    let real = |line: &&str| line.parse().ok().filter(|number: &f64| number.is_finite());
    if let Some(numbers) = lines.iter().map(whole).collect::<Option<Vec<i64>>>() {
        return numbers.into_iter().map(Value::Integer).collect();
    }
    if let Some(numbers) = lines.iter().map(real).collect::<Option<Vec<f64>>>() {
        let prints_alike = |(line, number): (&&str, &f64)| Value::Float(*number).to_string() == **line;
        if lines.iter().zip(&numbers).all(prints_alike) {
            return numbers.into_iter().map(Value::Float).collect();
        }
    }
    lines.into_iter().map(|line| Value::String(line.to_owned())).collect()
}

/// What the command prints, run by `bash` in the folder of the sweep.
fn output(command: &str, sweep_dir: &Path, patience: Duration) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("`{command}` cannot be started: {error}");
    let mut child = Command::new("bash")
        .args(["-c", command])
        .current_dir(sweep_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(cannot)?;
    let (out, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let status = wait(&mut child, patience).map_err(cannot)?;
    // What it started in the background may keep the pipes open.
    send_to_group(child.id(), rustix::process::Signal::KILL);
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    match status {
        Some(status) if status.success() => {
            String::from_utf8(out).map_err(|_| format!("`{command}` prints what is not UTF-8"))
        }
        Some(status) => {
            let errors = String::from_utf8_lossy(&errors);
            let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no word");
            let code =
                status.code().map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            Err(format!("`{command}` failed with {code}: {}", last.trim()))
        }
        None => Err(format!("`{command}` took longer than {} s", patience.as_secs())),
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// The end of the child; `None` where it was ended because it took too long.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(LOOK);
    }
    send_to_group(child.id(), rustix::process::Signal::KILL);
    child.wait().map(|_| None)
}

/// Runs of digits are compared as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while !left.is_empty() && !right.is_empty() {
        let (l, r) = (digits(left), digits(right));
        let order = if l > 0 && r > 0 {
            let (x, y) = (left[..l].trim_start_matches('0'), right[..r].trim_start_matches('0'));
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            (left, right) = (&left[l..], &right[r..]);
            order
        } else {
            let (x, y) = (left.chars().next(), right.chars().next());
            left = &left[x.map_or(0, char::len_utf8)..];
            right = &right[y.map_or(0, char::len_utf8)..];
            x.cmp(&y)
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_people_count() {
        let mut names = ["c_10.pt", "c_9.pt", "c_9b.pt", "b", "c_009.pt"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["b", "c_009.pt", "c_9.pt", "c_9b.pt", "c_10.pt"]);
    }

    #[test]
    fn lines_are_numbers_where_all_of_them_are() {
        assert_eq!(values("1\n\n# two\n 2 \n"), [Value::Integer(1), Value::Integer(2)]);
        assert_eq!(values("0.5\n1.0"), [Value::Float(0.5), Value::Float(1.0)]);
        assert_eq!(values("007\n1"), [Value::String("007".into()), Value::String("1".into())]);
    }

    #[test]
    fn a_command_that_fails_or_hangs_says_so() {
        let here = Path::new("/");
        assert_eq!(output("printf 'a\\nb\\n'", here, PATIENCE).unwrap(), "a\nb\n");
        let failed = output("echo first >&2; echo no such task >&2; exit 3", here, PATIENCE).unwrap_err();
        assert!(failed.ends_with("failed with exit code 3: no such task"), "{failed}");
        let late = output("sleep 600", here, Duration::from_millis(50)).unwrap_err();
        assert!(late.contains("took longer than"), "{late}");
    }
}
