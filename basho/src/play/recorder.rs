//! The recorder of a tournament: stores, counts and prints the games that workers play.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use super::failure::TournamentError;
use super::interrupt::Interrupt;
use super::workers::Event;
use crate::config::Engine;
use crate::output::progress::Progress;
use crate::output::report;
use crate::output::verdict::Verdict;
use crate::record::GameRecord;
use crate::records::folder::RecordError;
use crate::records::journal::Journal;
use crate::records::manifest::Manifest;
use crate::records::standings::{FaultyGame, Standings};
use crate::records::stop;
use crate::statistics::sprt::Decision;
use crate::stderr_tail::StderrTail;
use oshi::game::Player;

/// How a run of a tournament ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games of this shard are played, or a stop file was found, and there is no sequential
    /// test.
    Finished,
    /// The sequential test decided, or is undecided after all games or at a stop file.
    Tested(Decision),
    /// A fault ended the tournament: it is strict, or the sequential test does not tolerate the
    /// fault.
    Fault,
    /// An interrupt ended the run; `resume` continues.
    Interrupted,
    /// No engine can be started any more for lack of resources; `resume` continues.
    EnginesUnavailable,
}

/// The recorder: one thread that stores, counts and prints the games, and decides whether to
/// continue.
pub(super) struct Recorder<'a> {
    pub(super) dir: &'a Path,
    pub(super) manifest: &'a Manifest,
    pub(super) engines: Vec<Engine>,
    pub(super) standings: Standings,
    pub(super) journal: Journal,
    pub(super) progress: Progress,
    pub(super) interrupt: &'a Interrupt,
    pub(super) fault: bool,
    /// Why no engine can be started any more, and the remedy.
    pub(super) start_error: Option<String>,
    /// Reason in the stop file.
    pub(super) stopped: Option<String>,
    pub(super) has_warned: bool,
    /// Last lines on stderr that were printed for each engine.
    pub(super) stderr_tail: BTreeMap<String, StderrTail>,
    /// When this run began.
    pub(super) begun: Instant,
}

impl Recorder<'_> {
    pub(super) fn take(&mut self, event: Event) -> Result<(), TournamentError> {
        match event {
            Event::Started(game) => {
                let name = |player: Player| {
                    let engine = self.engines.get(game.engine_of(player));
                    engine.map(|engine| engine.name.as_str()).unwrap_or_default()
                };
                self.progress.started(
                    game.number,
                    self.standings.schedule().games(),
                    name(Player::Black),
                    name(Player::White),
                );
                Ok(())
            }
            Event::Finished(record) => Ok(self.finish(&record)?),
            Event::Failed(error) => Err(error.into()),
            Event::WorkerEnded(error) => {
                self.progress.warn(&format!(
                    "one game fewer is played at once: {error}; {}",
                    error.remedy()
                ));
                Ok(())
            }
            Event::EnginesUnavailable(error) => {
                self.start_error = self
                    .start_error
                    .take()
                    .or_else(|| Some(format!("{error}; {}", error.remedy())));
                Ok(())
            }
        }
    }

    fn finish(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        self.journal.append(record)?;
        let pairs_before = self.standings.finished_pairs();
        self.standings.add(record);
        self.progress.finished(record, &self.standings);
        if let Some(fault) = FaultyGame::of(record) {
            self.fault |= self.manifest.tournament.strict;
            self.show_stderr_tail(fault);
        }
        if self.standings.decision() != Decision::Continue {
            self.interrupt.stop_now();
        }
        let round = self.standings.schedule().pairings().len() as u64;
        let pairs_between =
            self.manifest.tournament.ratinginterval.get().saturating_mul(round).max(1);
        let pairs = self.standings.finished_pairs();
        let is_due = pairs > pairs_before && pairs.is_multiple_of(pairs_between);
        // The final standings are printed at the end.
        let goes_on = !self.standings.is_complete() && !self.interrupt.is_raised();
        if is_due && goes_on {
            self.warn_of_repeats();
            self.show_standings();
        }
        Ok(())
    }

    /// Prints the last lines on stderr of an engine at fault, unless they repeat those of its
    /// previous fault. The fault that ends a sequential test is reported at its end.
    fn show_stderr_tail(&mut self, fault: FaultyGame) {
        let is_last = self.standings.excess_fault().is_some_and(|excess| excess.game == fault.game);
        if is_last || self.stderr_tail.get(&fault.engine) == Some(&fault.stderr_tail) {
            return;
        }
        if let Some(warning) = report::stderr_tail(&fault) {
            self.progress.warn(&warning);
        }
        self.stderr_tail.insert(fault.engine, fault.stderr_tail);
    }

    /// Looks for a stop file. Games in progress are aborted too, since nothing depends on them.
    pub(super) fn check_for_stop(&mut self) {
        if self.stopped.is_none() {
            self.stopped = stop::read(self.dir);
            if self.stopped.is_some() {
                self.interrupt.stop_now();
            }
        }
    }

    fn warn_of_repeats(&mut self) {
        if let Some(distinct) = self.standings.too_few_distinct().filter(|_| !self.has_warned) {
            self.has_warned = true;
            self.progress.warn(&format!(
                "only {distinct} of {} games differ: \
                 the engines repeat their moves from the same openings; \
                 expected different openings, or engines with the option `Seed`",
                self.standings.played()
            ));
        }
    }

    fn show_standings(&self) {
        let openings = self.manifest.tournament.openings.file_name();
        self.progress.say(&report::standings(&self.standings, &self.engines, &openings));
    }

    /// Flushes everything to disk and prints the result; returns how the run ended and whether all
    /// games are played.
    pub(super) fn close(mut self) -> Result<(Ending, bool), TournamentError> {
        self.journal.sync()?;
        self.progress.end();
        self.warn_of_repeats();
        self.show_standings();
        let sprt = self.standings.sprt();
        if let Some(verdict) = report::verdict(&self.standings) {
            self.progress.say(&verdict);
        }
        let is_complete = self.standings.is_complete();
        if is_complete {
            self.progress.say(&Verdict::of(&self.standings).line());
        }
        let dir = self.dir.display();
        let excess = self.standings.excess_fault();
        if let Some(fault) = excess {
            self.progress.error(&report::fault(fault));
        }
        let remedy = report::remedy(&self.standings, self.dir);
        let last_line = match &self.stopped {
            _ if let Some(remedy) = remedy => remedy,
            _ if is_complete => "Tournament finished\nFinished match".to_owned(),
            Some(reason) => stop::sentence(self.dir, reason),
            None => format!("Stopped; `basho resume {dir}` plays the missing games"),
        };
        if let Some(start_error) = self.start_error.as_ref().filter(|_| !is_complete) {
            self.progress.error(start_error);
        }
        self.progress.say(&last_line);
        self.progress.say(&report::total_time(self.begun.elapsed()));
        let ending = match sprt {
            _ if self.fault || excess.is_some() => Ending::Fault,
            _ if !is_complete && self.start_error.is_some() => Ending::EnginesUnavailable,
            _ if !is_complete && self.stopped.is_none() => Ending::Interrupted,
            Some(_) => Ending::Tested(self.standings.decision()),
            None => Ending::Finished,
        };
        Ok((ending, is_complete))
    }
}
