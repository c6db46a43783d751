//! Output: results on stdout, progress on stderr.

use std::cell::RefCell;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use oshi::game::{Outcome, Player};

/// A result in words.
pub fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Player::Black) => "Black wins",
        Outcome::Win(Player::White) => "White wins",
        Outcome::Draw => "a draw",
    }
}

/// A progress line on a terminal, otherwise a line on stderr at intervals.
pub struct Progress {
    bar: ProgressBar,
    /// Minimum time between lines without a terminal.
    interval: Duration,
    last_line: Instant,
    /// The last error of writing to stdout.
    write_error: RefCell<Option<io::Error>>,
}

impl Progress {
    pub fn new(interval: Duration) -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, interval, last_line: Instant::now(), write_error: RefCell::default() }
    }

    /// Reports the state of the work.
    pub fn report(&mut self, message: &str) {
        self.bar.set_message(message.to_owned());
        if self.bar.is_hidden() && self.last_line.elapsed() >= self.interval {
            let _ = writeln!(io::stderr(), "{message}");
            self.last_line = Instant::now();
        }
    }

    /// Prints a result to stdout.
    pub fn print(&self, line: &str) {
        let written = self.bar.suspend(|| writeln!(io::stdout(), "{line}"));
        if let Err(error) = written {
            self.write_error.replace(Some(error));
        }
    }

    /// Returns an error if a result could not be printed. The work continues in that case, because
    /// checkpoints and certificates are still useful.
    pub fn check_printed(&self) -> anyhow::Result<()> {
        self.write_error
            .take()
            .map_or(Ok(()), |error| Err(anyhow!("cannot write the results to stdout: {error}")))
    }

    /// Prints a note to stderr.
    pub fn note(&self, line: &str) {
        let _ = self.bar.suspend(|| writeln!(io::stderr(), "{line}"));
    }
}
