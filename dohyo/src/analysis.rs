//! Analysis: an engine looks at a position until it is told otherwise.

use std::sync::Arc;

use oshi::protocol::{Command, Go};
use tokio::sync::mpsc::Sender;

use crate::driver::{DriverError, Question, Sight, Stop, common_options};
use crate::engines::{Duty, Need};
use crate::game::{GameFault, GameId, NodeId};
use crate::hall::Hall;
use crate::message::Answer;
use crate::news::{Analysis, Gravity, What};
use crate::orders::Refusal;
use crate::sync::lock;
use crate::table::{Analyst, Table};

/// The most lines at once.
pub const MOST_LINES: usize = 10;

/// After so many failures it is given up.
const MOST_FAILURES: u32 = 3;

impl Hall {
    /// Begins an analysis for a tab, in place of any other in this game.
    ///
    /// # Errors
    /// There is no such position, the game is over there, or no thread can ask an engine.
    pub fn analyse(
        self: &Arc<Self>,
        table: &mut Table,
        node: NodeId,
        lines: usize,
        engine: usize,
        asker: Sender<Answer>,
    ) -> Result<(), Refusal> {
        let board = table.game.board(node)?;
        let Some(turn) = board.turn() else { return Err(GameFault::Over.into()) };
        let mut options = common_options();
        options.insert("MultiPV", lines.clamp(1, MOST_LINES).to_string());
        let question = Question {
            position: table.game.command_to(node),
            go: Command::Go(Go { infinite: true, ..Go::default() }).to_string(),
            allowed: None,
            variant: board.variant(),
            options,
        };
        let stop = Stop::default();
        let duty = Duty { game: table.game.id.clone(), need: Need::Analysis, engine };
        let (hall, switch) = (Arc::clone(self), stop.clone());
        self.spawn("analysis", move || {
            let mut last = None;
            let tell = |sight: &Sight| {
                last = sight.eval(turn);
                hall.tell(
                    Some(&duty.game),
                    What::Analysis(Arc::new(Analysis { node, sight: sight.clone() })),
                );
            };
            let failure = hall.look(&duty, &question, &switch, tell);
            hall.end_analysis(&duty.game, node, &switch, failure);
            if let (Some(eval), Ok(table)) = (last, hall.table(&duty.game)) {
                let mut table = lock(&table);
                if table.game.learn(node, eval) {
                    hall.tell(Some(&duty.game), What::Eval(node));
                    hall.save(&table.game);
                }
            }
        })?;
        let mut askers = table.analyst.take().map_or_else(Vec::new, |before| {
            before.stop.pull();
            before.askers
        });
        if !askers.iter().any(|tab| tab.same_channel(&asker)) {
            askers.push(asker);
        }
        let analyst = Analyst { node, askers, stop };
        table.analyst = Some(analyst);
        Ok(())
    }

    /// Asks until it is stopped; what is wrong, if the engine fails again and again.
    fn look(
        &self,
        duty: &Duty,
        question: &Question,
        stop: &Stop,
        mut tell: impl FnMut(&Sight),
    ) -> Option<String> {
        let mut failures = 0;
        loop {
            let (error, last_words) = match self.pool.ask(duty, question, stop, &mut tell) {
                Err(DriverError::Stopped) => return None,
                Ok(answer) => ("it has ended its analysis by itself".to_owned(), answer.last_words),
                Err(error) => (error.to_string(), error.last_words()),
            };
            failures += 1;
            if failures == MOST_FAILURES {
                return Some(format!(
                    "{error}; it has failed {MOST_FAILURES} times, and is given up{last_words}"
                ));
            }
            let text = format!("analysis: {error}; the engine is started again{last_words}");
            self.tell(Some(&duty.game), What::Message(Gravity::Warning, text));
        }
    }

    fn end_analysis(&self, id: &GameId, node: NodeId, stop: &Stop, failure: Option<String>) {
        let (Some(error), Ok(table)) = (failure, self.table(id)) else { return };
        let mut table = lock(&table);
        if !stop.is_pulled() && table.analyst.as_ref().is_some_and(|analyst| analyst.node == node) {
            table.analyst = None;
            self.tell(Some(id), What::Message(Gravity::Error, format!("analysis: {error}")));
        }
    }

    /// Ends the analysis of a game, if no other tab than this one, which leaves, has asked for it.
    pub fn rest_for(&self, table: &mut Table, tab: &Sender<Answer>) {
        let is_unwanted = table.analyst.as_mut().is_some_and(|analyst| {
            analyst.askers.retain(|asker| !asker.same_channel(tab));
            analyst.askers.is_empty()
        });
        if is_unwanted {
            self.rest(table);
        }
    }

    /// Ends the analysis of a game, if one runs.
    pub fn rest(&self, table: &mut Table) {
        if let Some(analyst) = table.analyst.take() {
            analyst.stop.pull();
        }
    }
}
