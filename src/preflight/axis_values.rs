//! The values of axes that are outside of the sweep file: files that match, lines, and what a command prints.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::matrix::axis_source::OutsideAxes;
use crate::config::templates::paths::absolute_path;
use crate::model::sweep::axis::{AxisOrigin, FoundAxis};
use crate::model::sweep::expansion::AxisWatch;
use crate::model::value::Value;
use crate::process::signal::send_to_group;
use crate::tail::matching::FilePattern;
use crate::tail::settling::is_settled;

/// A command that lists values and takes longer has hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often is looked whether the command has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Whether commands that the sweep names are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// The user asked for this sweep.
    Run,
    /// The sweep is only listed among others.
    Leave,
}

/// Finds the values of each axis; those of commands that are not run are left out.
pub fn find_values(
    outside: &OutsideAxes,
    sweep_dir: &Path,
    home: Option<&Path>,
    commands: Commands,
) -> Vec<FoundAxis> {
    let find = |(name, origin): &(String, AxisOrigin)| {
        let values = match origin {
            AxisOrigin::Glob(pattern) => {
                let watch = outside.watches.iter().find(|watch| watch.axis == *name);
                list_matches(pattern, sweep_dir, home, (outside.keeps_folder, watch))
            }
            AxisOrigin::Lines(file) => lines_of_file(file, sweep_dir, home),
            AxisOrigin::Command(_) if commands == Commands::Leave => return None,
            AxisOrigin::Command(command) => {
                command_output(command, sweep_dir, PATIENCE).map(|text| parse_values(&text))
            }
        };
        Some(FoundAxis { name: name.clone(), origin: origin.clone(), values })
    };
    outside.axes.iter().filter_map(find).collect()
}

/// Files and folders in the order of people, `ckpt_9` before `ckpt_10`; of a watched axis those that are complete.
fn list_matches(
    pattern: &str,
    sweep_dir: &Path,
    home: Option<&Path>,
    (keeps_folder, watch): (bool, Option<&AxisWatch>),
) -> Result<Vec<Value>, String> {
    let whole = absolute_path(pattern, sweep_dir, home).map_err(|error| error.to_string())?;
    let found = FilePattern::new(pattern, &whole, sweep_dir, keeps_folder).find_matches()?;
    let is_complete = |path: &Path| watch.is_none_or(|watch| is_settled(path, watch.settle));
    Ok(found.into_iter().filter(|(_, path)| is_complete(path)).map(|(name, _)| Value::String(name)).collect())
}

fn lines_of_file(file: &str, sweep_dir: &Path, home: Option<&Path>) -> Result<Vec<Value>, String> {
    let path = absolute_path(file, sweep_dir, home).map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    Ok(parse_values(&text))
}

/// Reads a value from each line, without empty lines and comments. They are numbers where all of them are.
fn parse_values(text: &str) -> Vec<Value> {
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

/// Returns what the command prints, run by `bash` in the folder of the sweep.
fn command_output(command: &str, sweep_dir: &Path, patience: Duration) -> Result<String, String> {
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
    let (out, errors) = (spawn_reader(child.stdout.take()), spawn_reader(child.stderr.take()));
    let status = wait_for_child(&mut child, patience).map_err(cannot)?;
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

fn spawn_reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// The end of the child; `None` where it was ended because it took too long.
fn wait_for_child(
    child: &mut Child,
    patience: Duration,
) -> std::io::Result<Option<std::process::ExitStatus>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbers_where_all_of_them_are() {
        assert_eq!(parse_values("1\n\n# two\n 2 \n"), [Value::Integer(1), Value::Integer(2)]);
        assert_eq!(parse_values("0.5\n1.0"), [Value::Float(0.5), Value::Float(1.0)]);
        assert_eq!(parse_values("007\n1"), [Value::String("007".into()), Value::String("1".into())]);
    }

    #[test]
    fn a_command_that_fails_or_hangs_says_so() {
        let here = Path::new("/");
        assert_eq!(command_output("printf 'a\\nb\\n'", here, PATIENCE).unwrap(), "a\nb\n");
        let failed =
            command_output("echo first >&2; echo no such task >&2; exit 3", here, PATIENCE).unwrap_err();
        assert!(failed.ends_with("failed with exit code 3: no such task"), "{failed}");
        let late = command_output("sleep 600", here, Duration::from_millis(50)).unwrap_err();
        assert!(late.contains("took longer than"), "{late}");
    }
}
