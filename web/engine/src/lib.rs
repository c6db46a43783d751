//! The engine as a WebAssembly module. `oshi-worker.js` is its caller.
//!
//! The worker calls [`receive`] with lines and [`run_jobs`] if [`has_job`]. A job calls the import
//! `pause`, which suspends the stack until the worker's event loop has delivered its messages. So
//! [`receive`] is called while [`run_jobs`] is suspended.

use std::cell::Cell;
use std::panic;
use std::time::Duration;

use oshi::engine::LocalEngine;
use wasm_bindgen::prelude::wasm_bindgen;
use web_time::Instant;

/// Time between two pauses of a job. It delays the answer to `stop` and `isready`.
const PAUSE_INTERVAL: Duration = Duration::from_millis(8);

#[wasm_bindgen(raw_module = "./host.js")]
extern "C" {
    /// Suspends the stack until the event loop has delivered the messages that wait.
    fn pause();

    /// Prints whole lines.
    fn print(text: &str);

    /// Receives the message of a panic, before the module traps.
    fn panicked(message: &str);
}

thread_local! {
    static ENGINE: LocalEngine = LocalEngine::new(print, pause_if_due);
    static LAST_PAUSE: Cell<Instant> = Cell::new(Instant::now());
}

fn pause_if_due() {
    if LAST_PAUSE.get().elapsed() >= PAUSE_INTERVAL {
        pause();
        LAST_PAUSE.set(Instant::now());
    }
}

#[wasm_bindgen(start)]
fn report_panics() {
    panic::set_hook(Box::new(|info| panicked(&info.to_string())));
}

/// Executes lines in order, as [`LocalEngine::receive`].
#[wasm_bindgen]
pub fn receive(text: &str) {
    ENGINE.with(|engine| engine.receive(text));
}

/// Whether a job waits for [`run_jobs`].
#[wasm_bindgen]
pub fn has_job() -> bool {
    ENGINE.with(LocalEngine::has_job)
}

/// Runs the jobs that wait. The caller suspends it at each pause.
#[wasm_bindgen]
pub fn run_jobs() {
    ENGINE.with(LocalEngine::run_jobs);
}

/// Whether the engine has received `quit`.
#[wasm_bindgen]
pub fn has_quit() -> bool {
    ENGINE.with(LocalEngine::has_quit)
}
