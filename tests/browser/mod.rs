//! A real browser without a screen: it opens a page and tells what its console said and what the page asked a network for.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What came of opening a page.
#[derive(Debug)]
pub struct Opened {
    /// The document as the browser holds it in the end.
    pub document: String,
    /// Lines of the console: errors of scripts, and what the page's policy has refused.
    pub console: Vec<String>,
    /// Requests that the page made.
    pub requests: Vec<String>,
}

/// Opens the file in `chromium`, or the browser that `SWEEPDECK_CHROMIUM` names, which reaches no network.
pub fn open(page: &Path) -> Opened {
    let profile = tempfile::tempdir().unwrap();
    let log = profile.path().join("requests.json");
    let browser = std::env::var_os("SWEEPDECK_CHROMIUM").unwrap_or_else(|| "chromium".into());
    let output = Command::new("timeout")
        .arg("60")
        .arg(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom", "--proxy-server=127.0.0.1:1"])
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    let requests = requests(&fs::read_to_string(log).unwrap());
    Opened { document: String::from_utf8_lossy(&output.stdout).into_owned(), console, requests }
}

/// Those that a document began; what the browser asks for itself, such as the time, has no origin. One event a line.
fn requests(log: &str) -> Vec<String> {
    let begun = log.lines().filter(|line| line.contains("\"initiator\":"));
    begun.filter(|line| !line.contains("\"initiator\":\"not an origin\"")).map(str::to_owned).collect()
}
