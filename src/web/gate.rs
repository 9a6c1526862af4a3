//! Who is answered: the rules for the head of a request, before anything is looked up for it.

use std::net::{IpAddr, SocketAddr};

use super::token::Token;

/// The parts of a request's head that the rules look at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// Method, such as `GET`.
    pub method: &'a str,
    /// Path without its query.
    pub path: &'a str,
    /// Query, without its question mark.
    pub query: Option<&'a str>,
    /// Name that the asker used for this server.
    pub host: Option<&'a str>,
    /// Page that asks, where a page of a browser does.
    pub origin: Option<&'a str>,
    /// Cookies of the asker.
    pub cookie: Option<&'a str>,
    /// Credentials of the asker.
    pub authorization: Option<&'a str>,
}

/// How a request is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// As it asks.
    Admitted,
    /// By the same path without the token, which becomes this cookie: an address is shown and kept by browsers.
    TakeToken {
        /// The cookie with its attributes.
        cookie: String,
    },
    /// Not at all.
    Refused(Refusal),
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a question.
    Method,
    /// The asker knows this server by a name that is not its own: another page may have sent it here.
    Host,
    /// A page from elsewhere asks.
    Origin,
    /// The token is missing or wrong.
    Token,
}

/// The rules of one server.
#[derive(Clone)]
pub struct Gate {
    address: SocketAddr,
    names: Vec<String>,
    token: Option<Token>,
}

impl Gate {
    /// The rules for a server at that address, which is also known by `names`; with a token, only who has it is
    /// answered.
    pub fn new(address: SocketAddr, names: Vec<String>, token: Option<Token>) -> Self {
        Self { address, names, token }
    }

    /// Decides about a request.
    pub fn admit(&self, head: &Head<'_>) -> Admission {
        if !matches!(head.method, "GET" | "HEAD") {
            return Admission::Refused(Refusal::Method);
        }
        if !head.host.is_some_and(|host| self.is_own_name(host)) {
            return Admission::Refused(Refusal::Host);
        }
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_own_name(host));
        if !head.origin.is_none_or(is_own) {
            return Admission::Refused(Refusal::Origin);
        }
        let Some(token) = &self.token else { return Admission::Admitted };
        if query_token(head.query).is_some_and(|given| token.matches(given)) {
            let cookie =
                format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name(), token.as_str());
            return Admission::TakeToken { cookie };
        }
        let bearer = head.authorization.and_then(|value| value.strip_prefix("Bearer "));
        let mut given = self.cookie_values(head.cookie).chain(bearer);
        match given.any(|given| token.matches(given)) {
            true => Admission::Admitted,
            false => Admission::Refused(Refusal::Token),
        }
    }

    /// Cookies ignore ports, so that two servers of one machine would share theirs.
    fn cookie_name(&self) -> String {
        format!("sweepdeck_{}", self.address.port())
    }

    fn cookie_values<'a>(&self, cookies: Option<&'a str>) -> impl Iterator<Item = &'a str> {
        let begin = format!("{}=", self.cookie_name());
        let parts = cookies.into_iter().flat_map(|cookies| cookies.split(';'));
        parts.filter_map(move |part| part.trim().strip_prefix(begin.as_str()))
    }

    /// Against DNS rebinding: a page elsewhere can let its own name lead here, but not a number.
    fn is_own_name(&self, host: &str) -> bool {
        if self.names.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            return true;
        }
        let Some((name, port)) = split_port(host) else { return false };
        let name_only = name.trim_start_matches('[').trim_end_matches(']');
        if self.names.iter().any(|own| own.eq_ignore_ascii_case(name_only)) {
            return true;
        }
        if port != self.address.port() {
            return false;
        }
        match name_only.parse::<IpAddr>() {
            Ok(ip) if self.address.ip().is_unspecified() => !ip.is_unspecified(),
            Ok(ip) => ip == self.address.ip() || (ip.is_loopback() && self.address.ip().is_loopback()),
            Err(_) => {
                let is_local = self.address.ip().is_loopback() || self.address.ip().is_unspecified();
                is_local && name_only.eq_ignore_ascii_case("localhost")
            }
        }
    }
}

/// The name and the port, which is 80 where none is written.
fn split_port(host: &str) -> Option<(&str, u16)> {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => Some((name, port.parse().ok()?)),
        Some(_) | None => Some((host, 80)),
    }
}

fn query_token(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(address: &str, token: Option<&str>) -> Gate {
        Gate::new(address.parse().unwrap(), vec!["eval.example".into()], token.map(Token::of))
    }

    fn get(host: &'static str) -> Head<'static> {
        Head { method: "GET", path: "/", host: Some(host), ..Head::default() }
    }

    #[test]
    fn only_its_own_names_are_answered() {
        let own = gate("127.0.0.1:9400", None);
        for good in [
            "127.0.0.1:9400", "localhost:9400", "LOCALHOST:9400", "[::1]:9400", "eval.example:9400",
            "eval.example",
        ] {
            assert_eq!(own.admit(&get(good)), Admission::Admitted, "{good}");
        }
        for bad in [
            "evil.example:9400",
            "127.0.0.1:1",
            "127.0.0.1",
            "localhost.evil.example:9400",
            "10.0.0.1:9400",
            "",
            ":9400",
        ] {
            assert_eq!(own.admit(&get(bad)), Admission::Refused(Refusal::Host), "{bad}");
        }
        assert_eq!(own.admit(&Head { host: None, ..get("") }), Admission::Refused(Refusal::Host));
        let open = gate("0.0.0.0:9400", None);
        assert_eq!(open.admit(&get("10.0.0.1:9400")), Admission::Admitted, "a number is no name of another");
        assert_eq!(open.admit(&get("evil.example:9400")), Admission::Refused(Refusal::Host));
    }

    #[test]
    fn questions_only_and_no_page_from_elsewhere() {
        let own = gate("127.0.0.1:9400", None);
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"] {
            let head = Head { method, ..get("127.0.0.1:9400") };
            assert_eq!(own.admit(&head), Admission::Refused(Refusal::Method), "{method}");
        }
        let from = |origin| Head { origin: Some(origin), ..get("127.0.0.1:9400") };
        assert_eq!(own.admit(&from("http://127.0.0.1:9400")), Admission::Admitted);
        for origin in ["https://evil.example", "null", "http://127.0.0.1:8080", "https://127.0.0.1:9400"] {
            assert_eq!(own.admit(&from(origin)), Admission::Refused(Refusal::Origin), "{origin}");
        }
    }

    #[test]
    fn the_token_moves_from_the_address_into_a_cookie_of_this_port() {
        let own = gate("127.0.0.1:9400", Some("secret"));
        let host = "127.0.0.1:9400";
        let refused = Admission::Refused(Refusal::Token);
        assert_eq!(own.admit(&get(host)), refused);
        assert_eq!(own.admit(&Head { query: Some("token=other"), ..get(host) }), refused);
        let cookie = "sweepdeck_9400=secret; HttpOnly; SameSite=Strict; Path=/".to_owned();
        let given = Head { query: Some("a=b&token=secret"), ..get(host) };
        assert_eq!(own.admit(&given), Admission::TakeToken { cookie });
        let with = |cookie| own.admit(&Head { cookie: Some(cookie), ..get(host) });
        assert_eq!(with("a=b; sweepdeck_9400=secret"), Admission::Admitted);
        assert_eq!(with("sweepdeck_9401=secret"), refused);
        let bearer = Head { authorization: Some("Bearer secret"), ..get(host) };
        assert_eq!(own.admit(&bearer), Admission::Admitted);
    }
}
