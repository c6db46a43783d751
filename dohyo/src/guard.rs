//! Access control: only pages served by this server, opened with its token.
//!
//! Any website may send requests to this machine. Three checks reject them. `Host` must be this
//! server, which excludes a domain that an attacker points at this machine. `Origin` must be this
//! server, if present. The token must match, and no other page can read it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST, ORIGIN};

/// File of the token in the data folder.
const FILE: &str = "token";

/// Default port of HTTP.
const HTTP_PORT: u16 = 80;

/// Checks the access to the server.
#[derive(Debug)]
pub struct Guard {
    token: String,
    port: u16,
}

/// A rejected request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AccessError {
    /// Sent to another host name.
    #[error("this server answers only at 127.0.0.1 and localhost")]
    Host,
    /// Sent by another page.
    #[error("this server answers only its own page")]
    Origin,
    /// Missing or wrong token.
    #[error("missing or wrong token; open the address that dohyo printed")]
    Token,
}

impl Guard {
    /// Makes a guard with the token of a data folder. The token stays the same after a restart, so
    /// that open pages can reconnect.
    ///
    /// # Errors
    /// The token can neither be read nor written.
    pub fn new(data: &Path, port: u16) -> io::Result<Guard> {
        let path = data.join(FILE);
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let is_valid =
            |text: &str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_valid(kept.trim()) {
            return Ok(Guard { token: kept.trim().to_owned(), port });
        }
        let token = format!("{:032x}", rand::random::<u128>());
        // A damaged token file is replaced, not overwritten, because its permissions may differ.
        let _ = fs::remove_file(&path);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(token.as_bytes())?;
        Ok(Guard { token, port })
    }

    /// Returns the address to open.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Returns true for the correct token.
    pub fn is_token(&self, token: &str) -> bool {
        // Takes the same time for all wrong tokens, so that timing reveals nothing.
        let differences =
            token.bytes().zip(self.token.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
        token.len() == self.token.len() && differences == 0
    }

    /// Returns the cookie with the token. Its name contains the port, because cookies are shared
    /// between ports. Other pages cannot send it with their own requests, but a link from another
    /// page to this server works.
    pub fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Lax", self.cookie_name(), self.token)
    }

    fn cookie_name(&self) -> String {
        format!("dohyo-{}", self.port)
    }

    /// Checks the host and the origin of a request.
    ///
    /// # Errors
    /// [`AccessError::Host`] or [`AccessError::Origin`].
    pub fn check_source(&self, headers: &HeaderMap, needs_origin: bool) -> Result<(), AccessError> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        // Browsers omit the default port in these headers.
        let is_our_port = |port: &str| {
            port == format!(":{}", self.port) || port.is_empty() && self.port == HTTP_PORT
        };
        let is_ours = |host: &str| {
            ["127.0.0.1", "localhost"]
                .iter()
                .any(|name| host.strip_prefix(name).is_some_and(is_our_port))
        };
        if headers.get_all(HOST).iter().count() != 1 || !text(HOST).is_some_and(is_ours) {
            return Err(AccessError::Host);
        }
        match headers.get(ORIGIN) {
            None if needs_origin => Err(AccessError::Origin),
            None => Ok(()),
            Some(_)
                if text(ORIGIN)
                    .and_then(|origin| origin.strip_prefix("http://"))
                    .is_some_and(is_ours) =>
            {
                Ok(())
            }
            Some(_) => Err(AccessError::Origin),
        }
    }

    /// Checks the cookie of a request.
    ///
    /// # Errors
    /// [`AccessError::Token`].
    pub fn check_token(&self, headers: &HeaderMap) -> Result<(), AccessError> {
        let name = self.cookie_name();
        // Cookies of other servers on this machine may contain any bytes.
        let cookies = headers
            .get_all(COOKIE)
            .iter()
            .flat_map(|line| line.as_bytes().split(|&byte| byte == b';'));
        let texts = cookies.filter_map(|cookie| str::from_utf8(cookie).ok());
        let mut tokens = texts
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|&(key, _)| key == name);
        if tokens.any(|(_, token)| self.is_token(token)) { Ok(()) } else { Err(AccessError::Token) }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn accepts_hosts_without_the_default_port() {
        let temp = tempfile::tempdir().unwrap();
        for (port, host, expected) in [
            (80, "127.0.0.1", Ok(())),
            (80, "localhost:80", Ok(())),
            (9411, "127.0.0.1:9411", Ok(())),
            (9411, "127.0.0.1", Err(AccessError::Host)),
            (80, "127.0.0.1:8080", Err(AccessError::Host)),
            (80, "127.0.0.1.evil.example", Err(AccessError::Host)),
        ] {
            let guard = Guard::new(temp.path(), port).unwrap();
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            assert_eq!(guard.check_source(&headers, false), expected, "{host} at port {port}");
        }
    }
}
