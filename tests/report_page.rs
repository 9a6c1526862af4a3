//! The page of a report: it stands alone, text in it stays text, and it says what it cannot show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod long_run;
mod scene;

use std::fs;

use evaldeck::model::plan::Plan;
use evaldeck::results::merge::merging::Gaps;
use evaldeck::rundir::layout::RunDir;
use evaldeck::rundir::{discover, journal, records};
use evaldeck::supervisor::results_files;

fn page(run: &RunDir) -> String {
    let plan: Plan = records::read(&run.plan_json()).unwrap();
    let state = journal::fold(&run.journal()).unwrap();
    results_files::write(run, &discover::info(run).unwrap(), &plan, &state, Gaps::Refused).unwrap();
    fs::read_to_string(run.results().join("report.html")).unwrap()
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
        "What failed",
        "Success by combo",
        "Differences",
        "Timeline",
        "VRAM",
        "Machine",
        "Progress",
        "Shards",
    ] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    for (what, count) in
        [("class=\"bar ok\"", 37), ("class=\"bar bad\"", 3), ("class=\"stack ", 40), ("class=\"curve ", 40)]
    {
        assert_eq!(page.matches(what).count(), count, "{what}");
    }
    for unit in ["VRAM, GiB", "GPU power, W", "GPU temperature, °C", "CPU, % of all cores", "cap 700 W"] {
        assert!(page.contains(unit), "{unit}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>00"), "a text has become markup");
    assert!(!page.contains(['\x1b', '\u{202e}']), "a text commands or turns");
    assert!(page.contains("&lt;script&gt;alert(&quot;x&quot;)"), "it is shown all the same");
    assert!(page.contains("href=\"../logs/%3Cb%3E000_p0.log\""));
}

#[test]
fn it_loads_nothing_and_needs_no_script() {
    let folder = tempfile::tempdir().unwrap();
    let page = page(&scene::busy(folder.path()).run);
    assert_is_whole(&page);
    for outside in
        ["http:", "https:", "url(", "@import", " src=", "<link", "<script", "javascript:", " onload"]
    {
        assert!(!page.contains(outside), "{outside}");
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
