//! The server: one thread, few connections, and no request that changes anything.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::channel::Channel;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::gate::{Admission, Gate, Head};
use super::reply::{self, Body, Reply};

/// So many connections are served at a time; others wait. A browser opens six.
const CONNECTIONS: usize = 64;

/// How long the head of a request may take.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);

/// How often a silent stream says that it is alive, so that a reader that has gone is noticed.
const ALIVE: Duration = Duration::from_secs(15);

/// After how many milliseconds a browser comes back to a stream that broke off.
const RETRY_MS: u32 = 2000;

/// What a server shows.
pub trait Site: Send + Sync + 'static {
    /// Answers a path. It may read files; requests that come meanwhile are still taken.
    fn answer(&self, path: &str) -> Reply;

    /// The number of the newest state, of which streams of events hear; `None` where there is no stream.
    fn versions(&self) -> Option<watch::Receiver<u64>> {
        None
    }
}

/// Listens at an address; the port 0 is any free one.
pub async fn listen(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// Serves a site for as long as the process lives.
pub async fn serve(listener: TcpListener, gate: Gate, site: Arc<dyn Site>) -> io::Result<Infallible> {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let gate = Arc::new(gate);
    loop {
        let Ok(permit) = room.clone().acquire_owned().await else { return Err(io::ErrorKind::Other.into()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // One that has gone already, or descriptors that run short, pass.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (gate, site) = (gate.clone(), site.clone());
        tokio::spawn(async move {
            serve_connection(stream, gate, site).await;
            drop(permit);
        });
    }
}

async fn serve_connection(stream: TcpStream, gate: Arc<Gate>, site: Arc<dyn Site>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (gate, site) = (gate.clone(), site.clone());
        async move { Ok::<_, Infallible>(answer(&request, &gate, site).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(16 << 10);
    // A peer that breaks off has no one to be reported to.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(request: &Request<Incoming>, gate: &Gate, site: Arc<dyn Site>) -> Response<Body> {
    let header = |name: HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let path = request.uri().path();
    let head = Head {
        method: request.method().as_str(),
        path,
        query: request.uri().query(),
        host: header(header::HOST),
        origin: header(header::ORIGIN),
        cookie: header(header::COOKIE),
        authorization: header(header::AUTHORIZATION),
    };
    match gate.admit(&head) {
        Admission::Refused(refusal) => return reply::refuse(refusal),
        Admission::TakeToken { cookie } => return reply::redirect(path, &cookie),
        Admission::Admitted => {}
    }
    let (looked_up, path) = (site.clone(), path.to_owned());
    let reply = tokio::task::spawn_blocking(move || looked_up.answer(&path)).await;
    let plain = "text/plain; charset=utf-8";
    let mut response = match reply {
        Ok(Reply::Text { kind, text }) => reply::text_response(StatusCode::OK, kind, text),
        Ok(Reply::Events) => match site.versions() {
            Some(versions) if request.method() == Method::GET => stream_events(versions),
            Some(_) | None => reply::text_response(StatusCode::NOT_FOUND, plain, String::new()),
        },
        Ok(Reply::Absent) => {
            reply::text_response(StatusCode::NOT_FOUND, plain, "there is no such page\n".into())
        }
        Ok(Reply::Failed(reason)) => {
            reply::text_response(StatusCode::SERVICE_UNAVAILABLE, plain, format!("{reason}\n"))
        }
        Err(_) => reply::text_response(StatusCode::INTERNAL_SERVER_ERROR, plain, String::new()),
    };
    if request.method() == Method::HEAD {
        *response.body_mut() = Empty::new().boxed();
    }
    response
}

/// Sends the number of each new state, the newest only: a slow reader misses those between.
fn stream_events(mut versions: watch::Receiver<u64>) -> Response<Body> {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
    tokio::spawn(async move {
        let mut text = format!("retry: {RETRY_MS}\n\n");
        loop {
            let version = *versions.borrow_and_update();
            text.push_str(&format!("id: {version}\nevent: state\ndata: {version}\n\n"));
            loop {
                if sender.send_data(Bytes::from(std::mem::take(&mut text))).await.is_err() {
                    return;
                }
                match timeout(ALIVE, versions.changed()).await {
                    Ok(Ok(())) => break,
                    Ok(Err(_)) => return,
                    Err(_) => text.push_str(": alive\n\n"),
                }
            }
        }
    });
    reply::respond(StatusCode::OK, "text/event-stream", body.boxed())
}
