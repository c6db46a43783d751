#![no_main]

#[allow(dead_code, clippy::unwrap_used, clippy::panic)]
#[path = "../../basho/tests/integration/support/parsers.rs"]
mod parsers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| parsers::tournament(bytes));
