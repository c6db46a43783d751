//! The browser's clocks, tasks, random numbers and dates.

use std::time::Duration;

use dohyo_core::cancel::CancelToken;
use dohyo_core::game::Timestamp;
use dohyo_core::host::{SpawnError, System, Task, Timer};
use tokio::sync::oneshot;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;

use crate::browser;

/// The worker that this module runs in.
pub struct BrowserSystem;

/// Calls a function after a time.
fn call_after(time: Duration, call: impl FnOnce() + 'static) {
    browser::set_timeout(Closure::once_into_js(call), time.as_secs_f64() * 1e3);
}

impl System for BrowserSystem {
    fn now(&self) -> Timestamp {
        Timestamp {
            unix_ms: browser::unix_time() as u64,
            monotonic: Duration::try_from_secs_f64(browser::monotonic_time() / 1e3)
                .unwrap_or_default(),
        }
    }

    fn sleep(&self, time: Duration) -> Task {
        let (sender, receiver) = oneshot::channel();
        call_after(time, move || {
            // Fails only if nothing waits any more.
            let _ = sender.send(());
        });
        Box::pin(async move { receiver.await.unwrap_or_default() })
    }

    fn spawn(&self, _name: &str, work: Task) -> Result<(), SpawnError> {
        spawn_local(work);
        Ok(())
    }

    fn after(&self, time: Duration, work: Box<dyn FnOnce() + Send>) -> Timer {
        let cancel = CancelToken::default();
        let token = cancel.clone();
        call_after(time, move || {
            if !token.is_cancelled() {
                work();
            }
        });
        Timer::new(move || cancel.cancel())
    }

    fn random(&self) -> u64 {
        browser::random()
    }

    fn local_date(&self, unix_ms: u64) -> Option<String> {
        Some(browser::local_date(unix_ms as f64))
    }
}
