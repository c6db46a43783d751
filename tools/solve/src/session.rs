//! A run of the program: a solver, its output and its checkpoint.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use indicatif::{BinaryBytes, HumanCount};
use oshi::game::{Outcome, RoundProof, Searchable};
use oshi::games::notation::Notation;
use oshi::search::{Control, TableMemory};
use oshi::solver::certificate::Certificate;
use oshi::solver::{Objective, Query, Solver};

use crate::checkpoint::{Checkpoint, Cost};
use crate::files::{FileError, check_writable};
use crate::frontier::{Frontier, Growth};
use crate::positions::after;
use crate::progress::Progress;

pub struct Session<'m> {
    solver: Solver<'m>,
    control: Arc<Control>,
    pub progress: Progress,
    autosave: Option<Autosave>,
    started: Instant,
    /// Work of earlier runs, from the checkpoint.
    earlier: Cost,
}

/// Saves a checkpoint at intervals.
struct Autosave {
    checkpoint: Checkpoint,
    interval: Duration,
    last: Instant,
}

impl<'m> Session<'m> {
    /// A run with `bytes` of memory. Ctrl-C and `kill` end it after a last checkpoint.
    pub fn new(
        memory: &'m mut TableMemory,
        bytes: usize,
        threads: u16,
        progress: Progress,
    ) -> anyhow::Result<Self> {
        let control = Arc::new(Control::default());
        let stopped = Arc::clone(&control);
        ctrlc::set_handler(move || stopped.stop())
            .map_err(|error| anyhow!("cannot listen for Ctrl-C: {error}"))?;
        let solver =
            Solver::new(memory, NonZeroUsize::new(threads.into()).unwrap_or(NonZeroUsize::MIN));
        if solver.bytes() < bytes / 2 {
            progress.note(&format!(
                "warning: the table has {} instead of {}: the system has no more memory",
                BinaryBytes(solver.bytes() as u64),
                BinaryBytes(bytes as u64)
            ));
        }
        Ok(Session {
            solver,
            control,
            progress,
            autosave: None,
            started: Instant::now(),
            earlier: Cost::default(),
        })
    }

    /// Resumes from the checkpoint at `path`, if it exists, and saves there every `interval`.
    pub fn use_checkpoint<G: Notation>(
        &mut self,
        path: &Path,
        positions: &[G],
        interval: Duration,
        bytes: usize,
    ) -> anyhow::Result<()> {
        check_writable(path)?;
        let checkpoint = Checkpoint::new(path, positions, bytes);
        if let Some(contents) = checkpoint.read()? {
            self.earlier = contents.cost;
            self.solver.import(&contents.entries);
            self.progress.note(&format!(
                "{}: resumed after {}, with {} table entries",
                path.display(),
                contents.cost,
                HumanCount(contents.entries.len() as u64)
            ));
        }
        self.autosave = Some(Autosave { checkpoint, interval, last: Instant::now() });
        Ok(())
    }

    /// Finds the result of a position. `name` is its name in progress lines.
    pub fn solve<G: Searchable + Notation>(
        &mut self,
        position: &G,
        name: &str,
    ) -> anyhow::Result<Outcome> {
        self.work(position, name, |solver, control, observer| {
            solver.solve(position, control, observer)
        })
    }

    /// Answers one query about a position.
    pub fn answer<G: Searchable + Notation>(
        &mut self,
        position: &G,
        name: &str,
        query: Query,
    ) -> anyhow::Result<Objective> {
        self.work(position, name, |solver, control, observer| {
            solver.answer(position, query, control, &mut || observer(query))
        })
    }

    fn work<G: Notation, T>(
        &mut self,
        position: &G,
        name: &str,
        run: impl FnOnce(&Solver, &Control, &mut dyn FnMut(Query)) -> Option<T>,
    ) -> anyhow::Result<T> {
        let Session { solver, control, progress, autosave, started, earlier } = self;
        let mut rate = Rate::new();
        let found = run(solver, control, &mut |query| {
            let cost = earlier.plus(solver.expansions(), started.elapsed());
            let rate = rate.update(cost.expansions);
            progress.report(&describe(solver, position, name, query, cost, rate));
            save_if_due(autosave, solver, cost, progress);
        });
        let Some(found) = found else {
            self.save()?;
            bail!("stopped after {}", self.cost())
        };
        let cost = self.cost();
        save_if_due(&mut self.autosave, &self.solver, cost, &self.progress);
        Ok(found)
    }

    /// Adds the strategy for a proven objective to a certificate.
    pub fn certify<G: Searchable + Notation>(
        &mut self,
        certificate: &mut Certificate<G>,
        position: &G,
        name: &str,
        claim: Objective,
    ) -> anyhow::Result<()> {
        let Session { solver, control, progress, autosave, started, earlier } = self;
        let added = certificate.add(solver, position, claim, control, &mut |so_far| {
            progress.report(&format!("{name}: certificate, {} moves", so_far.moves()));
            let cost = earlier.plus(solver.expansions(), started.elapsed());
            save_if_due(autosave, solver, cost, progress);
        });
        if added.is_err() {
            self.save()?;
        }
        Ok(added?)
    }

    /// Grows a frontier.
    pub fn grow<G: Searchable + Notation>(
        &mut self,
        frontier: &mut Frontier<G>,
        growth: Growth,
    ) -> anyhow::Result<()> {
        let Session { solver, control, progress, .. } = self;
        frontier.grow(growth, solver, control, &mut |so_far| {
            progress.report(&format!("{} positions", so_far.leaves().count()));
        });
        if control.is_stopped() { bail!("stopped") } else { Ok(()) }
    }

    /// Saves a checkpoint, if the run has one.
    pub fn save(&mut self) -> Result<(), FileError> {
        let cost = self.cost();
        self.autosave.as_mut().map_or(Ok(()), |autosave| autosave.save(&self.solver, cost))
    }

    /// Work of this run and earlier ones.
    fn cost(&self) -> Cost {
        self.earlier.plus(self.solver.expansions(), self.started.elapsed())
    }

    /// Saves a last checkpoint and prints the cost.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.save()?;
        self.progress.print(&self.cost().to_string());
        self.progress.check_printed()
    }
}

/// Saves a checkpoint if the interval has passed. A failure does not end the proof: the next
/// interval tries again.
fn save_if_due(autosave: &mut Option<Autosave>, solver: &Solver, cost: Cost, progress: &Progress) {
    if let Some(autosave) =
        autosave.as_mut().filter(|autosave| autosave.last.elapsed() >= autosave.interval)
        && let Err(error) = autosave.save(solver, cost)
    {
        progress.note(&format!("warning: {error}; continuing without a checkpoint"));
    }
}

impl Autosave {
    fn save(&mut self, solver: &Solver, cost: Cost) -> Result<(), FileError> {
        self.last = Instant::now();
        self.checkpoint.write(solver, cost)
    }
}

/// Expansions per second, measured over two seconds.
struct Rate {
    since: (Instant, u64),
    per_second: f64,
}

impl Rate {
    fn new() -> Rate {
        Rate { since: (Instant::now(), 0), per_second: 0.0 }
    }

    fn update(&mut self, expansions: u64) -> f64 {
        const WINDOW: Duration = Duration::from_secs(2);
        let (start, before) = self.since;
        let elapsed = start.elapsed();
        if before == 0 || elapsed >= WINDOW {
            if before > 0 {
                self.per_second = (expansions - before) as f64 / elapsed.as_secs_f64();
            }
            self.since = (Instant::now(), expansions);
        }
        self.per_second
    }
}

/// Formats the state of a proof as one line.
fn describe<G: Notation>(
    solver: &Solver,
    position: &G,
    name: &str,
    query: Query,
    cost: Cost,
    rate: f64,
) -> String {
    let objective = match query {
        Query::Winner => "who wins?".to_owned(),
        Query::WinFor(player) => format!("{player} wins?"),
    };
    let numbers = match solver.known(position, query) {
        RoundProof::Open([proof, disproof]) => format!("proof {proof} disproof {disproof}"),
        _ => "started".to_owned(),
    };
    let moves = position.legal_moves().into_iter().map(|mv| {
        let state = match solver.known(&after(position, mv), query) {
            RoundProof::Unknown => "?".to_owned(),
            RoundProof::Won(winner) => if winner == position.turn() { "+" } else { "-" }.to_owned(),
            RoundProof::Open(numbers) => format!("={}", numbers[position.turn().index()]),
        };
        format!("{mv}{state}")
    });
    let moves = moves.collect::<Vec<_>>().join(" ");
    let filled = 100.0 * solver.share_filled();
    // Position lines are too long for a progress line.
    let name = if name.contains(' ') { String::new() } else { format!("{name}: ") };
    let rate = rate / 1e3;
    format!("{name}{objective} {numbers}, {cost}, {rate:.0}k/s, table {filled:.0} %, {moves}")
}
