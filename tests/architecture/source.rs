//! Reads source files as the architecture tests see them: without comments and texts, and cut into paths.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// One file below `src`.
pub struct Source {
    /// As in messages: `src/scheduler/decide.rs`.
    pub name: String,
    /// Its module: `["scheduler", "decide"]`; empty for the roots of the crates.
    pub module: Vec<String>,
    /// As written.
    pub text: String,
    /// Comments, strings and characters replaced by blanks, lines kept.
    pub code: String,
    /// `code` with everything under `#[cfg(test)]` blank too.
    pub shipped: String,
    /// Every path in `code`.
    pub mentions: Vec<Mention>,
    /// Where the lines of `code` begin.
    lines: Vec<usize>,
}

/// A path such as `crate::model::ids::ShardId` at a place in a file.
pub struct Mention {
    /// 1-based.
    pub line: usize,
    /// The byte in `Source::code`.
    pub at: usize,
    /// Its names; trees in braces are given as one mention for each leaf.
    pub path: Vec<String>,
}

/// All files below `src`, those apart that are compiled for tests only.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(read_all);
    &SOURCES
}

fn read_all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    files.sort();
    let mut sources: Vec<_> = files.iter().map(|file| Source::read(root, file)).collect();
    let for_tests: BTreeSet<_> = sources.iter().flat_map(Source::test_modules).collect();
    for source in sources.iter_mut().filter(|source| for_tests.contains(&source.module)) {
        source.shipped = blank(&source.shipped, 0..source.shipped.len());
    }
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

impl Source {
    fn read(root: &Path, file: &Path) -> Self {
        let name = file.strip_prefix(root).unwrap().display().to_string();
        Self::new(name, std::fs::read_to_string(file).unwrap())
    }

    /// A file of that name with that text.
    pub fn new(name: String, text: String) -> Self {
        let code = without_words(&text);
        let mut shipped = code.clone();
        for region in test_regions(&code) {
            shipped = blank(&shipped, region);
        }
        let stem = name.strip_prefix("src/").unwrap().strip_suffix(".rs").unwrap();
        let mut module: Vec<_> = stem.split('/').map(str::to_owned).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            module.pop();
        }
        let lines = code.match_indices('\n').map(|(at, _)| at + 1).collect();
        let mut source = Self { name, module, text, code, shipped, mentions: Vec::new(), lines };
        source.mentions = source.find_mentions();
        source
    }

    /// The 1-based line of a byte of `code`.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at) + 1
    }

    /// It stands under `#[cfg(test)]`, here or where the file is declared.
    pub fn is_for_tests(&self, at: usize) -> bool {
        self.shipped.as_bytes()[at] != self.code.as_bytes()[at]
    }

    fn find_mentions(&self) -> Vec<Mention> {
        static HEAD: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|[^:\w])(\w+)\s*::\s*[\w{*]"));
        let mut mentions = Vec::new();
        let mut from = 0;
        while let Some(found) = HEAD.captures_at(&self.code, from) {
            let at = found.get(1).unwrap().start();
            let mut paths = Vec::new();
            let mut rest = Tokens { code: &self.code, at };
            rest.tree(&[], &mut paths);
            from = rest.at.max(found.get(1).unwrap().end());
            let line = self.line(at);
            mentions.extend(paths.into_iter().map(|path| Mention { line, at, path }));
        }
        mentions
    }

    /// Where a path leads in this crate, from its root; `None` for paths into other crates.
    pub fn target(&self, mention: &Mention) -> Option<Vec<String>> {
        let mut here = self.module.clone();
        here.extend(self.inner_modules(mention.at));
        let mut names = mention.path.iter().map(String::as_str).peekable();
        match *names.peek()? {
            "crate" => here.clear(),
            "sweepdeck" if self.name == "src/main.rs" => here.clear(),
            "self" => {}
            "super" => {
                while names.next_if_eq(&"super").is_some() {
                    here.pop();
                }
                here.extend(names.map(str::to_owned));
                return Some(here);
            }
            _ => return None,
        }
        here.extend(names.skip(1).map(str::to_owned));
        Some(here)
    }

    /// The names of the `mod NAME { … }` around a place.
    fn inner_modules(&self, at: usize) -> Vec<String> {
        static OPENING: LazyLock<Regex> = LazyLock::new(|| regex(r"\bmod\s+(\w+)\s*\{"));
        OPENING
            .captures_iter(&self.code)
            .filter(|found| braces(&self.code, found.get(0).unwrap().end() - 1).contains(&at))
            .map(|found| found[1].to_owned())
            .collect()
    }

    /// Modules that this file declares as `#[cfg(test)] mod NAME;`.
    fn test_modules(&self) -> Vec<Vec<String>> {
        let declared = regex(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))?\s+)?mod\s+(\w+)\s*;");
        let name = |found: regex::Captures| [self.module.clone(), vec![found[1].to_owned()]].concat();
        declared.captures_iter(&self.code).map(name).collect()
    }

    /// The name, line and number of lines of every function that is shipped.
    pub fn functions(&self) -> Vec<(String, usize, usize)> {
        let head = regex(r"\bfn\s+(\w+)");
        let mut functions = Vec::new();
        for found in head.captures_iter(&self.shipped) {
            let start = found.get(0).unwrap().start();
            let Some(end) = self.shipped[start..].find(['{', ';']).map(|offset| start + offset) else {
                continue;
            };
            if self.shipped.as_bytes()[end] == b'{' {
                let body = braces(&self.shipped, end);
                let lines = self.line(body.end) - self.line(start) + 1;
                functions.push((found[1].to_owned(), self.line(start), lines));
            }
        }
        functions
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// Reads a path or a tree of paths from its first name on.
struct Tokens<'a> {
    code: &'a str,
    at: usize,
}

impl Tokens<'_> {
    fn tree(&mut self, before: &[String], found: &mut Vec<Vec<String>>) {
        let mut path = before.to_vec();
        loop {
            self.skip_blanks();
            let rest = &self.code[self.at..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if end > 0 {
                path.push(rest[..end].to_owned());
                self.at += end;
            } else if self.eat("*") {
                path.push("*".to_owned());
            } else if self.eat("{") {
                self.branches(&path, found);
                return;
            }
            self.skip_blanks();
            if !self.eat("::") {
                break;
            }
        }
        if path.len() > 1 {
            found.push(path);
        }
    }

    fn branches(&mut self, path: &[String], found: &mut Vec<Vec<String>>) {
        while self.at < self.code.len() && !self.eat("}") {
            let before = self.at;
            self.tree(path, found);
            self.skip_blanks();
            // An alias, `name as other`, changes nothing about where the path leads.
            if let Some(end) = self.code[self.at..].find([',', '}']) {
                self.at += end;
            }
            self.eat(",");
            self.skip_blanks();
            if self.at == before {
                return;
            }
        }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.code[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let eaten = self.code[self.at..].starts_with(token);
        self.at += if eaten { token.len() } else { 0 };
        eaten
    }
}

/// What `#[cfg(test)]` stands before, the attribute included.
fn test_regions(code: &str) -> Vec<Range<usize>> {
    code.match_indices("#[cfg(test)]")
        .map(|(start, _)| match code[start..].find(['{', ';']) {
            Some(end) if code.as_bytes()[start + end] == b'{' => start..braces(code, start + end).end,
            Some(end) => start..start + end,
            None => start..code.len(),
        })
        .collect()
}

/// From the brace at `open` to behind the one that closes it.
fn braces(code: &str, open: usize) -> Range<usize> {
    let mut depth = 0;
    for (offset, byte) in code[open..].bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open..open + offset + 1;
        }
    }
    open..code.len()
}

fn blank(code: &str, range: Range<usize>) -> String {
    let blanks: String = code[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    format!("{}{blanks}{}", &code[..range.start], &code[range.end..])
}

/// Comments, strings and characters become blanks, bytes beyond ASCII too, so that all places stay the same.
fn without_words(text: &str) -> String {
    let word = concat!(
        r#"(?s)//[^\n]*|/\*.*?\*/"#,
        r##"|\bb?r#+".*?"#+|\bb?r"[^"]*"|"(?:\\.|[^"\\])*""##,
        r#"|'(?:\\[^']+|[^'\\])'|'\\''"#
    );
    let word = regex(word);
    let blanks = |found: &regex::Captures| {
        found[0].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>()
    };
    word.replace_all(text, blanks).chars().map(|c| if c.is_ascii() { c } else { '_' }).collect()
}
