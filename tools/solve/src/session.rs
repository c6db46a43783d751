//! A run of the program: a solver, what it shows, and the checkpoint in which it keeps what it knows.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use indicatif::{BinaryBytes, HumanCount};
use oshi::game::{Game, Outcome, RoundProof, Searchable};
use oshi::games::notation::Notation;
use oshi::search::certificate::Certificate;
use oshi::search::{Control, Objective, Query, Solver, TableMemory};

use crate::checkpoint::{Checkpoint, Spent};
use crate::files::{FileError, check_place};
use crate::frontier::{Frontier, Growth};
use crate::progress::Progress;

pub struct Session<'m> {
    pub solver: Solver<'m>,
    control: Arc<Control>,
    pub progress: Progress,
    keeping: Option<Keeping>,
    began: Instant,
    /// By the runs before this one.
    spent_before: Spent,
}

/// How what is known is kept.
struct Keeping {
    checkpoint: Checkpoint,
    every: Duration,
    written: Instant,
}

/// The position after a move.
pub fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.play(mv);
    next
}

impl<'m> Session<'m> {
    /// A run with so many bytes of memory. Ctrl-C and `kill` end it once what is known is kept.
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
                "the table has {} of {}: the system gave no more",
                BinaryBytes(solver.bytes() as u64),
                BinaryBytes(bytes as u64)
            ));
        }
        Ok(Session {
            solver,
            control,
            progress,
            keeping: None,
            began: Instant::now(),
            spent_before: Spent::default(),
        })
    }

    /// Goes on from the checkpoint at this path, if there is one, and keeps there what is known.
    pub fn keep_in<G: Notation>(
        &mut self,
        path: &Path,
        positions: &[G],
        every: Duration,
        bytes: usize,
    ) -> anyhow::Result<()> {
        check_place(path)?;
        let checkpoint = Checkpoint::new(path, positions, bytes);
        if let Some(kept) = checkpoint.read()? {
            self.spent_before = kept.spent;
            let (count, place) = (HumanCount(kept.knowledge.len() as u64), path.display());
            self.solver.import(&kept.knowledge);
            self.progress
                .note(&format!("{place}: goes on after {}, with {count} positions", kept.spent));
        }
        self.keeping = Some(Keeping { checkpoint, every, written: Instant::now() });
        Ok(())
    }

    /// The result of a position, whose name is shown while it is worked on.
    pub fn solve<G: Searchable + Notation>(
        &mut self,
        position: &G,
        name: &str,
    ) -> anyhow::Result<Outcome> {
        self.work(position, name, |solver, control, observer| {
            solver.solve(position, control, observer)
        })
    }

    /// The answer to one question about it.
    pub fn answer<G: Searchable + Notation>(
        &mut self,
        position: &G,
        name: &str,
        asked: Query,
    ) -> anyhow::Result<Objective> {
        self.work(position, name, |solver, control, observer| {
            solver.answer(position, asked, control, &mut || observer(asked))
        })
    }

    fn work<G: Notation, T>(
        &mut self,
        position: &G,
        name: &str,
        run: impl FnOnce(&Solver, &Control, &mut dyn FnMut(Query)) -> Option<T>,
    ) -> anyhow::Result<T> {
        let Session { solver, control, progress, keeping, began, spent_before } = self;
        let mut rate = Rate::new();
        let found = run(solver, control, &mut |asked| {
            let spent = spent_before.and(solver.expansions(), began.elapsed());
            progress.log(&describe(
                solver,
                position,
                name,
                asked,
                spent,
                rate.of(spent.expansions),
            ));
            keep_if_due(keeping, solver, spent, progress);
        });
        let Some(found) = found else {
            self.keep()?;
            bail!("stopped after {}", self.spent())
        };
        self.keep_if_due();
        Ok(found)
    }

    /// Adds a strategy for what has been found out to a certificate.
    pub fn certify<G: Searchable + Notation>(
        &mut self,
        certificate: &mut Certificate<G>,
        position: &G,
        name: &str,
        claim: Objective,
    ) -> anyhow::Result<()> {
        let Session { solver, control, progress, keeping, began, spent_before } = self;
        let added = certificate.add(solver, position, claim, control, &mut |so_far| {
            progress.log(&format!("{name}: certificate, {} moves", so_far.moves()));
            keep_if_due(
                keeping,
                solver,
                spent_before.and(solver.expansions(), began.elapsed()),
                progress,
            );
        });
        if added.is_err() {
            self.keep()?;
        }
        Ok(added?)
    }

    /// Has a frontier grow.
    pub fn grow<G: Searchable + Notation>(
        &mut self,
        frontier: &mut Frontier<G>,
        growth: Growth,
    ) -> anyhow::Result<()> {
        let Session { solver, control, progress, .. } = self;
        frontier.grow(growth, solver, control, &mut |so_far| {
            progress.log(&format!("{} positions", so_far.leaves().count()));
        });
        if control.is_stopped() { bail!("stopped") } else { Ok(()) }
    }

    /// Keeps what is known.
    pub fn keep(&mut self) -> Result<(), FileError> {
        let spent = self.spent();
        self.keeping.as_mut().map_or(Ok(()), |keeping| keeping.keep(&self.solver, spent))
    }

    fn keep_if_due(&mut self) {
        let spent = self.spent();
        keep_if_due(&mut self.keeping, &self.solver, spent, &self.progress);
    }

    /// What this run and those before it have spent.
    fn spent(&self) -> Spent {
        self.spent_before.and(self.solver.expansions(), self.began.elapsed())
    }

    /// Keeps what is known, and says what it has cost.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.keep()?;
        self.progress.say(&self.spent().to_string());
        self.progress.heard()
    }
}

/// Keeps what is known if it is due. Where that cannot be written, the work is worth more than the file: it is tried again later.
fn keep_if_due(keeping: &mut Option<Keeping>, solver: &Solver, spent: Spent, progress: &Progress) {
    if let Some(keeping) =
        keeping.as_mut().filter(|keeping| keeping.written.elapsed() >= keeping.every)
        && let Err(error) = keeping.keep(solver, spent)
    {
        progress.note(&format!("{error}; goes on without"));
    }
}

impl Keeping {
    fn keep(&mut self, solver: &Solver, spent: Spent) -> Result<(), FileError> {
        self.written = Instant::now();
        self.checkpoint.write(solver, spent)
    }
}

/// Expansions a second, over the last seconds.
struct Rate {
    since: (Instant, u64),
    per_second: f64,
}

impl Rate {
    fn new() -> Rate {
        Rate { since: (Instant::now(), 0), per_second: 0.0 }
    }

    fn of(&mut self, expansions: u64) -> f64 {
        const WINDOW: Duration = Duration::from_secs(2);
        let (began, before) = self.since;
        let elapsed = began.elapsed();
        if before == 0 || elapsed >= WINDOW {
            if before > 0 {
                self.per_second = (expansions - before) as f64 / elapsed.as_secs_f64();
            }
            self.since = (Instant::now(), expansions);
        }
        self.per_second
    }
}

/// How far a question has come, in one line.
fn describe<G: Notation>(
    solver: &Solver,
    position: &G,
    name: &str,
    asked: Query,
    spent: Spent,
    rate: f64,
) -> String {
    let question = match asked {
        Query::Winner => "who wins?".to_owned(),
        Query::WinFor(player) => format!("{player} wins?"),
    };
    let numbers = match solver.known(position, asked) {
        RoundProof::Open([proof, disproof]) => format!("proof {proof} disproof {disproof}"),
        _ => "begun".to_owned(),
    };
    let moves = position.legal_moves().into_iter().map(|mv| {
        let state = match solver.known(&after(position, mv), asked) {
            RoundProof::Unknown => "?".to_owned(),
            RoundProof::Won(winner) => if winner == position.turn() { "+" } else { "-" }.to_owned(),
            RoundProof::Open(numbers) => format!("={}", numbers[position.turn().index()]),
        };
        format!("{mv}{state}")
    });
    let moves = moves.collect::<Vec<_>>().join(" ");
    let filled = 100.0 * solver.share_filled();
    // A position is too long a name for a line.
    let name = if name.contains(' ') { String::new() } else { format!("{name}: ") };
    format!(
        "{name}{question} {numbers}, {spent}, {:.0}k/s, table {filled:.0} %, {moves}",
        rate / 1e3
    )
}
