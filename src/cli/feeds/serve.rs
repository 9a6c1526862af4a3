//! `serve`: the report of a run as a page that follows it, read-only, for people without a terminal there.

use std::sync::Arc;

use tokio::sync::watch;

use super::address;
use super::live_report::LiveReport;
use super::serve_args::ServeArgs;
use crate::cli::addressing::target;
use crate::cli::error::CliError;
use crate::cli::exit_code::CliExit;
use crate::cli::output;
use crate::cli::overview::watch::block_on;
use crate::results::report::page;
use crate::web::gate::Gate;
use crate::web::reply::Reply;
use crate::web::server::{self, Site};
use crate::web::token::Token;

const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"><path fill=\"#3a7\" \
                    d=\"M0 6h2v2H0zM3 3h2v5H3zM6 0h2v8H6z\"/></svg>";

/// Serves the page until the process is ended.
pub fn run(args: &ServeArgs) -> Result<CliExit, CliError> {
    let report = Arc::new(LiveReport::open(target::find_run(&args.run)?)?);
    let token = Token::generate().map_err(CliError::system("draw a token"))?;
    let follower = report.clone();
    std::thread::Builder::new()
        .name("report".to_owned())
        .spawn(move || follower.follow())
        .map_err(CliError::system("start a thread"))?;
    block_on(async {
        let (listener, bound) = address::bind(args.listen).await?;
        output::print_text(&format!("http://{bound}/?token={}\n", token.as_str()))?;
        let gate = Gate::new(bound, args.host.clone(), Some(token));
        match address::wait_for(server::serve(listener, gate, Arc::new(Page { report }))).await? {}
    })
}

struct Page {
    report: Arc<LiveReport>,
}

impl Site for Page {
    fn answer(&self, path: &str) -> Reply {
        let text = |kind, text: &str| Reply::Text { kind, text: text.to_owned() };
        match path {
            "/" => match self.report.page() {
                Ok(page) => text("text/html; charset=utf-8", &page),
                Err(error) => Reply::Failed(error.to_string()),
            },
            "/events" => Reply::Events,
            "/icon.svg" => text("image/svg+xml", ICON),
            page::LIVE_STYLE_PATH => text("text/css; charset=utf-8", page::LIVE_STYLE),
            page::LIVE_SCRIPT_PATH => text("text/javascript; charset=utf-8", page::LIVE_SCRIPT),
            _ => Reply::Absent,
        }
    }

    fn versions(&self) -> Option<watch::Receiver<u64>> {
        Some(self.report.versions())
    }
}
