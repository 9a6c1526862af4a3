//! A shard whose output, variables and last words command terminals: whoever looks gets text.

use crate::harness::place::{Place, Run};
use crate::harness::screen::Screen;

/// Clipboard, title, cursor, a paste that ends, a cleared screen, an 8-bit sequence, text that hides or turns, wide and
/// stacked characters; and a colour, which is harmless.
const LOG: &str = "\
    clipboard \x1b]52;c;aGFja2Vk\x07 title \x1b]0;owned\x1b\\ paste \x1b[201~ cleared \x1b[2J\n\
    moved \x1b[77;77H eight \u{9b}2J turned \u{202e}txt.exe\u{202c} hidden \u{200b}\u{e0041}\u{feff}\n\
    \x1b[31mred\x1b[0m wide 評価評価評価 stacked e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301} joined 👩\u{200d}🚀 toned 👍🏽\n\
    Traceback (most recent call last):\n  File \"e.py\", line 3, in f\n    f()\n";

const LAST_WORDS: &str = "ValueError: \x1b]0;owned\x07 \u{202e}gnorw \u{9b}2J 評価\n";

const SWEEP: &str = r#"
name = "hostile"
[matrix]
note = ["n\u001b]0;owned\u0007\u202ey\u009b2J"]
[shard]
id = "only"
command = "cat log; until [ -e go ]; do sleep 0.05; done; cat words; exit 1"
"#;

fn running(place: &Place) -> Run<'_> {
    place.write("log", LOG);
    place.write("words", LAST_WORDS);
    let run = place.start(SWEEP);
    run.until_phase("only", "running");
    run
}

/// Characters that no text for people may hold.
fn commands(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn has(bytes: &[u8], wanted: &str) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

/// Nothing of the log commands this terminal.
fn assert_harmless(screen: &Screen) {
    let sent = screen.sent();
    for command in ["\x1b[201~", "\x1b[77;77H", "\u{9b}", "\u{202e}", "\u{200b}", "\u{feff}", "\u{e0041}"] {
        assert!(!has(&sent, command), "{} was sent", command.escape_debug());
    }
    // The dashboard's own title is the one thing that is said to the terminal itself.
    let sent = String::from_utf8_lossy(&sent);
    for said in sent.split("\x1b]").skip(1) {
        let title = said.strip_prefix("2;").and_then(|rest| rest.split_once('\x07')).map(|(title, _)| title);
        let is_ours = |title: &str| title.is_empty() || title.starts_with("sweepdeck hostile ");
        assert!(title.is_some_and(is_ours), "{title:?} was sent");
    }
}

/// Whatever stands in the panes, their frames stand one below the other.
fn assert_aligned(screen: &Screen) {
    let rows: Vec<Vec<String>> = screen.look(|screen| {
        let cell = |row, column| {
            screen.cell(row, column).map_or_else(String::new, |cell| cell.contents().to_owned())
        };
        (0..40).map(|row| [0, 71, 72, 119].map(|column| cell(row, column)).to_vec()).collect()
    });
    let log = rows.iter().rposition(|row| row[0] == "╭").expect("the log has a frame");
    let lines = &rows[log + 1..log + 4];
    assert!(lines.iter().all(|row| row.iter().all(|cell| cell == "│")), "{}", screen.text());
}

#[test]
fn a_hostile_log_reaches_the_dashboard_as_text() {
    let place = Place::new();
    let run = running(&place);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until("the log is shown", |text| text.contains("評価評価評価") && text.contains("txt.exe"));
    assert_aligned(&screen);
    place.write("go", "");
    run.until_phase("only", "failed");
    screen.until("the last words are shown", |text| text.contains("gnorw"));
    assert_aligned(&screen);
    screen.press("\r");
    screen.until("the details are shown", |text| text.contains("variables"));
    assert_harmless(&screen);
    screen.press("\x1b");
    screen.until("the details are gone", |text| !text.contains("variables"));
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_harmless(&screen);
}

#[test]
fn logs_keep_colours_on_a_terminal_and_every_byte_in_a_pipe() {
    let place = Place::new();
    let run = running(&place);
    place.write("go", "");
    run.until_phase("only", "failed");
    let mut screen = Screen::open(&place, &["logs", run.word(), "only"]);
    assert_eq!(screen.code(), 0);
    screen.until_shown("gnorw");
    assert_harmless(&screen);
    assert!(has(&screen.sent(), "\x1b[31mred\x1b[0m"));
    let piped = run.does("logs", &["only"]).stdout;
    assert_eq!(piped, format!("{LOG}{LAST_WORDS}").replace('\n', "\r\n"));
}

#[test]
fn no_verb_and_no_result_holds_more_than_text() {
    let place = Place::new();
    let run = running(&place);
    place.write("go", "");
    assert_eq!(run.wait(), Some(1));
    let attach = |flag| place.sweepdeck(&["attach", run.word(), flag]);
    let log = run.dir.join("logs/only.log");
    let scan =
        |flags: &[&str]| place.sweepdeck(&[&["scan", log.to_str().expect("a plain path")], flags].concat());
    let said = [
        run.sweepdeck("status", &[]),
        run.sweepdeck("status", &["--json"]),
        run.sweepdeck("report", &[]),
        attach("--once"),
        attach("--plain"),
        scan(&[]),
        scan(&["--json"]),
        place.sweepdeck(&["ls"]),
        place.sweepdeck(&["check", "sweep.toml"]),
        place.sweepdeck(&["check", "sweep.toml", "--json"]),
        place.sweepdeck(&["status", "no\u{9b}2J\u{202e}run"]),
    ];
    for ended in &said {
        for text in [&ended.stdout, &ended.stderr] {
            assert!(!text.contains(commands), "{}", text.escape_debug());
        }
    }
    assert!(said[0].stdout.contains("gnorw") && said[5].stdout.contains("gnorw"), "{said:?}");
    let results = std::fs::read_dir(run.dir.join("results")).expect("results were written");
    let mut files: Vec<_> =
        results.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()).collect();
    assert!(files.len() > 1, "{files:?}");
    files.push(run.dir.join("plan.json"));
    for path in files {
        let name = path.display();
        let text = std::fs::read_to_string(&path).expect("results are text");
        assert!(!text.contains(commands), "{name}: {}", text.escape_debug());
    }
}
