//! Values as Python prints them: `{'success': [True, False], 'reward': array(0.5, dtype=float32), 'loss': nan}`.

/// Deeper nesting is cut off: no result is nested so deeply, and a hostile line must not exhaust the stack.
const DEEPEST: usize = 64;

/// A value. Tuples and sets are lists; numbers of numpy and torch are numbers; of another call only its first argument
/// is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum PythonLiteral {
    /// The value `None` of Python.
    Nothing,
    /// The value `True` or `False`.
    Truth(bool),
    /// Any number, such as `1`, `0.5` or `nan`.
    Number(f64),
    /// `'text'`, and every word that means nothing here.
    Text(String),
    /// A list such as `[1, 2]`.
    List(Vec<PythonLiteral>),
    /// `{'a': 1}`, in the order of the text.
    Map(Vec<(PythonLiteral, PythonLiteral)>),
}

/// Result of reading a value at the start of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedLiteral<'a> {
    /// The value, without what was cut off.
    pub literal: PythonLiteral,
    /// Nothing of it is missing.
    pub whole: bool,
    /// Text that follows the value.
    pub rest: &'a [u8],
}

/// Reads the value at the start of the text. Where the text ends too early, or goes on in a way that is not Python's,
/// what was complete before is given.
pub fn read(text: &[u8]) -> Option<ParsedLiteral<'_>> {
    let mut reader = LiteralParser { rest: text, broken: false };
    let literal = reader.value(0)?;
    Some(ParsedLiteral { literal, whole: !reader.broken, rest: reader.rest })
}

impl PythonLiteral {
    /// The value of this key, where it is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(pairs) = self else { return None };
        pairs.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// The number; `True` is 1, as in Python.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Self::Nothing | Self::Text(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Returns the text of a text literal.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Truth(_) | Self::Number(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The values of a list.
    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            Self::Nothing | Self::Truth(_) | Self::Number(_) | Self::Text(_) | Self::Map(_) => None,
        }
    }
}

struct LiteralParser<'a> {
    rest: &'a [u8],
    /// Something is missing or was not understood: nothing more is read.
    broken: bool,
}

impl LiteralParser<'_> {
    /// The next value; none where there is none, or where its end is missing and nothing of it was complete.
    fn value(&mut self, depth: usize) -> Option<PythonLiteral> {
        if depth >= DEEPEST {
            return self.give_up();
        }
        match self.peek()? {
            b'[' => self.list(b']', depth).map(PythonLiteral::List),
            b'(' => self.list(b')', depth).map(PythonLiteral::List),
            b'{' => self.braces(depth),
            b'\'' | b'"' => self.string(false),
            b'<' => self.object(),
            _ => self.word(depth),
        }
    }

    fn list(&mut self, close: u8, depth: usize) -> Option<Vec<PythonLiteral>> {
        self.rest = &self.rest[1..];
        let mut values = Vec::new();
        while self.another(close) {
            match self.value(depth + 1) {
                Some(value) => values.push(value),
                None => self.broken = true,
            }
        }
        Some(values)
    }

    /// A map, or a set.
    fn braces(&mut self, depth: usize) -> Option<PythonLiteral> {
        self.rest = &self.rest[1..];
        let (mut pairs, mut values) = (Vec::new(), Vec::new());
        while self.another(b'}') {
            let Some(first) = self.value(depth + 1) else {
                self.broken = true;
                break;
            };
            if self.peek() != Some(b':') {
                // A key whose value was cut off is no member of a set.
                if !self.broken && self.peek().is_some() {
                    values.push(first);
                }
                continue;
            }
            self.rest = &self.rest[1..];
            match self.value(depth + 1) {
                Some(value) => pairs.push((first, value)),
                None => self.broken = true,
            }
        }
        Some(if values.is_empty() { PythonLiteral::Map(pairs) } else { PythonLiteral::List(values) })
    }

    /// Goes on to the next member; false behind the closing bracket, and where the text breaks off.
    fn another(&mut self, close: u8) -> bool {
        if self.broken {
            return false;
        }
        if self.peek() == Some(b',') {
            self.rest = &self.rest[1..];
        }
        match self.peek() {
            None => {
                self.broken = true;
                false
            }
            Some(byte) if byte == close => {
                self.rest = &self.rest[1..];
                false
            }
            Some(_) => true,
        }
    }

    fn string(&mut self, raw: bool) -> Option<PythonLiteral> {
        let quote = self.rest[0];
        let mut text = Vec::new();
        let mut at = 1;
        loop {
            match *self.rest.get(at)? {
                byte if byte == quote => break,
                b'\\' if !raw => at += escape(&self.rest[at..], &mut text)?,
                byte => {
                    text.push(byte);
                    at += 1;
                }
            }
        }
        self.rest = &self.rest[at + 1..];
        Some(PythonLiteral::Text(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Reads an object such as `<FeatureType.ACTION: 'ACTION'>` as text.
    fn object(&mut self) -> Option<PythonLiteral> {
        let end = memchr::memchr(b'>', self.rest)?;
        let text = String::from_utf8_lossy(&self.rest[..=end]).into_owned();
        self.rest = &self.rest[end + 1..];
        Some(PythonLiteral::Text(text))
    }

    /// A number, a name, a call, or a string with a prefix.
    fn word(&mut self, depth: usize) -> Option<PythonLiteral> {
        let is_of_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
        let length = self.rest.iter().position(|byte| !is_of_word(byte));
        // What touches the end of the text may go on behind it.
        let Some(length) = length else { return self.give_up() };
        let (word, rest) = self.rest.split_at(length);
        if word.is_empty() {
            return self.give_up();
        }
        self.rest = rest;
        match rest[0] {
            b'(' => {
                let arguments = self.list(b')', depth)?;
                Some(arguments.into_iter().next().unwrap_or(PythonLiteral::Nothing))
            }
            b'\'' | b'"' if word.len() <= 2 => {
                self.string(word.iter().any(|byte| matches!(byte, b'r' | b'R')))
            }
            // `dtype=float32`: an argument with a name comes behind the first one and is not kept.
            b'=' => {
                self.rest = &rest[1..];
                self.value(depth + 1)
            }
            _ => meaning(word),
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn give_up<T>(&mut self) -> Option<T> {
        self.broken = true;
        None
    }
}

fn meaning(word: &[u8]) -> Option<PythonLiteral> {
    let text = std::str::from_utf8(word).ok()?;
    Some(match text {
        "None" => PythonLiteral::Nothing,
        "True" | "np.True_" => PythonLiteral::Truth(true),
        "False" | "np.False_" => PythonLiteral::Truth(false),
        _ => match text.parse() {
            Ok(number) => PythonLiteral::Number(number),
            Err(_) => PythonLiteral::Text(text.to_owned()),
        },
    })
}

/// Appends the character that an escape represents, and returns the length of the escape.
fn escape(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let hexadecimal = |digits: usize| {
        let digits = std::str::from_utf8(text.get(2..2 + digits)?).ok()?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    };
    let (character, length) = match *text.get(1)? {
        b'n' => ('\n', 2),
        b't' => ('\t', 2),
        b'r' => ('\r', 2),
        b'x' => (hexadecimal(2)?, 4),
        b'u' => (hexadecimal(4)?, 6),
        b'U' => (hexadecimal(8)?, 10),
        byte @ (b'\\' | b'\'' | b'"') => (char::from(byte), 2),
        // Python leaves an escape that it does not know as it is.
        _ => {
            out.push(b'\\');
            return Some(1);
        }
    };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    fn whole(text: &str) -> PythonLiteral {
        let read = read(text.as_bytes()).unwrap_or_else(|| panic!("nothing read: {text}"));
        assert!(read.whole, "{text}");
        read.literal
    }

    fn cut(text: &str) -> PythonLiteral {
        let read = read(text.as_bytes()).unwrap_or_else(|| panic!("nothing read: {text}"));
        assert!(!read.whole, "{text}");
        read.literal
    }

    fn number(number: f64) -> PythonLiteral {
        PythonLiteral::Number(number)
    }

    fn text(text: &str) -> PythonLiteral {
        PythonLiteral::Text(text.into())
    }

    #[test]
    fn values_are_read_as_python_prints_them() {
        let map =
            whole("{'a': [True, False, None], \"it's\": (1, -2.5e-05), 'empty': {}, 'set': {1, 2}} and more");
        assert_eq!(
            map.get("a").unwrap().list().unwrap(),
            [PythonLiteral::Truth(true), PythonLiteral::Truth(false), PythonLiteral::Nothing]
        );
        assert_eq!(map.get("it's").unwrap().list().unwrap(), [number(1.0), number(-2.5e-5)]);
        assert_eq!(map.get("empty"), Some(&PythonLiteral::Map(vec![])));
        assert_eq!(map.get("set").unwrap().list().unwrap(), [number(1.0), number(2.0)]);
        assert_eq!(read(b"[1], tail").unwrap().rest, b", tail");
        assert_eq!(whole(r"'a\'b\\c\n\x41\u00e9\q' "), text("a'b\\c\nAé\\q"));
        assert_eq!(whole("b'bytes',"), text("bytes"));
        assert_eq!(whole("<FeatureType.ACTION: 'ACTION'>"), text("<FeatureType.ACTION: 'ACTION'>"));
        assert_eq!(read(b"   "), None);
    }

    #[test]
    fn numbers_of_numpy_and_torch_are_numbers() {
        assert_eq!(whole("array(1., dtype=float32)"), number(1.0));
        assert_eq!(whole("np.float32(0.5)"), number(0.5));
        assert_eq!(whole("tensor(0.25, device='cuda:0', dtype=torch.float64)"), number(0.25));
        assert_eq!(whole("array([0.5, 1. ])").list().unwrap(), [number(0.5), number(1.0)]);
        assert_eq!(
            whole("(np.True_, -inf)").list().unwrap(),
            [PythonLiteral::Truth(true), number(f64::NEG_INFINITY)]
        );
        assert!(whole("[nan]").list().unwrap()[0].number().unwrap().is_nan());
        assert_eq!(whole("PosixPath('/a')"), text("/a"));
        assert_eq!(whole("f()"), PythonLiteral::Nothing);
    }

    #[test]
    fn of_a_text_that_is_cut_off_the_complete_part_is_given() {
        let map = cut("{'pc': 12.5, 'n': 4, 'paths': ['a.mp4', 'b.m");
        assert_eq!(map.get("pc"), Some(&number(12.5)));
        assert_eq!(map.get("paths").unwrap().list().unwrap(), [text("a.mp4")]);
        assert_eq!(cut("{'pc': 12.5, 'eval_s': 57.37").get("eval_s"), None, "digits may be missing");
        assert_eq!(cut("{'pc': 12.5, 'eval_s'"), PythonLiteral::Map(vec![(text("pc"), number(12.5))]));
        assert_eq!(cut("[1, 2, ?, 3]").list().unwrap(), [number(1.0), number(2.0)]);
        assert_eq!(read(b"12.5"), None);
        cut(&"[".repeat(100_000));
        cut(&"f(".repeat(100_000));
        cut(&"{'a':".repeat(100_000));
    }

    fn literal() -> impl Strategy<Value = PythonLiteral> {
        let leaf = prop_oneof![
            Just(PythonLiteral::Nothing),
            any::<bool>().prop_map(PythonLiteral::Truth),
            any::<f64>().prop_filter("equal to itself", |n| !n.is_nan()).prop_map(PythonLiteral::Number),
            "[a-zé '\"\\\\\n{\\[,:(]{0,12}".prop_map(PythonLiteral::Text),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(PythonLiteral::List),
                proptest::collection::vec(("[a-z' ]{0,6}".prop_map(PythonLiteral::Text), inner), 0..5)
                    .prop_map(PythonLiteral::Map),
            ]
        })
    }

    fn repr(literal: &PythonLiteral) -> String {
        let join = |parts: Vec<String>| parts.join(", ");
        match literal {
            PythonLiteral::Nothing => "None".into(),
            PythonLiteral::Truth(truth) => if *truth { "True" } else { "False" }.into(),
            PythonLiteral::Number(number) => format!("{number:?}"),
            PythonLiteral::Text(text) => {
                format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
            }
            PythonLiteral::List(values) => format!("[{}]", join(values.iter().map(repr).collect())),
            PythonLiteral::Map(pairs) => {
                let pair =
                    |(key, value): &(PythonLiteral, PythonLiteral)| format!("{}: {}", repr(key), repr(value));
                format!("{{{}}}", join(pairs.iter().map(pair).collect()))
            }
        }
    }

    /// Reports whether everything in `part` is at the same place in `all`.
    fn is_part(part: &PythonLiteral, all: &PythonLiteral) -> bool {
        match (part, all) {
            (PythonLiteral::List(part), PythonLiteral::List(all)) => {
                part.len() <= all.len() && part.iter().zip(all).all(|(a, b)| is_part(a, b))
            }
            (PythonLiteral::Map(part), PythonLiteral::Map(all)) => {
                part.len() <= all.len()
                    && part.iter().zip(all).all(|((k, a), (l, b))| k == l && is_part(a, b))
            }
            _ => part == all,
        }
    }

    proptest! {
        #[test]
        fn what_python_prints_comes_back_and_what_is_cut_off_is_a_part_of_it(literal in literal()) {
            let line = format!("{} ", repr(&literal));
            prop_assert_eq!(whole(&line), literal.clone());
            for end in 0..line.len() - 1 {
                let Some(cut) = read(&line.as_bytes()[..end]) else { continue };
                prop_assert!(is_part(&cut.literal, &literal), "{:?} of {line}", cut.literal);
            }
        }

        #[test]
        fn no_bytes_break_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..300), text in "[\\[\\](){}'\",:<>a1.=\\\\ ]{0,80}") {
            let _ = (read(&bytes), read(text.as_bytes()));
        }
    }
}
