//! `serve`: the page follows the run, and shows itself to no one without the token; nothing is written, nothing started.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufRead;
use std::path::Path;

use crate::chromium::Chromium;
use crate::harness::place::{Place, Run};
use crate::harness::wait::until;
use crate::http::Served;
use crate::tools;

const TWO: &str = "name = \"page\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"<i>n{{ n }}\"\n\
                   command = \"until [ -e go{{ n }} ]; do sleep 0.05; done; echo Episode 1/1 success=1\"\n\
                   [schedule]\nparallel = 2\n";

fn token(served: &Served) -> &str {
    served.address.split_once("?token=").expect("a token in the address").1
}

fn served(place: &Place) -> (Run<'_>, Served) {
    let run = place.start(TWO);
    until("both run", || run.count("running") == 2);
    let served = Served::start(place, &["serve", run.word()]);
    (run, served)
}

#[test]
fn nothing_is_shown_without_the_token_and_nothing_to_a_page_from_elsewhere() {
    let place = Place::new();
    let (_run, served) = served(&place);
    let bearer = format!("Bearer {}", token(&served));
    assert_eq!(token(&served).len(), 32);
    assert_eq!(served.get("/").code, 401);
    assert_eq!(served.get("/?token=0123").code, 401);
    assert_eq!(served.get("/events").code, 401);
    let moved = served.get(&format!("/?token={}", token(&served)));
    assert_eq!(moved.code, 303);
    assert!(
        moved.head.contains("\nlocation: /\r\n") && moved.head.contains("httponly; samesite=strict"),
        "{}",
        moved.head
    );
    let with = |more: &[(&str, &str)]| {
        let all: Vec<_> = [("Authorization", bearer.as_str())].iter().chain(more).copied().collect();
        served.ask("GET", "/", &all)
    };
    let page = with(&[]);
    assert_eq!(page.code, 200);
    assert!(
        page.head.contains("default-src 'none'") && !page.head.contains("unsafe-inline"),
        "{}",
        page.head
    );
    assert!(page.body.contains("&lt;i&gt;n1") && !page.body.contains("<i>n1"), "{}", page.body);
    assert_eq!(with(&[("Host", "evil.example")]).code, 421);
    assert_eq!(with(&[("Origin", "https://evil.example")]).code, 403);
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(served.ask(method, "/", &[("Authorization", &bearer), ("Content-Length", "0")]).code, 405);
    }
    for path in ["/report.html", "/journal.jsonl", "/../journal.jsonl", "//evil.example/"] {
        assert_eq!(served.ask("GET", path, &[("Authorization", &bearer)]).code, 404, "{path}");
    }
}

/// Every file below a folder with its content, telemetry and logs of the supervisor apart.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => _ = all.insert(path.display().to_string(), fs::read(&path).unwrap_or_default()),
        }
    }
    all
}

#[test]
fn events_come_as_the_run_goes_on_and_a_run_that_is_over_is_left_as_it_is() {
    let place = Place::new();
    let (run, served) = served(&place);
    let cookie =
        format!("sweepdeck_{}={}", served.host().rsplit(':').next().expect("a port"), token(&served));
    let mut lines = served.stream("/events", &[("Cookie", &cookie)]).lines();
    let mut next_id = || {
        let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("id: ")));
        line.expect("an event").expect("a line")
    };
    let first = next_id();
    place.write("go1", "");
    place.write("go2", "");
    assert_ne!(next_id(), first);
    assert_eq!(run.wait(), Some(0));
    until("its supervisor has gone", || run.supervisor().is_none());
    let before = files(&run.dir);
    let page = || served.ask("GET", "/", &[("Cookie", &cookie)]).body;
    until("the end is shown", || page().contains("badge finished"));
    assert!(files(&run.dir) == before, "a reader has written");
    assert!(run.supervisor().is_none(), "a reader has started a supervisor");
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_follows_the_run_without_a_word_on_its_console() {
    let browser = std::env::var("SWEEPDECK_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
    tools::require_program(&browser, "chromium, or name another browser by SWEEPDECK_CHROMIUM");
    let place = Place::new();
    let (run, served) = served(&place);
    let mut browser = Chromium::open();
    browser.navigate(&served.address);
    let badge = "document.querySelector('.badge')?.textContent";
    until("the page is shown", || browser.value(badge) == "running");
    until("it follows", || browser.value("document.body.dataset.version ?? ''") != "");
    assert_eq!(
        browser.value("location.href.includes('token') || document.cookie.includes('sweepdeck')"),
        false
    );
    browser.value("{ const words = document.querySelector('label.filter input'); words.value = 'n2'; words.dispatchEvent(new Event('input')); }");
    place.write("go1", "");
    place.write("go2", "");
    assert_eq!(run.wait(), Some(0));
    until("the end is shown without a reload", || browser.value(badge) == "finished");
    assert_eq!(
        browser.value("document.querySelector('label.filter input').value"),
        "n2",
        "what was typed stays"
    );
    assert_eq!(browser.value("document.querySelectorAll('main a[href]:not([href^=\"#\"])').length"), 0);
    assert_eq!(browser.console, [] as [String; 0]);
}
