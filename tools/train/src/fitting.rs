//! Shared parts: gradient descent, logistic regression, recorded matches, forecast statistics.

use std::fs;
use std::path::Path;

use anyhow::Context;

pub mod adam;
pub mod backprop;
pub mod descent;
pub mod logistic;
pub mod matches;
pub mod reliability;

/// Writes a file of fitted weights.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> anyhow::Result<()> {
    fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}
