//! How texts are put into the page: as JSON, compressed, and allowed by their hashes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// JSON without any character that could end a script.
pub fn json(value: &impl Serialize) -> String {
    match askama::filters::json(value) {
        Ok(text) => text.to_string(),
        Err(never) => match never {},
    }
}

/// The text compressed as by `zlib`, which browsers unpack themselves, in Base64.
pub fn packed(text: &str) -> String {
    /// Beyond it, pages take longer and get hardly smaller.
    const LEVEL: u8 = 8;
    BASE64_STANDARD.encode(compress_to_vec_zlib(text.as_bytes(), LEVEL))
}

/// The hash by which the page's policy allows a script or a style: <https://www.w3.org/TR/CSP3/#framework-directive-source-list>.
pub fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}
