//! The path of the engine's program.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Returns the path of the program `oshi`.
///
/// Cargo tells it to the tests of the package `oshi` only. Other packages find it in the folder of
/// their own programs, and build it if only their own package was built.
pub fn oshi() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        if let Some(path) = option_env!("CARGO_BIN_EXE_oshi") {
            return path.to_owned();
        }
        let test = std::env::current_exe().unwrap();
        let folder = test.parent().and_then(Path::parent).unwrap();
        let path = folder.join("oshi");
        if !path.exists() {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--locked", "--package", "oshi", "--bin", "oshi"]);
            cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
            assert!(cargo.status().unwrap().success(), "building oshi failed");
        }
        path.to_str().unwrap().to_owned()
    });
    &PATH
}
