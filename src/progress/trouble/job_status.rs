//! What a shell or Slurm reports of a program that ended by a signal.

use crate::progress::text::find::find;
use crate::progress::text::last_words::PROGRAMS;
use crate::progress::text::number::leading_u64;
use crate::progress::text::word::is_one_of;

/// What ended a program, as bash and Slurm say it.
const STATUSES: [&str; 14] = [
    "Segmentation fault",
    "Aborted",
    "Killed",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Trace/breakpoint trap",
    "段错误",
    "已杀死",
    "已放弃",
    "Getötet",
    "Speicherzugriffsfehler",
    "Processus arrêté",
    "Erreur de segmentation",
];

/// The same as zsh says it.
const STATUSES_OF_ZSH: [&str; 7] = [
    "segmentation fault",
    "abort",
    "killed",
    "bus error",
    "illegal hardware instruction",
    "floating point exception",
    "trace trap",
];

/// `Segmentation fault` of `run.sh: line 12:  4242 Segmentation fault      python eval.py`, of
/// `[1]+  Segmentation fault      (core dumped) python eval.py`, of `zsh: segmentation fault  python eval.py` and of
/// `srun: error: node1: task 0: Segmentation fault`. A shell says of helpers that its script ends itself that they were
/// `Terminated`.
pub fn job_status(line: &[u8]) -> Option<&[u8]> {
    let status = status_of_shell(line).or_else(|| status_of_slurm(line))?;
    STATUSES.iter().chain(&STATUSES_OF_ZSH).map(|known| known.as_bytes()).find(|known| {
        status.strip_prefix(*known).is_some_and(|rest| rest.first().is_none_or(|byte| b" (".contains(byte)))
    })
}

/// `Killed` of `Loss: 0.31Killed`: the shell says it behind the figures of a line that the program could not end.
pub fn glued_to_line(line: &[u8]) -> Option<&[u8]> {
    let before = line.trim_ascii_end().strip_suffix(b"Killed")?;
    before.last().filter(|byte| byte.is_ascii_digit())?;
    Some(b"Killed")
}

/// `train.sh: line 1:  7349 Terminated    python3 train.py`, or the same without its place: at the end of a log that is
/// the program itself.
pub fn is_terminated(line: &[u8]) -> bool {
    let word = b"Terminated";
    let names_command = |text: &[u8]| {
        let program = text.trim_ascii_start();
        program.contains(&b' ') && program.first().is_some_and(|byte| !byte.is_ascii_digit())
    };
    let is_column =
        || line.strip_prefix(word).is_some_and(|rest| rest.starts_with(b"    ") && names_command(rest));
    status_of_shell(line)
        .and_then(|status| status.strip_prefix(word))
        .is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b' '))
        || is_column()
}

/// `Terminated` of such a line, where it is said of a program of the work and not of one that measures beside it.
pub fn terminated_program(line: &[u8]) -> Option<&[u8]> {
    let status = status_of_shell(line).filter(|_| is_terminated(line))?;
    let mut programs = PROGRAMS.into_iter().chain(["srun"]);
    programs.any(|program| find(status, program.as_bytes()).is_some()).then_some(status)
}

/// Reports whether a shell says this of a program that serves, shows or measures beside the work.
pub fn is_of_helper(line: &[u8]) -> bool {
    const HELPERS: [&str; 10] = [
        "serve", "server", "monitor", "dashboard", "tensorboard", "watch", "nvidia", "ffmpeg", "xvfb",
        "gazebo",
    ];
    let Some(command) = status_of_shell(line) else { return false };
    // What its options are called says nothing.
    let command = &command[..find(command, b" --").unwrap_or(command.len())];
    let mut files =
        command.split(u8::is_ascii_whitespace).filter_map(|path| path.rsplit(|byte| *byte == b'/').next());
    files.any(|file| file.split(|byte| !byte.is_ascii_alphabetic()).any(|word| is_one_of(word, &HELPERS)))
}

/// What stands behind the place of the program: a line of a script, a job of an interactive shell, or zsh itself.
fn status_of_shell(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"zsh: ").or_else(|| status_in_script(line)).or_else(|| status_of_job(line))
}

/// Behind `: line 12:  4242 `, in the languages of the words above.
fn status_in_script(line: &[u8]) -> Option<&[u8]> {
    let place = [": line ", ": 行 ", "：行 ", ": Zeile ", " : ligne "];
    let number = place.into_iter().find_map(|place| behind(line, place.as_bytes()))?;
    let (_, behind) = leading_u64(number)?;
    let pid =
        behind.trim_ascii_start().strip_prefix(b":").or_else(|| behind.strip_prefix("：".as_bytes()))?;
    let (_, behind) = leading_u64(pid.trim_ascii_start())?;
    behind.strip_prefix(b" ").map(<[u8]>::trim_ascii_start)
}

/// Behind `[1]+  ` of bash and behind `[1]  + 4242 ` of zsh.
fn status_of_job(line: &[u8]) -> Option<&[u8]> {
    let (_, behind) = leading_u64(line.strip_prefix(b"[")?)?;
    let behind = behind.strip_prefix(b"]")?.trim_ascii_start();
    let status = behind.strip_prefix(b"+").or_else(|| behind.strip_prefix(b"-")).unwrap_or(behind);
    let status = status.trim_ascii_start();
    Some(leading_u64(status).map_or(status, |(_, behind)| behind.trim_ascii_start()))
}

/// Behind `srun: error: node1: task 0: `.
fn status_of_slurm(line: &[u8]) -> Option<&[u8]> {
    let node = behind(line, b"srun: error: ")?;
    behind(behind(node, b": task")?, b": ")
}

/// Returns what follows the first occurrence of the text.
fn behind<'a>(line: &'a [u8], text: &[u8]) -> Option<&'a [u8]> {
    find(line, text).map(|at| &line[at + text.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shells_report_of_a_job_is_read() {
        for (line, status) in [
            ("run.sh: line 12:  4242 Segmentation fault      python eval.py", "Segmentation fault"),
            ("[1]+  Killed                  nohup python train.py", "Killed"),
            ("[2]-  Segmentation fault      (core dumped) python train.py", "Segmentation fault"),
            ("[1]  + 4242 killed     python train.py", "killed"),
            ("[1]    4242 segmentation fault (core dumped)  python train.py", "segmentation fault"),
            ("zsh: segmentation fault  python3 train.py --render", "segmentation fault"),
            ("zsh: killed     python train.py", "killed"),
            ("zsh: abort      python train.py", "abort"),
            ("srun: error: node1: task 0: Aborted", "Aborted"),
        ] {
            let found = job_status(line.as_bytes()).map(|text| std::str::from_utf8(text).unwrap());
            assert_eq!(found, Some(status), "{line}");
        }
        for line in [
            "[1]+  Done                    nohup python train.py",
            "[1]+  Running                 nohup python train.py &",
            "[1] 4242",
            "[1]    4242 killedness 0.5",
            "zsh: command not found: python",
        ] {
            assert_eq!(job_status(line.as_bytes()), None, "{line}");
        }
    }
}
