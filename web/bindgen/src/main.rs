//! Turns a crate compiled for `wasm32-unknown-unknown` into a module and its JavaScript glue.
//!
//! It replaces the program `wasm-bindgen-cli`, which also brings a test runner and a web client.

use std::env::args_os;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = args_os().skip(1).collect();
    let [input, folder, name] = arguments.as_slice() else {
        bail!("expected three arguments: IN.wasm FOLDER NAME");
    };
    let Some(name) = name.to_str() else { bail!("expected a name in UTF-8") };
    Bindgen::new().input_path(input).web(true)?.typescript(true).out_name(name).generate(folder)
}
