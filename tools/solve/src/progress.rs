//! What is shown while the program works: a line on a terminal that changes, elsewhere a line now and then.

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

/// Results go to stdout, how far the work has come to stderr.
pub struct Progress {
    bar: ProgressBar,
    /// From one line to the next where there is no terminal.
    every: Duration,
    logged: Instant,
    /// Why a result could not be written.
    unheard: RefCell<Option<io::Error>>,
}

impl Progress {
    pub fn new(every: Duration) -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, every, logged: Instant::now(), unheard: RefCell::default() }
    }

    /// Shows how far a long work has come, in the place of what was shown before.
    pub fn tick(&self, message: &str) {
        self.bar.set_message(message.to_owned());
    }

    /// The same, where now and then it is written down.
    pub fn log(&mut self, message: &str) {
        self.tick(message);
        if self.bar.is_hidden() && self.logged.elapsed() >= self.every {
            let _ = writeln!(io::stderr(), "{message}");
            self.logged = Instant::now();
        }
    }

    /// Says a result.
    pub fn say(&self, line: &str) {
        let written = self.bar.suspend(|| writeln!(io::stdout(), "{line}"));
        if let Err(error) = written {
            self.unheard.replace(Some(error));
        }
    }

    /// Whether all results could be written; what has been found out is kept in any case.
    pub fn heard(&self) -> anyhow::Result<()> {
        self.unheard
            .take()
            .map_or(Ok(()), |error| Err(anyhow!("cannot write the results to stdout: {error}")))
    }

    /// Says something beside the results.
    pub fn note(&self, line: &str) {
        let _ = self.bar.suspend(|| writeln!(io::stderr(), "{line}"));
    }
}
