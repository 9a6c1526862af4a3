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
    open_for(page, &[])
}

/// What axe-core, the file that `SWEEPDECK_AXE` names, finds wrong with a page in light and dark, a line each: rule, place, what
/// to do.
pub fn violations(page: &str, folder: &Path) -> Vec<String> {
    let axe = std::env::var_os("SWEEPDECK_AXE").expect("SWEEPDECK_AXE names axe.min.js of axe-core");
    let axe = fs::read_to_string(axe).unwrap();
    // The page lets no script but its own run.
    let policy = regex::Regex::new("<meta http-equiv=\"Content-Security-Policy\"[^>]*>").unwrap();
    let run = "axe.run().then((found) => { const lines = found.violations.flatMap((rule) => \
               rule.nodes.map((node) => rule.id + ': ' + node.target + ': ' + node.failureSummary.replaceAll('\\n', ' '))); \
               const pre = document.createElement('pre'); pre.id = 'violations'; \
               pre.textContent = lines.join('\\n'); document.body.append(pre); });";
    let scripts = format!("<script>{axe}</script><script>{run}</script></body>");
    let checked = policy.replace(page, "").replace("</body>", &scripts);
    let file = folder.join("checked.html");
    fs::write(&file, checked).unwrap();
    let mut lines = Vec::new();
    for scheme in ["--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"] {
        let document = open_for(&file, &["--virtual-time-budget=60000", scheme]).document;
        let found = document.rsplit_once("<pre id=\"violations\">").expect("axe has run").1;
        let found = found.split("</pre>").next().unwrap_or_default();
        lines.extend(found.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    lines
}

fn open_for(page: &Path, more: &[&str]) -> Opened {
    let profile = tempfile::tempdir().unwrap();
    let log = profile.path().join("requests.json");
    let browser = std::env::var_os("SWEEPDECK_CHROMIUM").unwrap_or_else(|| "chromium".into());
    let output = Command::new("timeout")
        .arg("60")
        .arg(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom", "--proxy-server=127.0.0.1:1"])
        .args(more)
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
