//! The recipes for hooks in the documentation, each as the hook of a run: what arrives at a server, or at `sendmail`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use crate::harness::place::{Ended, Place};
use crate::harness::wait::until;
use crate::tools::require_program;

const PAGE: &str = include_str!("../../docs/scheduling.md");

const SWEEP: &str = r#"
name = "told"
[shard]
id = "grün"
command = """echo '<b> & "x" $(id)'; exit 3"""
"#;

/// A recipe by the first words of its comment.
fn recipe(title: &str) -> &'static str {
    let (_, section) = PAGE.split_once("### Slack, mail").expect("the section");
    let (_, block) = section.split_once("```bash\n").expect("its block");
    let (block, _) = block.split_once("```").expect("its end");
    let found = block.split("# ").find(|recipe| recipe.starts_with(title)).expect("the recipe");
    found.split_once('\n').expect("its lines").1
}

/// A server that answers every request with 200 and keeps it.
fn serve() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("its address"));
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let request = read_request(&stream);
            kept.lock().expect("no panic").push(request);
            let _ = (&stream).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    (address, requests)
}

fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        reader.read_line(&mut request).expect("a line");
    }
    let length =
        request.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("the body");
    request + &String::from_utf8_lossy(&body)
}

/// Plays a run with that hook, and returns its folder when the hook was called for the failure and for the end.
fn run_with(recipe: &str, environment: &[(&str, &str)]) -> Place {
    let place = Place::new();
    // Two hooks may call it at the same time: each mail is added in one piece.
    let script = "#!/bin/sh\n{ echo \"$@\"; cat; } > \"$MAILS.$$\"\ncat \"$MAILS.$$\" >> \"$MAILS\"\n";
    let sendmail = place.write("bin/sendmail", script);
    fs::set_permissions(&sendmail, fs::Permissions::from_mode(0o755)).expect("a program");
    place.write("config/sweepdeck/config.toml", &format!("[hooks]\ncommand = '''\n{recipe}'''\n"));
    place.write("sweep.toml", SWEEP);
    let mut command = place.command(&["run", "sweep.toml", "--headless", "--out", "r"]);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
    command.env("MAILS", place.path().join("mails"));
    command.envs(environment.iter().copied());
    let ended = Ended::of(&mut command);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let log = || place.read("r/hooks.log").unwrap_or_default();
    until("both calls have ended", || log().matches("the hook was called").count() == 2);
    assert_eq!(log().matches("the hook was called: done").count(), 2, "{}", log());
    place
}

#[test]
#[ignore = "needs curl and jq"]
fn the_recipes_for_hooks_bring_title_and_message() {
    require_program("curl", "curl");
    require_program("jq", "jq");
    for (title, variable, wanted) in [
        (
            "ntfy",
            "NTFY_URL",
            ["Title: told: grün failed\r\n", "exit-code: last line: <b> & \"x\" $(id); exit code 3"],
        ),
        ("Slack", "SLACK_URL", ["*told: grün failed*\\nexit-code", "&lt;b&gt; &amp; \\\"x\\\" $(id)"]),
        ("any webhook", "WEBHOOK_URL", ["\"event\":\"first-failure\"", "\"title\":\"told: grün failed\""]),
    ] {
        let (address, requests) = serve();
        run_with(recipe(title), &[(variable, &address)]);
        let requests = requests.lock().expect("no panic");
        assert_eq!(requests.len(), 2, "{title}: {requests:?}");
        let whole = |request: &&String| wanted.iter().all(|words| request.contains(words));
        assert!(requests.iter().any(|request| whole(&request)), "{title}: {requests:?}");
    }
}

#[test]
fn the_recipe_for_a_mail_names_receiver_subject_and_encoding() {
    let place = run_with(recipe("mail, where"), &[]);
    let mails = place.read("mails").expect("mails");
    let wanted = "you@example.org\nTo: you@example.org\nSubject: told: grün failed\n\
                  Content-Type: text/plain; charset=utf-8\n\nexit-code: last line: <b> & \"x\" $(id); exit code 3";
    assert!(mails.contains(wanted), "{mails}");
}
