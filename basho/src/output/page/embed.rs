//! Embeds data in the page: as JSON, compressed, and with hashes for the page's security policy.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// JSON without characters that could end a script element.
pub fn json(value: &impl Serialize) -> String {
    match askama::filters::json(value) {
        Ok(text) => text.to_string(),
        Err(never) => match never {},
    }
}

/// The text compressed by zlib, in Base64. Browsers can unpack it themselves.
pub fn packed(text: &str) -> String {
    /// Higher levels take longer and save little.
    const LEVEL: u8 = 8;
    BASE64_STANDARD.encode(compress_to_vec_zlib(text.as_bytes(), LEVEL))
}

/// The hash by which a security policy allows a script or style:
/// <https://www.w3.org/TR/CSP3/#framework-directive-source-list>.
pub fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}
