//! Progress of a tournament: a bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr, stdout};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{report, terminal};
use crate::record::GameRecord;
use crate::records::standings::Standings;

/// Shows the progress of a tournament. Output that cannot be written is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    summed_up: Instant,
}

/// Interval between two updates of the bar's message.
const SUMMARY_INTERVAL: Duration = Duration::from_millis(500);

impl Progress {
    /// Progress before the number of games is known.
    pub fn without_bar() -> Progress {
        Progress { bar: None, summed_up: Instant::now() }
    }

    /// Progress of `games` games, `played` of them over. Shows a bar if both stdout and stderr
    /// are terminals.
    pub fn new(games: u64, played: u64) -> Progress {
        let bar = (stdout().is_terminal() && stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr())
                .with_position(played);
            // A test checks the template.
            bar.set_style(
                ProgressStyle::with_template(TEMPLATE)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            // The rate must count only games played now, not those found in the folder.
            bar.reset_elapsed();
            bar
        });
        Progress { bar, summed_up: Instant::now() }
    }

    /// Reports the start of game `number` of `games`.
    pub fn started(&self, number: u64, games: u64, black: &str, white: &str) {
        if self.bar.is_none() {
            self.say(&report::started(number, games, black, white));
        }
    }

    /// Reports the end of a game.
    pub fn finished(&mut self, record: &GameRecord, standings: &Standings) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(standings.played());
                // A fast tournament ends thousands of games per second.
                if self.summed_up.elapsed() >= SUMMARY_INTERVAL {
                    bar.set_message(summary(standings));
                    self.summed_up = Instant::now();
                }
            }
            None => self.say(&report::finished(record)),
        }
    }

    /// Prints lines to stdout.
    pub fn say(&self, text: &str) {
        self.aside(|| terminal::say(text));
    }

    /// Prints a warning to stderr.
    pub fn warn(&self, text: &str) {
        self.aside(|| terminal::print_error(&format!("Warning: {text}")));
    }

    /// Prints an error to stderr.
    pub fn error(&self, text: &str) {
        self.aside(|| terminal::print_error(&format!("Error: {text}")));
    }

    /// Prints while the bar is hidden.
    fn aside(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

const TEMPLATE: &str = "{bar:30} {pos}/{len} games{msg}, {elapsed} passed, {eta} left";

/// Score of the first engine and state of the test, for the bar.
fn summary(standings: &Standings) -> String {
    let mut text = String::new();
    if let (Some(tally), [_, _]) = (standings.tallies().get(&[0, 1]), standings.names()) {
        text += &format!(", score {:.1} %", tally.points() / tally.games().max(1) as f64 * 100.0);
    }
    if let Some(state) = standings.sprt() {
        text += &format!(", {}", report::llr_line(&state.sprt, state.llr).trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_of_the_bar_is_valid() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
    }
}
