//! A review: every position of a game searched, and the moves marked that lost something.
//!
//! Two workers share the positions, the last first, so that what they learn of the end helps them with what led there. Where the value
//! falls with a move, a second look at the position and at the move must confirm it, unless both are proven: the noise of two searches
//! must not mark a good one.

use std::collections::BTreeMap;
use std::iter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use oshi::game::{Outcome, Player};
use oshi::protocol::{Command, Go};

use crate::board::Board;
use crate::driver::{DriverError, Question, Sight, Stop, chance, common_options};
use crate::engines::{Duty, Need};
use crate::game::{Eval, Game, GameId, Mark, MarkKind, NodeId, Summary};
use crate::hall::{Hall, NoThread};
use crate::news::{Gravity, What};
use crate::sync::lock;
use crate::table::{Reviewer, Table};

/// How many engines share the work.
const WORKERS: usize = 2;

/// A second look takes so many times as long.
const SECOND_LOOK: u64 = 4;

/// A loss of so much of the chance is dubious.
const DUBIOUS: f64 = 0.15;

/// A loss of so much is a mistake.
const MISTAKE: f64 = 0.25;

/// What a draw is worth.
const DRAW: f64 = 0.5;

/// After so many failures at one position it is given up.
const MOST_FAILURES: usize = 3;

/// The time for each position that a page may ask for, in milliseconds.
const TIMES: std::ops::RangeInclusive<u64> = 10..=60_000;

/// The main line of a game, as it is reviewed.
struct Course {
    id: GameId,
    plies: Vec<Ply>,
    ms: u64,
}

/// A position of it.
struct Ply {
    node: NodeId,
    board: Board,
    command: String,
    /// Whether there is anything to choose.
    is_choice: bool,
    /// The move that was played, if any was.
    played: Option<String>,
}

/// What is known of a position, for Black.
#[derive(Clone, Debug)]
struct Value {
    black: f64,
    is_proven: bool,
    line: Vec<String>,
}

impl Value {
    fn of(eval: &Eval) -> Value {
        Value { black: eval.black, is_proven: eval.proven, line: eval.line.clone() }
    }

    const fn for_player(&self, player: Player) -> f64 {
        match player {
            Player::Black => self.black,
            Player::White => 1.0 - self.black,
        }
    }
}

/// A move that seems to have lost something.
#[derive(Clone)]
struct Suspect {
    ply: usize,
    mover: Player,
    /// The best line as far as it is known, and what it is worth for the mover.
    line: Vec<String>,
    best: f64,
    best_is_proven: bool,
    /// What the played move is worth.
    played: f64,
    played_is_proven: bool,
}

impl Hall {
    /// Begins a review of the main line, in place of any other that runs; what one before has found stays until this one is complete.
    ///
    /// # Errors
    /// No thread can go through it.
    pub fn review(self: &Arc<Self>, table: &mut Table, ms: u64) -> Result<(), NoThread> {
        let game = &table.game;
        let line = game.main_line();
        let plies: Vec<Ply> = line
            .iter()
            .enumerate()
            .filter_map(|(ply, &node)| Ply::of(game, node, line.get(ply + 1)))
            .collect();
        let of = plies.iter().filter(|ply| ply.is_choice).count();
        let course =
            Course { id: game.id.clone(), plies, ms: ms.clamp(*TIMES.start(), *TIMES.end()) };
        let stop = Stop::default();
        let (hall, switch) = (Arc::clone(self), stop.clone());
        self.spawn("review", move || {
            let reviewed = hall.go_through(&course, &switch);
            hall.end_review(&course.id, &switch, reviewed);
        })?;
        self.unreview(table);
        table.reviewer = Some(Reviewer { stop, line, done: 0, of });
        self.tell(Some(&table.game.id), What::Review(Vec::new()));
        Ok(())
    }

    /// Ends the review of a game where moves of its line have been removed: its summary would count them.
    pub fn unreview_removed(&self, table: &mut Table) {
        let is_removed = |node: &NodeId| table.game.node(*node).is_err();
        if table.reviewer.as_ref().is_some_and(|reviewer| reviewer.line.iter().any(is_removed)) {
            self.unreview(table);
            let text = "the review has ended: moves of its line were removed".to_owned();
            self.tell(Some(&table.game.id), What::Message(Gravity::Warning, text));
        }
    }

    /// Ends the review of a game, if one runs.
    pub fn unreview(&self, table: &mut Table) {
        if let Some(reviewer) = table.reviewer.take() {
            reviewer.stop.pull();
        }
        // A tab may know of a review that a program before this one was at work on.
        self.tell(Some(&table.game.id), What::Review(Vec::new()));
    }

    fn end_review(&self, id: &GameId, stop: &Stop, reviewed: Result<Verdicts, DriverError>) {
        let Ok(table) = self.table(id) else { return };
        let mut table = lock(&table);
        if stop.is_pulled() {
            return;
        }
        table.reviewer = None;
        match reviewed {
            Ok(verdicts) => {
                table.game.marks = verdicts.marks;
                table.game.summary = Some(verdicts.summary);
                self.save(&table.game);
            }
            Err(error) => self.tell(
                Some(id),
                What::Message(
                    Gravity::Error,
                    format!("the review has ended: {error}{}", error.last_words()),
                ),
            ),
        }
        self.tell(Some(id), What::Review(Vec::new()));
    }

    fn go_through(&self, course: &Course, stop: &Stop) -> Result<Verdicts, DriverError> {
        let looks =
            self.share(course, stop, course.choices().rev().collect(), |worker, &ply| {
                let found = self.look_at(course, worker, ply, stop)?;
                Ok(found.map(|eval| (ply, eval)))
            })?;
        let looks: BTreeMap<usize, Eval> = looks.into_iter().flatten().collect();
        let values = course.values(&looks);
        let suspects = course.suspects(&values);
        let confirmed = self.share(course, stop, suspects, |worker, suspect| {
            self.look_again(course, worker, suspect, stop)
        })?;
        Ok(course.verdicts(&values, &confirmed))
    }

    /// Has the workers do something with each item.
    fn share<T: Sync + Send, R: Send>(
        &self,
        course: &Course,
        stop: &Stop,
        items: Vec<T>,
        work: impl Fn(usize, &T) -> Result<R, DriverError> + Sync,
    ) -> Result<Vec<R>, DriverError> {
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
        let is_given_up = AtomicBool::new(false);
        let serve = |worker: usize| -> Result<(), DriverError> {
            while let Some(item) = items
                .get(next.fetch_add(1, Ordering::Relaxed))
                .filter(|_| !is_given_up.load(Ordering::Relaxed))
            {
                let mut failures = 0;
                let result = loop {
                    match work(worker, item) {
                        Err(error)
                            if matches!(error, DriverError::Stopped)
                                || failures + 1 >= MOST_FAILURES =>
                        {
                            is_given_up.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        Err(error) => {
                            failures += 1;
                            let text = format!(
                                "review: {error}; the engine is started again{}",
                                error.last_words()
                            );
                            self.tell(Some(&course.id), What::Message(Gravity::Warning, text));
                        }
                        Ok(result) => break result,
                    }
                };
                lock(&results).push(result);
            }
            Ok(())
        };
        let ended: Vec<Result<(), DriverError>> = thread::scope(|scope| {
            let serve = &serve;
            let spawn =
                |worker| thread::Builder::new().spawn_scoped(scope, move || serve(worker)).ok();
            // Where the system gives no more threads, those that there are do all the work.
            let others: Vec<_> = (1..WORKERS).map_while(spawn).collect();
            let own = serve(0);
            let others =
                others.into_iter().map(|worker| worker.join().unwrap_or(Err(DriverError::Stopped)));
            iter::once(own).chain(others).collect()
        });
        ended.into_iter().collect::<Result<(), DriverError>>()?;
        if stop.is_pulled() {
            Err(DriverError::Stopped)
        } else {
            Ok(results.into_inner().unwrap_or_default())
        }
    }

    /// Searches a position, and tells what was found.
    fn look_at(
        &self,
        course: &Course,
        worker: usize,
        ply: usize,
        stop: &Stop,
    ) -> Result<Option<Eval>, DriverError> {
        let Some(at) = course.plies.get(ply) else { return Ok(None) };
        let sight = self.search(course, worker, at, course.ms, &[], 1, stop)?;
        let eval = at.board.turn().and_then(|turn| sight.eval(turn));
        if let Ok(table) = self.table(&course.id) {
            let mut table = lock(&table);
            if let Some(eval) = &eval {
                table.game.learn(at.node, eval.clone());
            }
            if let Some(reviewer) = table.reviewer.as_mut().filter(|_| !stop.is_pulled()) {
                reviewer.done += 1;
                self.tell(Some(&course.id), What::Review(vec![at.node]));
            }
        }
        Ok(eval)
    }

    /// Takes a second look at a move that seems to have lost something: longer, and at what is not certain yet.
    fn look_again(
        &self,
        course: &Course,
        worker: usize,
        suspect: &Suspect,
        stop: &Stop,
    ) -> Result<Suspect, DriverError> {
        let mut seen = suspect.clone();
        let Some(at) = course.plies.get(suspect.ply) else { return Ok(seen) };
        let played = at.played.clone().unwrap_or_default();
        let ms = SECOND_LOOK * course.ms;
        let mut is_compared = seen.played_is_proven;
        if !seen.best_is_proven {
            let sight = self.search(course, worker, at, ms, &[], 2, stop)?;
            if let Some((info, worth)) = sight.best().and_then(|info| Some((info, chance(info)?))) {
                (seen.line, seen.best, seen.best_is_proven) =
                    (info.pv.clone(), worth, sight.is_proven(info));
            }
            is_compared |= seen.see_played(&sight, &played);
        }
        if !is_compared {
            let sight =
                self.search(course, worker, at, ms, std::slice::from_ref(&played), 1, stop)?;
            seen.see_played(&sight, &played);
        }
        Ok(seen)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the words of `go`")]
    fn search(
        &self,
        course: &Course,
        worker: usize,
        at: &Ply,
        ms: u64,
        moves: &[String],
        lines: usize,
        stop: &Stop,
    ) -> Result<Sight, DriverError> {
        let allowed = Duration::from_millis(ms);
        let go = Go { move_time: Some(allowed), search_moves: moves.to_vec(), ..Go::default() };
        let mut options = common_options();
        options.insert("MultiPV", lines.to_string());
        let question = Question {
            position: at.command.clone(),
            go: Command::Go(go).to_string(),
            allowed: Some(allowed),
            variant: at.board.variant(),
            options,
        };
        let duty = Duty { game: course.id.clone(), need: Need::Review(worker), engine: 0 };
        self.pool.ask(&duty, &question, stop, |_| ()).map(|answer| answer.sight)
    }
}

/// What came of a review.
struct Verdicts {
    marks: BTreeMap<NodeId, Mark>,
    summary: [Summary; 2],
}

impl Suspect {
    fn loss(&self) -> f64 {
        (self.best - self.played).max(0.0)
    }

    /// Takes over what the played move is worth, if it was looked at.
    fn see_played(&mut self, sight: &Sight, played: &String) -> bool {
        let line = sight.lines.values().find(|info| info.pv.first() == Some(played));
        let found = line.and_then(|info| Some((info, chance(info)?)));
        if let Some((info, worth)) = found.filter(|_| !self.played_is_proven) {
            (self.played, self.played_is_proven) = (worth, sight.is_proven(info));
        }
        found.is_some()
    }
}

impl Ply {
    fn of(game: &Game, node: NodeId, next: Option<&NodeId>) -> Option<Ply> {
        let board = game.board(node).ok()?.clone();
        let is_choice = board.legal().len() > 1;
        let played = next.and_then(|&next| game.node(next).ok()).map(|next| next.text.clone());
        Some(Ply { node, board, command: game.command_to(node), is_choice, played })
    }
}

impl Course {
    /// The positions in which there is a choice.
    fn choices(&self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.plies.len()).filter(|&ply| self.plies.get(ply).is_some_and(|at| at.is_choice))
    }

    /// What is known of every position: what was found there, else what is known of the next one; at the end, the result.
    fn values(&self, looks: &BTreeMap<usize, Eval>) -> BTreeMap<usize, Value> {
        let mut values: BTreeMap<usize, Value> = BTreeMap::new();
        for (ply, at) in self.plies.iter().enumerate().rev() {
            let value = match (at.board.outcome(), looks.get(&ply)) {
                (Some(outcome), _) => {
                    let black = match outcome {
                        Outcome::Win(winner) => f64::from(u8::from(winner == Player::Black)),
                        Outcome::Draw => DRAW,
                    };
                    Some(Value { black, is_proven: true, line: Vec::new() })
                }
                (None, Some(eval)) => Some(Value::of(eval)),
                (None, None) => {
                    values.get(&(ply + 1)).map(|next| Value { line: Vec::new(), ..next.clone() })
                }
            };
            values.extend(value.map(|value| (ply, value)));
        }
        values
    }

    /// The move of a ply that was a choice: its mover, the value before and the one after it.
    fn choice<'a>(
        &self,
        values: &'a BTreeMap<usize, Value>,
        ply: usize,
    ) -> Option<(Player, &'a Value, &'a Value)> {
        let at = self.plies.get(ply).filter(|at| at.is_choice && at.played.is_some())?;
        Some((at.board.turn()?, values.get(&ply)?, values.get(&(ply + 1))?))
    }

    /// The moves that seem to have lost something.
    fn suspects(&self, values: &BTreeMap<usize, Value>) -> Vec<Suspect> {
        let suspect = |ply: usize| {
            let (mover, before, after) = self.choice(values, ply)?;
            let suspect = Suspect {
                ply,
                mover,
                line: before.line.clone(),
                best: before.for_player(mover),
                best_is_proven: before.is_proven,
                played: after.for_player(mover),
                played_is_proven: after.is_proven,
            };
            (suspect.loss() >= DUBIOUS).then_some(suspect)
        };
        self.choices().filter_map(suspect).collect()
    }

    fn verdicts(&self, values: &BTreeMap<usize, Value>, suspects: &[Suspect]) -> Verdicts {
        let (mut marks, mut summary) = (BTreeMap::new(), [Summary::default(), Summary::default()]);
        let mut losses = [(0.0, 0u32); 2];
        for ply in self.choices() {
            let Some((mover, ..)) = self.choice(values, ply) else { continue };
            let found = suspects.iter().find(|suspect| suspect.ply == ply);
            let mark = found.and_then(|suspect| self.mark(suspect));
            let loss = mark.as_ref().map_or(0.0, |mark| mark.loss);
            let (Some(losses), Some(summary)) =
                (losses.get_mut(mover.index()), summary.get_mut(mover.index()))
            else {
                continue;
            };
            *losses = (losses.0 + loss, losses.1 + 1);
            let Some(mark) = mark else { continue };
            *match mark.kind {
                MarkKind::Thrown => &mut summary.thrown,
                MarkKind::Missed => &mut summary.missed,
                MarkKind::Mistake => &mut summary.mistakes,
                MarkKind::Dubious => &mut summary.dubious,
            } += 1;
            marks.extend(self.plies.get(ply + 1).map(|next| (next.node, mark)));
        }
        for (summary, (loss, moves)) in summary.iter_mut().zip(losses) {
            summary.accuracy = 100.0 * (1.0 - loss / f64::from(moves.max(1)));
        }
        Verdicts { marks, summary }
    }

    fn mark(&self, suspect: &Suspect) -> Option<Mark> {
        let (at, loss) = (self.plies.get(suspect.ply)?, suspect.loss());
        // Engines may say anything.
        let better = suspect.line.first().filter(|better| at.board.play(better).is_ok())?;
        if loss < DUBIOUS || at.played.as_ref() == Some(better) {
            return None;
        }
        let (kind, why) = if suspect.best_is_proven && suspect.best > DRAW && suspect.played < DRAW
        {
            (MarkKind::Thrown, "win")
        } else if suspect.best_is_proven && suspect.best == DRAW && suspect.played_is_proven {
            (MarkKind::Thrown, "draw")
        } else if let Some(why) = self.chance_missed(at, suspect) {
            (MarkKind::Missed, why)
        } else if loss >= MISTAKE {
            (MarkKind::Mistake, "chance")
        } else {
            (MarkKind::Dubious, "chance")
        };
        Some(Mark {
            kind,
            better: better.clone(),
            why: why.to_owned(),
            loss,
            proven: suspect.best_is_proven,
        })
    }

    /// Whether the better line is another refill, or breaks the opponent's serve: it wins the round that they have opened.
    fn chance_missed(&self, at: &Ply, suspect: &Suspect) -> Option<&'static str> {
        let mut board = at.board.clone();
        for (number, text) in suspect.line.iter().enumerate() {
            let mover = board.turn()?;
            board = board.play(text).ok()?;
            let deed = board.deed();
            if deed.is_refill {
                return (number == 0).then_some("refill");
            }
            if deed.is_break {
                return (mover == suspect.mover).then_some("break");
            }
        }
        None
    }
}
