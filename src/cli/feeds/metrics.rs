//! `metrics`: the numbers of all runs for Prometheus, by scrapes or through a file.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::metrics_args::MetricsArgs;
use super::{address, run_numbers};
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::watch::block_on;
use crate::web::gate::Gate;
use crate::web::reply::Reply;
use crate::web::server::{self, Site};

/// The text format, whichever a scraper prefers.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Shows the numbers where the arguments say.
pub fn run(args: &MetricsArgs) -> Result<CliExit, CliError> {
    match (args.listen, &args.textfile) {
        (Some(_), _) => block_on(answer_scrapes(args)),
        (None, Some(file)) => write_repeatedly(file, args.every, args.keep),
        (None, None) => {
            output::print_data(&run_numbers::render_numbers(args.keep)?)?;
            Ok(CliExit::Done)
        }
    }
}

struct Numbers {
    keep: Duration,
}

impl Site for Numbers {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/metrics" => run_numbers::render_numbers(self.keep).map_or_else(
                |error| Reply::Failed(error.to_string()),
                |text| Reply::Text { kind: KIND, text },
            ),
            "/" => Reply::Text {
                kind: "text/plain; charset=utf-8",
                text: "sweepdeck: the numbers are at /metrics\n".to_owned(),
            },
            _ => Reply::Absent,
        }
    }
}

async fn answer_scrapes(args: &MetricsArgs) -> Result<CliExit, CliError> {
    let Some(wanted) = args.listen else { return Ok(CliExit::Done) };
    let (listener, bound) = address::bind(wanted).await?;
    output::print_text(&format!("http://{bound}/metrics\n"))?;
    let gate = Gate::new(bound, args.host.clone(), None);
    match address::wait_for(server::serve(listener, gate, Arc::new(Numbers { keep: args.keep }))).await? {}
}

fn write_repeatedly(file: &Path, every: Option<Duration>, keep: Duration) -> Result<CliExit, CliError> {
    if file.extension().is_none_or(|extension| extension != "prom") {
        let message =
            format!("{} does not end with `.prom`, and node-exporter passes it over", file.display());
        return Err(
            CliError::usage(message).with_hint("such as /var/lib/prometheus/node-exporter/sweepdeck.prom")
        );
    }
    loop {
        write_file(file, &run_numbers::render_numbers(keep)?)?;
        let Some(pause) = every else { return Ok(CliExit::Done) };
        std::thread::sleep(pause);
    }
}

/// Replaces the file at once: half a file would not be read, and another user reads it.
fn write_file(file: &Path, text: &str) -> Result<(), CliError> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut new| {
        new.write_all(text.as_bytes())?;
        fs::set_permissions(new.path(), Permissions::from_mode(0o644))?;
        new.persist(file)?;
        Ok(())
    });
    written.map_err(CliError::for_file("write", file))
}
