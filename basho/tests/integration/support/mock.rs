//! Mock engines: shell scripts that misbehave in one way.

use std::path::{Path, PathBuf};

/// Returns a script that answers the handshake and runs `on_go` for each `go`.
pub fn mock(on_go: &str) -> String {
    format!(
        "while read -r word rest; do case $word in\n\
         uci) echo 'id name mock'; echo uciok;;\n\
         isready) echo readyok;;\n\
         go) {on_go};;\n\
         quit) exit 0;;\n\
         esac; done"
    )
}

/// Writes a shell script and returns its path.
pub fn script(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path
}
