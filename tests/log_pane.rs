//! The log pane over real files: following, scrolling, searching, filtering, jumping, copying, however long the log is.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::{Color, Modifier};
use sweepdeck::model::outcome::Proof;
use sweepdeck::model::state::phase::Phase;
use sweepdeck::tui::message::{LogFound, LogPiece, Message, Request};
use sweepdeck::tui::model::logs::log::LogChange;
use sweepdeck::tui::model::logs::log_line::LogLine;
use sweepdeck::tui::model::screen::{Model, Pane, ScreenAccess};
use sweepdeck::tui::once;
use sweepdeck::tui::sources::run_reader::RunReader;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;
use tempfile::TempDir;

/// A screen whose wishes about the log are fulfilled as the program fulfils them.
struct Screen {
    model: Model,
    reader: RunReader,
    log: PathBuf,
    /// What nobody fulfilled.
    rest: Vec<Request>,
    _folder: TempDir,
}

impl Screen {
    /// The log of the first shard, which is over, with these bytes.
    fn with_log(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scene = scene::busy(folder.path());
        let mut model = once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).unwrap();
        model.access = ScreenAccess::Acting;
        model.table.select_shard(0);
        update(&mut model, Message::Resized(120, 40));
        let log = scene.run.attempt_dir(model.log.key.as_ref().unwrap()).output_log().full_path().to_owned();
        fs::write(&log, bytes).unwrap();
        let reader = RunReader::new(&scene.run);
        let mut screen = Self { model, reader, log, rest: Vec::new(), _folder: folder };
        screen.look();
        screen.type_keys("\tz");
        assert_eq!(screen.model.focus, Pane::Log);
        screen
    }

    fn look(&mut self) {
        let news = self.reader.read_log(&self.model);
        news.into_iter().for_each(|message| self.hear(message));
    }

    fn append(&mut self, text: &str) {
        OpenOptions::new().append(true).open(&self.log).unwrap().write_all(text.as_bytes()).unwrap();
        self.look();
    }

    fn hear(&mut self, message: Message) {
        for request in update(&mut self.model, message) {
            let answer = match request {
                Request::ReadLog(piece) => self.reader.piece_of_log(piece),
                Request::FindInLog { from, up, search } => self.reader.find_in_log(from, up, &search),
                other => {
                    self.rest.push(other);
                    None
                }
            };
            answer.into_iter().for_each(|message| self.hear(message));
        }
    }

    fn type_keys(&mut self, keys: &str) {
        for c in keys.chars() {
            let code = match c {
                '\n' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                '\x1b' => KeyCode::Esc,
                c => KeyCode::Char(c),
            };
            self.hear(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
    }

    fn draw(&self, depth: Depth) -> Buffer {
        once::draw_model(&self.model, &store::load_or_default(None, depth, false).0)
    }

    /// The rows inside the frame of the log.
    fn rows(&self) -> Vec<String> {
        let text = once::buffer_to_text(&self.draw(Depth::None));
        let inside = text.lines().filter_map(|line| line.strip_prefix("│ ")?.strip_suffix('│'));
        inside.map(|line| line.trim_end().to_owned()).collect()
    }

    fn title(&self) -> String {
        let text = once::buffer_to_text(&self.draw(Depth::None));
        text.lines().find(|line| line.starts_with('╭')).unwrap().to_owned()
    }

    /// The row that was jumped to.
    fn target(&self) -> &str {
        let number = self.model.log.number_at(self.model.log.target.unwrap()).unwrap();
        &self.model.log.line(number).unwrap().text
    }
}

fn numbered(lines: std::ops::Range<usize>) -> String {
    lines.map(|number| format!("line {number}\n")).collect()
}

#[test]
fn following_stops_when_scrolled_up_and_says_how_many_lines_came() {
    let mut screen = Screen::with_log(numbered(0..100).as_bytes());
    assert_eq!(screen.rows().last().unwrap(), "line 99");
    screen.type_keys("kkk");
    let before = screen.rows();
    assert_eq!(before.last().unwrap(), "line 96");
    screen.append("new\nnewer\n");
    assert_eq!(screen.rows(), before, "what is read stays where it is");
    assert!(screen.title().contains("↓ 2 new, F follows"), "{}", screen.title());
    screen.type_keys("F");
    assert_eq!(screen.rows().last().unwrap(), "newer");
    screen.append("newest\n");
    assert_eq!(screen.rows().last().unwrap(), "newest");
    screen.type_keys("kkkjjj");
    assert!(screen.model.log.is_following(), "the last line down follows again");
    screen.type_keys("g");
    assert_eq!(screen.rows()[0], "line 0");
    screen.type_keys("kkk\x1b");
    assert!(screen.model.log.is_following() || !screen.model.zoomed);
}

#[test]
fn a_bar_without_end_is_one_line_that_changes() {
    let mut screen = Screen::with_log(b"start\n 10%|#  |\r 20%|## |");
    assert_eq!(screen.rows()[..2], ["start", " 20%|## |"]);
    screen.append("\r 30%|###|");
    assert_eq!(screen.rows()[..2], ["start", " 30%|###|"]);
    screen.append("\ndone\n");
    assert_eq!(screen.rows()[..3], ["start", " 30%|###|", "done"]);
}

#[test]
fn a_search_goes_down_with_n_and_up_with_shift_through_the_whole_file() {
    let mut text = numbered(0..60_000);
    text.insert_str(0, "the first needle\n");
    text += "Needle at the end\n";
    let mut screen = Screen::with_log(text.as_bytes());
    screen.type_keys("/needle\n");
    assert_eq!(screen.target(), "Needle at the end");
    screen.type_keys("N");
    assert_eq!(screen.target(), "the first needle", "it lies far before the lines that were read");
    assert!(screen.rows().contains(&"line 3".to_owned()));
    screen.type_keys("N");
    assert!(screen.model.notice.as_ref().unwrap().text.contains("no further match"));
    screen.type_keys("n");
    assert_eq!(screen.target(), "Needle at the end");
    screen.type_keys("G/Line 5999\n");
    assert!(screen.model.notice.as_ref().unwrap().bad, "a capital that was typed matters");
    screen.type_keys("/x\x1b");
    assert_eq!(screen.model.log.wishes.search.text(), "Line 5999", "Esc brings back what was there");
}

#[test]
fn matches_are_counted_and_behind_the_last_comes_the_first() {
    let mut screen = Screen::with_log(numbered(0..400).as_bytes());
    screen.type_keys("/line 39\n");
    assert!(screen.title().contains("/line 39 11/11"), "{}", screen.title());
    screen.type_keys("n");
    assert_eq!(screen.target(), "line 39");
    assert!(screen.title().contains("/line 39 1/11"), "{}", screen.title());
    screen.type_keys("n");
    assert!(screen.title().contains("/line 39 2/11"), "{}", screen.title());
    screen.type_keys("NN");
    assert_eq!(screen.target(), "line 399");
    screen.append("line 39\n");
    assert!(screen.title().contains("/line 39 11/12"), "{}", screen.title());
    screen.append(&numbered(0..60_000));
    assert!(screen.title().contains("/line 39 "), "{}", screen.title());
}

#[test]
fn matches_alone_are_shown_when_asked_for() {
    let mut screen = Screen::with_log(numbered(0..1000).as_bytes());
    screen.type_keys("/99\n&");
    let rows: Vec<String> = screen.rows().into_iter().filter(|row| !row.is_empty()).collect();
    assert_eq!(rows.first().unwrap(), "line 99");
    assert_eq!(rows.len(), 19, "{rows:?}");
    screen.append("line 1099\nline 1100\n");
    screen.type_keys("G");
    assert!(
        screen.rows().contains(&"line 1099".to_owned()) && !screen.rows().contains(&"line 1100".to_owned())
    );
    screen.type_keys("&");
    assert!(screen.rows().contains(&"line 1100".to_owned()));
}

#[test]
fn the_line_that_proves_the_verdict_is_one_key_away_wherever_it_is() {
    for keys in ["P", "ggP", "z\x1b\x1bP"] {
        let text = numbered(0..80_000);
        let mut screen = Screen::with_log(text.as_bytes());
        let offset = text.find("line 31234").unwrap() as u64;
        let Phase::Succeeded(ended) = &mut screen.model.state.shards[0].phase else { panic!("not over") };
        ended.outcome.proof = Some(Proof { line: 31_235, offset, text: "line 31234".to_owned() });
        screen.type_keys(keys);
        assert_eq!((screen.target(), screen.model.focus), ("line 31234", Pane::Log), "{keys:?}");
        if !screen.model.zoomed {
            screen.type_keys("z");
        }
        assert!(screen.rows().iter().any(|row| row.contains("line 31234")), "{:?}", screen.rows());
        // From there the log can be read on in both directions.
        for _ in 0..400 {
            screen.hear(Message::Key(KeyEvent::new(KeyCode::PageDown, KeyModifiers::NONE)));
        }
        let shown = |screen: &Screen| {
            let row = screen.rows().into_iter().rfind(|row| !row.is_empty()).unwrap();
            row.trim_matches(['│', ' ']).to_owned()
        };
        let wanted = 31_234 + 400 * 10;
        let reached: usize =
            shown(&screen).trim_start_matches("line ").split(' ').next().unwrap().parse().unwrap();
        assert!(reached >= wanted.min(79_999), "{reached}");
        screen.type_keys("G");
        assert!(screen.model.log.is_following());
        assert!(shown(&screen).contains("line 79999"), "{}", shown(&screen));
    }
}

#[test]
fn a_shard_without_a_verdict_has_no_proof_to_jump_to() {
    let mut screen = Screen::with_log(b"nothing\n");
    screen.type_keys("P");
    assert!(screen.model.notice.as_ref().unwrap().text.contains("no line of the log proves"));
}

#[test]
fn the_pane_holds_little_of_a_log_of_long_lines() {
    let line = "x".repeat(5000);
    let mut screen = Screen::with_log(b"begin\n");
    let mut offset = 100;
    for _ in 0..100 {
        let lines: Vec<LogLine> = (0..100)
            .map(|_| {
                offset += 5001;
                LogLine::plain(offset, &line)
            })
            .collect();
        let key = screen.model.log.key.clone().unwrap();
        screen.hear(Message::Log { key, change: LogChange::Grew { lines, open: None } });
    }
    let held: usize = screen.model.log.lines.iter().map(LogLine::weight).sum();
    assert!(held < 9 << 20, "{held} bytes are held");
    assert!(screen.model.log.more_before);
}

#[test]
fn who_scrolled_up_keeps_the_lines_however_much_comes() {
    let mut screen = Screen::with_log(numbered(0..200).as_bytes());
    screen.type_keys("kkkkk");
    let before = screen.rows();
    let chunk = format!("{}\n", "y".repeat(4000)).repeat(100);
    for _ in 0..40 {
        screen.append(&chunk);
    }
    assert_eq!(screen.rows(), before);
    assert!(screen.title().contains("new, F follows"), "{}", screen.title());
    screen.type_keys("G");
    assert!(screen.rows().last().unwrap().starts_with("yyy"));
}

#[test]
fn colours_are_kept_where_there_are_any() {
    let screen = Screen::with_log(b"plain \x1b[1;31mred\x1b[0m \x1b[48;2;1;2;3mground\x1b[0m\n");
    let place = |buffer: &Buffer| {
        let row = (0..buffer.area.height).find(|y| buffer[(2, *y)].symbol() == "p").unwrap();
        (8, row)
    };
    let buffer = screen.draw(Depth::True);
    let red = &buffer[place(&buffer)];
    assert_eq!((red.symbol(), red.fg), ("r", Color::Red));
    assert!(red.modifier.contains(Modifier::BOLD));
    let plain = screen.draw(Depth::None);
    let red = &plain[place(&plain)];
    assert_eq!(red.fg, Color::Reset);
    assert!(red.modifier.contains(Modifier::BOLD), "without colours the rest is left");
}

#[test]
fn long_lines_are_cut_shifted_or_wrapped() {
    let line: String = (0..40).map(|number| format!("word{number:02} ")).collect();
    let mut screen = Screen::with_log(format!("{line}\nnext\n").as_bytes());
    assert!(screen.rows()[0].ends_with('…'));
    screen.type_keys("w");
    let rows = screen.rows();
    assert!(rows[0].starts_with("word00") && rows[1].starts_with("word16") && rows[3] == "next", "{rows:?}");
    screen.type_keys("wl");
    assert!(screen.rows()[0].starts_with(" word03"), "{:?}", screen.rows()[0]);
}

#[test]
fn times_stand_before_lines_that_were_seen_to_come() {
    let mut screen = Screen::with_log(b"begin\nold\n");
    screen.append("new\n");
    screen.type_keys("T");
    assert_eq!(screen.rows()[1..3], ["         old", "14:00:00 new"]);
}

#[test]
fn what_is_seen_is_copied_and_what_is_held_is_saved_where_the_user_says() {
    let mut screen = Screen::with_log(numbered(0..1000).as_bytes());
    screen.type_keys("kyW");
    assert_eq!(screen.rest.len(), 1, "nothing is written unasked: {:?}", screen.rest);
    screen.type_keys("\no");
    let [Request::Copy(copied), Request::Save { path, text }, Request::Page] = &screen.rest[..] else {
        panic!("{:?}", screen.rest)
    };
    assert_eq!(copied.lines().last(), Some("line 998"));
    assert_eq!(copied.lines().count(), screen.rows().len());
    assert_eq!((path.as_str(), text.lines().count()), ("./friction_flat-attempt-1.log", 1000));
}

#[test]
fn late_news_of_another_log_are_dropped() {
    let mut screen = Screen::with_log(b"mine\n");
    let mut key = screen.model.log.key.clone().unwrap();
    key.attempt.0 += 1;
    screen.hear(Message::LogFound { key: key.clone(), found: LogFound::At(0) });
    screen.hear(Message::Log { key, change: LogChange::Trouble("not mine".to_owned()) });
    assert_eq!((screen.rows()[0].as_str(), &screen.model.log.trouble), ("mine", &None));
    assert_ne!(Request::ReadLog(LogPiece::End), Request::Page);
}
