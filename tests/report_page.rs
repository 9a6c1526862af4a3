//! The page of a report: it stands alone, text in it stays text, and it says what it cannot show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod browser;
mod long_run;
mod scene;

use std::fs;
use std::process::Command;

use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::results::merge::merging::Gaps;
use sweepdeck::results::report::page as report_page;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::machine_wide::discover;
use sweepdeck::rundir::{proven_state, records};
use sweepdeck::supervisor::results::results_files;

fn page(run: &RunDir) -> String {
    let plan: Plan = records::read_record(&run.plan_json()).unwrap();
    let state = proven_state::fold_journal(run).unwrap();
    results_files::write(run, &discover::read_info(run).unwrap(), &plan, &state, Gaps::Refused).unwrap();
    fs::read_to_string(run.results_folder().join("report.html").full_path()).unwrap()
}

/// Every tag is closed in its turn, so that no text has opened or closed one.
fn assert_is_whole(page: &str) {
    let tag = regex::Regex::new(r"<(/?)([a-zA-Z0-9]+)([^>]*)>").unwrap();
    let mut open = Vec::new();
    for found in tag.captures_iter(page) {
        let name = found[2].to_owned();
        if found[3].ends_with('/') || name == "meta" {
            continue;
        }
        if &found[1] == "/" {
            assert_eq!(open.pop(), Some(name), "at {}", &found[0]);
        } else {
            open.push(name);
        }
    }
    assert_eq!(open, [] as [String; 0]);
}

#[test]
fn it_shows_a_run_on_gpus_and_text_in_it_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let run = long_run::write(folder.path(), long_run::Size { shards: 40, slots: 8, seconds: 600 });
    let page = page(&run);
    assert_is_whole(&page);
    for heading in [
        "What failed", "Success by combo", "By value", "Differences", "Timeline", "VRAM", "Machine",
        "Progress", "Shards",
    ] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    for (what, count) in
        [("class=\"bar ok\"", 37), ("class=\"bar bad\"", 3), ("class=\"stack ", 40), ("class=\"curve ", 40)]
    {
        assert_eq!(page.matches(what).count(), count, "{what}");
    }
    let cause = "<tr><td>3</td><td class=\"text\"><b>exception</b></td>";
    assert_eq!(page.matches(cause).count(), 1, "what several say is told once");
    for unit in ["VRAM, GiB", "GPU power, W", "GPU temperature, °C", "CPU, % of all cores", "cap 700 W"] {
        assert!(page.contains(unit), "{unit}");
    }
    assert!(!without_own_script(&page).contains("<script"), "a text has become markup");
    assert!(!page.contains("<b>00"), "a text has become markup");
    assert!(!page.contains(['\x1b', '\u{202e}']), "a text commands or turns");
    assert!(page.contains("&lt;script&gt;alert(&quot;x&quot;)"), "it is shown all the same");
    assert!(page.contains("href=\"../logs/%3Cb%3E000_p0.log\""));
}

#[test]
fn it_loads_nothing_and_runs_nothing_but_its_own_script() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(&scene::busy(folder.path()).run);
    assert_is_whole(&page);
    let page = without_own_script(&page);
    for outside in
        ["http:", "https:", "url(", "@import", " src=", "<link", "<script", "javascript:", " onload"]
    {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The page without the one script that it brings, which must be there once.
fn without_own_script(page: &str) -> String {
    let script = format!("<script>{}</script>", report_page::SCRIPT);
    assert_eq!(page.matches(&script).count(), 1);
    page.replace(&script, "")
}

#[test]
fn a_browser_is_told_the_hash_of_its_script() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.js");
    fs::write(&file, report_page::SCRIPT).unwrap();
    let said = Command::new("sha256sum").arg(&file).output().unwrap().stdout;
    let hex = String::from_utf8(said[..64].to_vec()).unwrap();
    let byte = |place: usize| u8::from_str_radix(&hex[place..place + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..64).step_by(2).map(byte).collect();
    assert_eq!(report_page::SCRIPT_HASH, format!("sha256-{}", base64(&bytes)));
}

/// Three bytes are four letters; 32 bytes leave two over.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = (0..3).fold(0_u32, |sum, at| sum << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for letter in 0..=group.len() {
            text.push(char::from(LETTERS[(number >> (18 - 6 * letter) & 63) as usize]));
        }
        text.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    text
}

#[test]
fn a_thousand_shards_have_contents_and_lists_by_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let run = long_run::write(folder.path(), long_run::Size { shards: 1000, slots: 8, seconds: 600 });
    let page = page(&run);
    assert_is_whole(&page);
    let contents =
        page.split("<nav aria-label=\"Contents\">").nth(1).unwrap().split("</nav>").next().unwrap();
    let places: Vec<&str> =
        contents.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(places.len() > 6, "{places:?}");
    for place in places {
        assert_eq!(page.matches(&format!("<section id=\"{place}\"")).count(), 1, "{place}");
    }
    assert!(page.contains("<details><summary>succeeded ("), "lists that open without a script");
    assert_eq!(page.matches("<tr id=\"shard-").count(), 1000);
    assert_eq!(page.matches("href=\"#shard-999\"").count().min(1), 1);
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_has_nothing_to_complain_of_and_asks_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let test = folder.path().join("control.html");
    let tags = "<img src=\"http://elsewhere.invalid/x.png\"><script>nothing()</script>";
    fs::write(&test, tags).unwrap();
    let control = browser::open(&test);
    assert!(control.console.iter().any(|line| line.contains("nothing is not defined")), "{control:?}");
    assert!(control.requests.iter().any(|line| line.contains("elsewhere.invalid")), "{control:?}");

    let on_gpus =
        long_run::write(&folder.path().join("gpus"), long_run::Size { shards: 40, slots: 8, seconds: 600 });
    let scenes =
        [scene::busy(&folder.path().join("busy")).run, scene::finished(&folder.path().join("end")).run];
    for run in scenes.into_iter().chain([on_gpus]) {
        let page = page(&run);
        let opened = browser::open(&run.results_folder().join("report.html"));
        assert_eq!(opened.console, [] as [String; 0]);
        assert_eq!(opened.requests, [] as [String; 0]);
        assert!(opened.document.contains("<label class=\"filter\">"), "its own script runs");
        for tag in ["<svg", "<path", "<rect", "<text", "<title", "<a ", "<td"] {
            assert_eq!(opened.document.matches(tag).count(), page.matches(tag).count(), "{tag}");
        }
    }
}

#[test]
#[ignore = "needs chromium and axe-core, which SWEEPDECK_AXE names"]
fn axe_finds_contrast_landmarks_and_names_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let on_gpus =
        long_run::write(&folder.path().join("gpus"), long_run::Size { shards: 40, slots: 8, seconds: 600 });
    for run in [scene::busy(&folder.path().join("busy")).run, on_gpus] {
        let violations = browser::violations(&page(&run), folder.path());
        assert_eq!(violations, [] as [String; 0]);
    }
    let bad = "<!DOCTYPE html><html lang=\"en\"><head><title>x</title></head><body><main><h1>x</h1>\
               <p style=\"color: #ccc; background: #fff\">pale</p></main></body></html>";
    let violations = browser::violations(bad, folder.path());
    assert!(violations.iter().any(|line| line.starts_with("color-contrast")), "{violations:?}");
}

#[test]
fn every_picture_has_axes_with_units() {
    let folder = tempfile::tempdir().unwrap();
    let run = long_run::write(folder.path(), long_run::Size { shards: 40, slots: 8, seconds: 600 });
    let page = page(&run);
    let pictures: Vec<&str> = page.split("<div class=\"picture\"").skip(1).collect();
    assert!(pictures.len() >= 5, "{}", pictures.len());
    for picture in pictures {
        let picture = picture.split("</svg>").next().unwrap();
        let shows = picture.split("aria-label=").nth(1).unwrap().split('>').next().unwrap();
        assert!(picture.matches("class=\"unit\"").count() >= 1, "no unit: {shows}");
        assert!(picture.matches("class=\"label\"").count() >= 3, "no numbers: {shows}");
    }
}

#[test]
fn what_it_cannot_show_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(&scene::finished(folder.path()).run);
    assert_is_whole(&page);
    assert!(
        page.contains("No GPU was measured: no NVIDIA driver: libnvidia-ml.so.1 was not found."),
        "{page}"
    );
    assert!(!page.contains("GPU power") && !page.contains("VRAM, GiB"));
}
