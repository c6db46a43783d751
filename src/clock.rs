//! The monotonic clock. The one of the standard library panics in WebAssembly.

#[cfg(not(target_family = "wasm"))]
pub(crate) use std::time::Instant;

#[cfg(target_family = "wasm")]
pub(crate) use web_time::Instant;
