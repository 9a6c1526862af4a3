//! What is answered: text with the headers that keep a page to itself, or a stream of events.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::gate::Refusal;

/// Body of an answer.
pub type Body = BoxBody<Bytes, Infallible>;

/// What a page may load and run: what this server sends, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A text with its media type.
    Text {
        /// Media type with its charset.
        kind: &'static str,
        /// The text.
        text: String,
    },
    /// The stream of events of this server.
    Events,
    /// There is no such page.
    Absent,
    /// It cannot be read now; the reason is for people.
    Failed(String),
}

/// Builds an answer of one text.
pub fn text_response(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    respond(status, kind, Full::new(Bytes::from(text)).boxed())
}

/// Builds the answer that moves the asker to the same path without the token.
pub fn redirect(path: &str, cookie: &str) -> Response<Body> {
    let mut response = text_response(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", String::new());
    // A path that began with two slashes would lead to another machine.
    let place = format!("/{}", path.trim_start_matches('/'));
    for (name, value) in [(header::LOCATION, place.as_str()), (header::SET_COOKIE, cookie)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Builds the answer to a request that is not admitted.
pub fn refuse(refusal: Refusal) -> Response<Body> {
    let (status, text) = match refusal {
        Refusal::Method => (StatusCode::METHOD_NOT_ALLOWED, "this page only reads\n"),
        Refusal::Host => {
            (StatusCode::MISDIRECTED_REQUEST, "this server is not known by that name; name it with --host\n")
        }
        Refusal::Origin => (StatusCode::FORBIDDEN, "a page from elsewhere asks\n"),
        Refusal::Token => {
            (StatusCode::UNAUTHORIZED, "open the address that the program printed, with its token\n")
        }
    };
    let mut response = text_response(status, "text/plain; charset=utf-8", text.to_owned());
    if refusal == Refusal::Method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// Builds an answer with the headers that all have.
pub fn respond(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
