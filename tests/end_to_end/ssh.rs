//! A lost connection takes the dashboard with it and nothing else.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::harness::place::{PROGRAM, Place, Run};
use crate::harness::processes::{signal, with_command};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

/// A server on the loopback with keys of its own; it ends with the test.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    pub fn start(folder: &Path) -> Self {
        for key in ["host", "id"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.join(key))
                .status()
                .expect("ssh-keygen comes with ssh");
            assert!(made.success());
        }
        fs::copy(folder.join("id.pub"), folder.join("authorized_keys")).expect("a copy");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let config = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {0}/host\nPidFile none\n\
             AuthorizedKeysFile {0}/authorized_keys\nPasswordAuthentication no\nUsePAM no\nStrictModes no\n\
             PermitRootLogin prohibit-password\nPrintMotd no\nPrintLastLog no\n\
             SetEnv XDG_STATE_HOME={0}/state XDG_CONFIG_HOME={0}/config\n",
            folder.display()
        );
        fs::write(folder.join("sshd_config"), config).expect("a file");
        // sshd wants this folder, which the system makes when it starts one itself.
        let _ = fs::create_dir("/run/sshd");
        let child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f"])
            .arg(folder.join("sshd_config"))
            .stderr(Stdio::null())
            .spawn()
            .expect("sshd is installed");
        let server = Self { child, port };
        until("the server listens", || std::net::TcpStream::connect(("127.0.0.1", server.port)).is_ok());
        server
    }

    /// The words that run a line on the server, on a terminal.
    fn line(&self, folder: &Path, line: &str) -> String {
        let folder = folder.display();
        format!(
            "exec ssh -tt -p {} -i {folder}/id -o IdentitiesOnly=yes -o StrictHostKeyChecking=no \
             -o UserKnownHostsFile={folder}/known -o LogLevel=ERROR \"$(id -un)\"@127.0.0.1 '{line}'",
            self.port
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "needs sshd"]
fn a_lost_connection_ends_the_dashboard_and_the_run_never_notices() {
    let place = Place::new();
    let server = Server::start(place.path());
    let runtime = place.path().join("runtime");
    fs::create_dir(&runtime).expect("its own folder");
    place.write(
        "sweep.toml",
        "name = \"far\"\n[matrix]\nn = [1, 2]\n[shard]\n\
         command = \"echo start >> witness-{{ n }}; until [ -e go ]; do sleep 0.05; done\"\n\
         [schedule]\nparallel = 1\n",
    );
    let there = format!(
        "cd {0} && export XDG_STATE_HOME={0}/state XDG_RUNTIME_DIR={1} && exec {PROGRAM}",
        place.path().display(),
        runtime.display()
    );
    let first = Screen::shell(
        &place,
        &server.line(place.path(), &format!("{there} run sweep.toml --out {}/r", place.path().display())),
    );
    first.until("the dashboard runs over the connection", |text| text.contains("running"));
    let run = Run { place: &place, dir: place.path().join("r") };
    run.until_phase("1", "running");
    let pid = run.shard("1")["pid"].clone();
    let dashboards =
        || with_command(&format!("{PROGRAM} run sweep.toml --out {}/r", place.path().display())).len();
    until("the dashboard is a process", || dashboards() > 0);

    signal(first.pid(), Signal::KILL);
    fs::remove_dir_all(&runtime).expect("what the last logout removes");
    until("the old dashboard is gone", || dashboards() == 0);

    let mut second =
        Screen::shell(&place, &server.line(place.path(), &format!("{there} attach {}", run.word())));
    second.until("the run is there again", |text| text.contains("far") && text.contains("running"));
    assert_eq!(run.shard("1")["pid"], pid, "the same process runs");
    second.press("q");
    assert_eq!(second.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(place.read("witness-1").as_deref(), Some("start\n"));
    assert_eq!(place.read("witness-2").as_deref(), Some("start\n"));
}
