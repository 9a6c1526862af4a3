//! Notifications for a user who is looking elsewhere: a desktop notification where the terminal is known to understand
//! it, else the bell.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::model::notify::NotifyMethod;

/// Whether tmux hands on what is meant for the terminal around it, once it has answered.
static PASSED_THROUGH: OnceLock<bool> = OnceLock::new();

/// The byte that rings the terminal's bell.
const BELL: &[u8] = b"\x07";

/// Returns the bytes that announce a line of text, or none where nothing is to be announced.
pub fn alert_sequence(
    text: &str,
    alarm: NotifyMethod,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<Vec<u8>> {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let notification = format!("\x1b]9;{text}\x07");
    let wanted = match alarm {
        NotifyMethod::Off => return None,
        NotifyMethod::Bell => false,
        NotifyMethod::Osc9 => true,
        // tmux and screen announce a bell themselves, and the terminal around them is unknown.
        NotifyMethod::Auto => !set("TMUX") && !set("STY") && supports_osc9(&variable),
    };
    Some(match (wanted, set("TMUX")) {
        (false, _) => BELL.to_vec(),
        (true, false) => notification.into_bytes(),
        (true, true) if PASSED_THROUGH.get() == Some(&true) => {
            format!("\x1bPtmux;{}\x1b\\", notification.replace('\x1b', "\x1b\x1b")).into_bytes()
        }
        (true, true) => BELL.to_vec(),
    })
}

/// Terminals that show OSC 9 as a notification. Others show it as text, or take it for something else.
fn supports_osc9(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is = |name: &str, known: &[&str]| {
        variable(name).is_some_and(|value| known.iter().any(|known| value.eq_ignore_ascii_case(known)))
    };
    // TERM and LC_TERMINAL come through SSH, TERM_PROGRAM does not.
    is("TERM_PROGRAM", &["iTerm.app", "WezTerm", "ghostty"])
        || is("LC_TERMINAL", &["iTerm2"])
        || is("TERM", &["xterm-kitty", "xterm-ghostty", "wezterm", "foot", "foot-extra"])
}

/// Asks tmux what it hands on, where that will matter. Its server may never answer, so nothing waits for it; until it
/// does, the bell is rung.
pub fn ask_around(alarm: NotifyMethod, variable: impl Fn(&str) -> Option<String>) {
    if alarm == NotifyMethod::Osc9 && variable("TMUX").is_some_and(|value| !value.is_empty()) {
        // Without a thread the bell stays.
        let _ = std::thread::Builder::new().name("tmux".to_owned()).spawn(|| {
            PASSED_THROUGH.get_or_init(tmux_passes_through);
        });
    }
}

/// tmux hands on what is wrapped for the terminal around it only where its user allows that.
fn tmux_passes_through() -> bool {
    let asked = Command::new("tmux")
        .args(["show-options", "-Apqv", "allow-passthrough"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|answer| matches!(String::from_utf8_lossy(&answer.stdout).trim(), "on" | "all"))
}

/// Whether the terminal has a title that may be set. The console of Linux and what is no terminal have none.
pub fn has_title(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("TERM").is_some_and(|term| !matches!(term.as_str(), "" | "dumb" | "linux"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(alarm: NotifyMethod, environment: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        alert_sequence("over", alarm, variable).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_notification_is_sent_where_it_is_understood_and_a_bell_elsewhere() {
        let (osc9, bell) = (Some("\x1b]9;over\x07".to_owned()), Some("\x07".to_owned()));
        assert_eq!(told(NotifyMethod::Auto, &[("TERM", "xterm-256color")]), bell);
        assert_eq!(told(NotifyMethod::Auto, &[("TERM", "xterm-kitty")]), osc9);
        assert_eq!(told(NotifyMethod::Auto, &[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")]), osc9);
        assert_eq!(told(NotifyMethod::Auto, &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x,1,0")]), bell);
        assert_eq!(
            told(NotifyMethod::Auto, &[("TERM", "screen"), ("STY", "1.x"), ("LC_TERMINAL", "iTerm2")]),
            bell
        );
        assert_eq!(told(NotifyMethod::Osc9, &[("TERM", "xterm")]), osc9);
        assert_eq!(told(NotifyMethod::Bell, &[("TERM", "xterm-kitty")]), bell);
        assert_eq!(told(NotifyMethod::Off, &[("TERM", "xterm-kitty")]), None);
    }

    #[test]
    fn terminals_without_a_title_get_none() {
        let term = |term: &'static str| move |name: &str| (name == "TERM").then(|| term.to_owned());
        assert!(has_title(term("xterm-256color")) && has_title(term("tmux-256color")));
        assert!(!has_title(term("linux")) && !has_title(term("dumb")) && !has_title(|_| None));
    }
}
