//! A real browser, asked over its debugging pipe: JSON that ends with a zero byte, through two named pipes.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser with one page.
pub struct Chromium {
    child: Child,
    requests: File,
    answers: BufReader<File>,
    number: u64,
    session: Option<String>,
    /// What its console and the page's policy said.
    pub console: Vec<String>,
    _profile: TempDir,
}

impl Chromium {
    pub fn open() -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let (to, from) = (profile.path().join("to"), profile.path().join("from"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().expect("mkfifo").success());
        let browser = std::env::var_os("SWEEPDECK_CHROMIUM").unwrap_or_else(|| "chromium".into());
        let child = Command::new("bash")
            .args(["-c", "exec \"$0\" \"${@:3}\" 3<\"$1\" 4>\"$2\""])
            .arg(browser)
            .args([&to, &from])
            .args([
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-dev-shm-usage",
            ])
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a browser");
        // Each waits for the other end, in the order of the shell.
        let requests = OpenOptions::new().write(true).open(&to).expect("its input");
        let answers = BufReader::new(File::open(&from).expect("its output"));
        let mut browser = Self {
            child,
            requests,
            answers,
            number: 0,
            session: None,
            console: Vec::new(),
            _profile: profile,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let all = targets["targetInfos"].as_array().expect("targets");
        let page = all.iter().find(|target| target["type"] == "page").expect("a page");
        let wanted = json!({"targetId": page["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", wanted);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime", "Log", "Page"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    pub fn navigate(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        self.call("Runtime.evaluate", asked)["result"]["value"].clone()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.requests.write_all(format!("{message}\0").as_bytes()).expect("a request");
        loop {
            let mut bytes = Vec::new();
            self.answers.read_until(0, &mut bytes).expect("an answer");
            bytes.pop().expect("the browser lives");
            let answer: Value = serde_json::from_slice(&bytes).expect("JSON");
            if matches!(
                answer["method"].as_str(),
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded")
            ) {
                self.console.push(answer["params"].to_string());
            }
            if answer["id"] == self.number {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
