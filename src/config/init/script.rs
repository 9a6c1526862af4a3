//! A bash script with `for` loops as a sweep: loops become axes, what they run becomes the command, and what could not be
//! read is said.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::command_line::bare_command;
use super::draft::{DraftAxis, DraftValues, SweepDraft};
use super::words::{read_assigned, read_words};
use crate::config::templates::quote::is_plain;
use crate::config::templates::variables::TAKEN_NAMES;

/// What a script comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptSweep {
    /// The sweep.
    pub draft: SweepDraft,
    /// What was left out or changed, each with its line.
    pub remarks: Vec<String>,
}

static FOR_WORDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^for\s+(\w+)\s+in\s+(.*?)\s*(?:;\s*do\b\s*(.*))?$").expect("a constant"));
static FOR_COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^for\s*\(\(\s*(\w+)\s*=\s*(-?\d+)\s*;\s*(\w+)\s*(<=?)\s*(-?\d+)\s*;\s*(?:\w+\+\+|\+\+\w+)\s*\)\)\s*(?:;?\s*do\b\s*(.*))?$")
        .expect("a constant")
});
static ASSIGNMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:declare\s+-a\s+|local\s+)?(\w+)=(.*)$").expect("a constant"));

/// First words of lines that a sweep has no need of.
const NEEDLESS: [&str; 9] = ["echo", "printf", "wait", "sleep", "mkdir", "date", "set", "trap", "shopt"];

/// First words of lines that prepare the shell.
const PREPARING: [&str; 7] = ["source", ".", "conda", "module", "export", "ulimit", "micromamba"];

/// Reads a script; the error says why it cannot be a sweep.
pub fn read_script(source: &str) -> Result<ScriptSweep, String> {
    let mut reader = ScriptReader::default();
    for (number, line) in logical_lines(source) {
        reader.read_line(number, &line)?;
    }
    reader.finish()
}

#[derive(Default)]
struct ScriptReader {
    axes: Vec<DraftAxis>,
    known: BTreeMap<String, Vec<String>>,
    draft: SweepDraft,
    /// Lines of the innermost loop.
    body: Vec<String>,
    /// Scalars of the script, as they are written.
    scalars: Vec<(String, String)>,
    depth: usize,
    finished: bool,
    remarks: Vec<String>,
}

impl ScriptReader {
    fn remark(&mut self, number: usize, what: impl AsRef<str>) {
        self.remarks.push(format!("line {number}: {}", what.as_ref()));
    }

    fn read_line(&mut self, number: usize, line: &str) -> Result<(), String> {
        if let Some((name, values, rest)) = self.read_loop(number, line)? {
            if self.finished {
                self.remark(number, "left out: a second loop; write a sweep of its own for it");
                self.depth += 1;
                return Ok(());
            }
            if !self.body.is_empty() {
                return Err(format!("line {number}: a loop follows a command inside of another loop"));
            }
            self.axes.push(DraftAxis { name, values });
            self.depth += 1;
            return if rest.is_empty() { Ok(()) } else { self.read_body(number, &rest) };
        }
        if self.depth == 0 { self.read_outside(number, line) } else { self.read_body(number, line) }
    }

    fn read_loop(&self, number: usize, line: &str) -> Result<Option<(String, DraftValues, String)>, String> {
        if let Some(found) = FOR_COUNT.captures(line) {
            let bound = |at: usize| found[at].parse::<i64>().ok();
            let bounds = bound(2).zip(bound(5).map(|last| if &found[4] == "<" { last - 1 } else { last }));
            let (first, last) = bounds.filter(|(first, last)| first <= last).ok_or("an empty loop")?;
            let rest = found.get(6).map_or("", |rest| rest.as_str());
            return Ok(Some((found[1].to_owned(), DraftValues::Range(first, last), rest.to_owned())));
        }
        let Some(found) = FOR_WORDS.captures(line) else {
            let is_loop = ["for ", "while ", "until "].iter().any(|word| line.starts_with(word));
            return if is_loop {
                Err(format!("line {number}: cannot read the loop `{line}`"))
            } else {
                Ok(None)
            };
        };
        let values = read_words(&found[2], &self.known)
            .map_err(|what| format!("line {number}: cannot read the values of `{}`: {what}", &found[1]))?;
        Ok(Some((found[1].to_owned(), values, found.get(3).map_or("", |rest| rest.as_str()).to_owned())))
    }

    fn read_outside(&mut self, number: usize, line: &str) -> Result<(), String> {
        let first = line.split_whitespace().next().unwrap_or_default();
        if let Some(found) = ASSIGNMENT.captures(line) {
            if let Some(words) = read_assigned(&found[2]) {
                self.known.insert(found[1].to_owned(), words);
            }
            self.scalars.push((found[1].to_owned(), found[2].to_owned()));
        } else if let Some(folder) =
            line.strip_prefix("cd ").filter(|folder| !folder.contains(['$', '&', ';', '`']))
        {
            self.draft.cwd = Some(folder.trim().trim_matches(['"', '\'']).to_owned());
        } else if PREPARING.contains(&first) && !self.finished {
            self.draft.setup.push(line.to_owned());
        } else if !NEEDLESS.contains(&first) {
            let hint = if self.finished {
                "; a line after the last shard may be `reporter` of [results]"
            } else {
                ""
            };
            self.remark(number, format!("left out: `{line}`{hint}"));
        }
        Ok(())
    }

    fn read_body(&mut self, number: usize, line: &str) -> Result<(), String> {
        let line = line.trim().trim_end_matches(';').trim();
        if let Some(before) =
            line.strip_suffix("done").filter(|before| before.is_empty() || before.ends_with([' ', ';']))
        {
            if !before.trim().is_empty() {
                self.read_body(number, before)?;
            }
            self.depth -= 1;
            self.finished |= self.depth == 0;
            return Ok(());
        }
        let line = line.strip_prefix("do ").unwrap_or(line).trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        if line.is_empty() || line == "do" || self.finished {
            return Ok(());
        }
        if NEEDLESS.contains(&first) {
            self.remark(number, format!("left out: `{line}`"));
            return Ok(());
        }
        let bare = bare_command(line);
        for part in bare.dropped {
            self.remark(number, format!("left out {part}"));
        }
        self.body.push(bare.command);
        Ok(())
    }

    fn finish(mut self) -> Result<ScriptSweep, String> {
        if self.axes.is_empty() {
            return Err("no `for` loop was found".to_owned());
        }
        if self.depth > 0 {
            return Err("a loop has no `done`".to_owned());
        }
        let runs = |line: &String| !ASSIGNMENT.is_match(line);
        if !self.body.iter().any(runs) {
            return Err("the loop runs no command".to_owned());
        }
        let mut command = self.body.join("\n");
        if ["{{", "{%", "{##"].iter().any(|mark| command.contains(mark)) {
            return Err(
                "the command has braces that templates would read; write the sweep by hand".to_owned()
            );
        }
        let mut head = String::new();
        for axis in &mut self.axes {
            let shell_name = axis.name.clone();
            if TAKEN_NAMES.contains(&shell_name.as_str()) {
                axis.name = format!("{shell_name}_value");
            }
            command = put_variable(&command, &shell_name, axis, &mut head);
        }
        for (name, value) in &self.scalars {
            if mentions(&command, name) {
                head.insert_str(0, &format!("{name}={value}\n"));
            }
        }
        self.draft.command = format!("{head}{command}");
        self.draft.axes = self.axes;
        Ok(ScriptSweep { draft: self.draft, remarks: self.remarks })
    }
}

/// The command with a variable of the loop as a template, where that is the same; else the shell gets the variable.
fn put_variable(command: &str, name: &str, axis: &DraftAxis, head: &mut String) -> String {
    let is_safe = match &axis.values {
        DraftValues::Words(words) => words.iter().all(|word| !word.is_empty() && is_plain(word)),
        DraftValues::Range(..) => true,
        DraftValues::Glob(_) => false,
    };
    let reference = |text: &str| Regex::new(text).ok();
    let simple =
        reference(&format!(r"\$\{{{name}\}}|\${name}\b")).filter(|_| is_safe && !command.contains('\''));
    let put = match simple {
        Some(simple) => simple.replace_all(command, format!("{{{{ {} }}}}", axis.name)).into_owned(),
        None => command.to_owned(),
    };
    if mentions(&put, name) {
        head.push_str(&format!("{name}={{{{ {} | q }}}}\n", axis.name));
        return command.to_owned();
    }
    put
}

/// Whether a command uses a variable in any way: `$x`, `${x%.pt}`, `$((x + 1))`.
fn mentions(command: &str, name: &str) -> bool {
    let pattern = format!(r"\$\{{?[#!]?{name}\b|\(\([^)]*\b{name}\b");
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(command))
}

/// Lines without comments, those that are continued in one, each with the number of its first; an array over several
/// lines is one.
fn logical_lines(source: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (at, line) in source.lines().enumerate() {
        let text = without_comment(line);
        let (number, mut whole) = open.take().unwrap_or((at + 1, String::new()));
        let is_continued = text.ends_with('\\');
        whole.push_str(if whole.is_empty() { text.trim() } else { text.trim_end() });
        let is_array = whole.contains("=(") && !whole.contains(')');
        if is_continued || is_array {
            let kept = if is_continued { whole[..whole.len() - 1].trim_end() } else { whole.as_str() };
            open = Some((number, format!("{kept} ")));
        } else if !whole.trim().is_empty() {
            lines.push((number, squeeze(&whole)));
        }
    }
    lines.extend(open.map(|(number, whole)| (number, squeeze(&whole))));
    lines
}

/// A line whose parts were indented below one another.
fn squeeze(line: &str) -> String {
    if line.contains(['"', '\'']) {
        return line.trim().to_owned();
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '#' && before.is_whitespace() => return line[..at].trim_end(),
            None => {}
        }
        before = c;
    }
    line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};
    use crate::model::sweep::plan::Plan;

    fn plan(script: &str) -> (Plan, String, Vec<String>) {
        let read = read_script(script).unwrap_or_else(|error| panic!("{error}\n{script}"));
        let text = read.draft.to_toml();
        let origin = PlanOrigin {
            file: "/s/sweep.toml".into(),
            home: Some("/home/me".into()),
            cores: 2,
            ..PlanOrigin::default()
        };
        let plan = read_plan(&text, &origin).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        (plan, text, read.remarks)
    }

    #[test]
    fn nested_loops_become_axes_and_the_command_loses_what_runs_it() {
        let (plan, text, remarks) = plan(
            "#!/bin/bash\n# last night\nsource ~/conda.sh\nconda activate isaac\ncd ~/IsaacLab\n\
             POLICIES=(flat rough) # both\nfor policy in \"${POLICIES[@]}\"; do\n  for seed in {0..2}; do\n\
             echo \"$policy $seed\"\n    screen -dmS eval_${policy}_$seed bash -c \"./isaaclab.sh -p eval.py \\\n\
             --policy ${policy} --seed $seed > logs/${policy}_$seed.log 2>&1\"\n  done\ndone\nwait\npython report.py\n",
        );
        assert_eq!(plan.shards.len(), 6, "{text}");
        assert_eq!(plan.template.setup, ["source ~/conda.sh", "conda activate isaac"]);
        assert_eq!(plan.shards[5].command, "./isaaclab.sh -p eval.py --policy rough --seed 2");
        assert!(text.contains("cwd = \"~/IsaacLab\"") || text.contains("cwd = '~/IsaacLab'"), "{text}");
        for part in [
            "line 10: left out `screen`",
            "logs/${policy}_$seed.log",
            "line 15: left out: `python report.py`",
        ] {
            assert!(remarks.iter().any(|remark| remark.contains(part)), "{part}: {remarks:?}");
        }
    }

    #[test]
    fn counted_loops_variables_and_expansions_keep_their_meaning() {
        let (plan, text, _) = plan(
            "OUT=/tmp/out\nfor ((i=0; i<4; i++)); do\n  CUDA_VISIBLE_DEVICES=$((i % 2)) nohup python eval.py --seed $((i + 1000)) \\\n\
             \x20   --out $OUT/$i &> $OUT/$i.log &\ndone\nwait\n",
        );
        assert_eq!(plan.shards.len(), 4, "{text}");
        assert_eq!(
            plan.shards[3].command,
            "OUT=/tmp/out\ni=3\npython eval.py --seed $((i + 1000)) --out $OUT/$i"
        );
        let (plan, text, _) =
            self::plan("for name in \"two words\" 'x'; do\n  eval.sh \"$name\" | tee a.log\ndone\n");
        assert_eq!(plan.shards[0].command, "name='two words'\neval.sh \"$name\"", "{text}");
        let script = "for out in a b; do python eval.py --model $out; done\n";
        assert_eq!(self::plan(script).0.shards[1].command, "python eval.py --model b");
    }

    #[test]
    fn files_become_a_glob() {
        let read = read_script(
            "for ckpt in ckpts/*.pt\ndo\n  python eval.py --ckpt \"$ckpt\" --name ${ckpt%.pt}\ndone\n",
        );
        let draft = read.expect("a sweep").draft;
        assert_eq!(draft.axes[0].values, DraftValues::Glob("ckpts/*.pt".to_owned()));
        assert_eq!(draft.command, "ckpt={{ ckpt | q }}\npython eval.py --ckpt \"$ckpt\" --name ${ckpt%.pt}");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (script, wanted) in [
            ("python eval.py\n", "no `for` loop"),
            ("for x in $(ls); do python $x; done\n", "line 1: cannot read the values of `x`"),
            ("while read x; do python $x; done < list\n", "line 1: cannot read the loop"),
            ("for x in 1 2; do\n  echo $x\ndone\n", "runs no command"),
            ("for x in 1 2; do\n  python $x\n", "no `done`"),
        ] {
            let error = read_script(script).expect_err("it cannot be read");
            assert!(error.contains(wanted), "{error}");
        }
    }
}
