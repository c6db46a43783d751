//! The stages of a search, in their order. Each returns the move that it chooses, if any.

pub(super) mod defence;
pub(super) mod game;
pub(super) mod round;

use std::fmt::{self, Display, Formatter};

/// A stage of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The search of the round in play as a game of its own.
    Round,
    /// The tree search of the whole game.
    Game,
    /// The choice of a move in a lost game.
    Defence,
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Round => "round",
            Stage::Game => "game",
            Stage::Defence => "defence",
        })
    }
}

/// A move and the stage that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision<M> {
    /// The move to play.
    pub mv: M,
    /// The stage.
    pub stage: Stage,
}

#[cfg(test)]
mod tests {
    use super::Stage;
    use crate::games::kamisado::Match;
    use crate::search::{Control, Limits, Searcher, Settings};

    #[test]
    fn nodes_and_result_decide_which_stage_chooses() {
        let position = "Y2OG1LV/1P6/5r2/2B5/1R5l/8/7g/1bvp1yo1 b o 0-0";
        for (target, nodes, expected) in
            [(3, 300, Stage::Round), (3, 8_000, Stage::Game), (1, 8_000, Stage::Defence)]
        {
            let position: Match = format!("{position} {target}").parse().unwrap();
            let mut searcher = Searcher::new(Settings { hash_mib: 4, ..Settings::default() });
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
            assert_eq!(report.stage, Some(expected), "to {target} with {nodes} nodes");
        }
    }
}
