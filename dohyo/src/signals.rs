//! Ctrl-C and SIGTERM: the first signal shuts the program down, the second one ends it at once.

use std::io;
use std::process::exit;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Base of the exit code after a signal.
const ENDED_BY: i32 = 128;

/// A receiver of the first signal.
#[derive(Clone, Debug)]
pub struct Signals(watch::Receiver<bool>);

impl Signals {
    /// Starts a thread that waits for signals.
    ///
    /// # Errors
    /// The thread or the signal handlers cannot be installed.
    pub fn watch() -> io::Result<Signals> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let within = runtime.enter();
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        let [mut interrupted, mut terminated] = [signal(kinds[0])?, signal(kinds[1])?];
        drop(within);
        let (sender, receiver) = watch::channel(false);
        let mut next = async move || {
            tokio::select! {
                _ = interrupted.recv() => SignalKind::interrupt(),
                _ = terminated.recv() => SignalKind::terminate(),
            }
        };
        let wait = async move {
            next().await;
            sender.send_replace(true);
            exit(ENDED_BY + next().await.as_raw_value());
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(wait))?;
        Ok(Signals(receiver))
    }

    /// Waits for the first signal.
    pub async fn first(mut self) {
        // The thread owns the sender, and only `exit` ends it.
        let _ = self.0.wait_for(|&is_ending| is_ending).await;
    }
}
