//! Who may talk to the server: only pages that it has served itself, to somebody who knows its token.
//!
//! Every page of the web may send requests to this machine. What keeps them out: `Host` must be ours (a name that an attacker points
//! at this machine is not), `Origin` must be ours if there is one, and the token must be known, which no other page can read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST, ORIGIN};

/// The file of the token in the data folder.
const FILE: &str = "token";

/// The port of an address that names none.
const HTTP_PORT: u16 = 80;

/// Lets in who may come in.
#[derive(Debug)]
pub struct Guard {
    token: String,
    port: u16,
}

/// Why somebody is kept out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The request was sent to another name than ours.
    #[error("this server answers only at 127.0.0.1 and localhost")]
    Host,
    /// Another page sent it.
    #[error("this server answers only its own page")]
    Origin,
    /// The token is missing or wrong.
    #[error("open the address that dohyo printed: it has the token that this server asks for")]
    Token,
}

impl Guard {
    /// The guard of a server at this port, with the token of this data folder: the same after a restart, so that open pages go on.
    ///
    /// # Errors
    /// The token can neither be read nor written.
    pub fn new(data: &Path, port: u16) -> io::Result<Guard> {
        let path = data.join(FILE);
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let is_token =
            |text: &str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_token(kept.trim()) {
            return Ok(Guard { token: kept.trim().to_owned(), port });
        }
        let token = format!("{:032x}", rand::random::<u128>());
        // An unreadable or damaged one is replaced, and never written to: it may have other permissions.
        let _ = fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(token.as_bytes())?;
        Ok(Guard { token, port })
    }

    /// The address to open.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Whether a token is the right one.
    pub fn knows(&self, token: &str) -> bool {
        // In the same time for all wrong ones.
        let differences =
            token.bytes().zip(self.token.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
        token.len() == self.token.len() && differences == 0
    }

    /// The cookie that holds the token from now on. Cookies know no ports, hence the name. No other page can send it with a request of its own, but
    /// whoever follows a link from one to here has it.
    pub fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Lax", self.cookie_name(), self.token)
    }

    fn cookie_name(&self) -> String {
        format!("dohyo-{}", self.port)
    }

    /// Whether a request comes from where it should.
    ///
    /// # Errors
    /// [`Refusal`] says what is wrong.
    pub fn check_source(&self, headers: &HeaderMap, needs_origin: bool) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        // The port that every address without one means is left out of these headers.
        let is_our_port = |port: &str| {
            port == format!(":{}", self.port) || port.is_empty() && self.port == HTTP_PORT
        };
        let is_ours = |host: &str| {
            ["127.0.0.1", "localhost"]
                .iter()
                .any(|name| host.strip_prefix(name).is_some_and(is_our_port))
        };
        if headers.get_all(HOST).iter().count() != 1 || !text(HOST).is_some_and(is_ours) {
            return Err(Refusal::Host);
        }
        match headers.get(ORIGIN) {
            None if needs_origin => Err(Refusal::Origin),
            None => Ok(()),
            Some(_)
                if text(ORIGIN)
                    .and_then(|origin| origin.strip_prefix("http://"))
                    .is_some_and(is_ours) =>
            {
                Ok(())
            }
            Some(_) => Err(Refusal::Origin),
        }
    }

    /// Whether a request has the cookie.
    ///
    /// # Errors
    /// [`Refusal::Token`].
    pub fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let name = self.cookie_name();
        // Beside it stand those of every other server of this machine, whatever bytes they are made of.
        let cookies = headers
            .get_all(COOKIE)
            .iter()
            .flat_map(|line| line.as_bytes().split(|&byte| byte == b';'));
        let texts = cookies.filter_map(|cookie| str::from_utf8(cookie).ok());
        let mut tokens = texts
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|&(key, _)| key == name);
        if tokens.any(|(_, token)| self.knows(token)) { Ok(()) } else { Err(Refusal::Token) }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_port_is_left_out_where_it_is_the_one_that_every_address_means() {
        let temp = tempfile::tempdir().unwrap();
        for (port, host, expected) in [
            (80, "127.0.0.1", Ok(())),
            (80, "localhost:80", Ok(())),
            (9411, "127.0.0.1:9411", Ok(())),
            (9411, "127.0.0.1", Err(Refusal::Host)),
            (80, "127.0.0.1:8080", Err(Refusal::Host)),
            (80, "127.0.0.1.evil.example", Err(Refusal::Host)),
        ] {
            let guard = Guard::new(temp.path(), port).unwrap();
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            assert_eq!(guard.check_source(&headers, false), expected, "{host} at port {port}");
        }
    }
}
