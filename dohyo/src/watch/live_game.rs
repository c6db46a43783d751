//! A game in progress, replayed by the rules.

use basho::records::live::LiveGame;
use dohyo_core::board::{self, Board};
use dohyo_core::message::LiveView;
use dohyo_core::search_output::{for_black, read_score};
use oshi::game::Player;
use oshi::games::Variant;
use oshi::games::language::Language;

/// A game in progress with all its positions.
pub struct ReplayedGame {
    boards: Vec<Board>,
    /// Number of moves of the opening.
    opening: usize,
    moves: Vec<String>,
}

impl ReplayedGame {
    /// Replays a game. Returns `None` if it is not legal.
    pub fn of(game: &LiveGame, variant: Variant) -> Option<ReplayedGame> {
        let start = match game.opening.start.as_str() {
            "startpos" => board::start(variant.start()),
            line => board::read(line).ok()?,
        };
        let played = game.moves.iter().map(|played| played.text.clone());
        let moves: Vec<String> = game.opening.moves.iter().cloned().chain(played).collect();
        let mut boards = vec![start];
        for text in &moves {
            boards.push(boards.last()?.play(text).ok()?);
        }
        Some(ReplayedGame { boards, opening: game.opening.moves.len(), moves })
    }

    /// Returns the game as a page reads it. `is_new` adds the board.
    pub fn view(
        &self,
        slot: usize,
        game: &LiveGame,
        is_new: bool,
        language: Language,
    ) -> Option<LiveView> {
        let last = self.boards.last()?;
        let mut chances = [None; 2];
        let mut lines = [Vec::new(), Vec::new()];
        for player in Player::ALL {
            let index = player.index();
            let is_mover =
                |ply: &usize| self.boards.get(*ply).and_then(|board| board.turn()) == Some(player);
            let Some(ply) = (self.opening..self.moves.len()).rev().find(is_mover) else {
                continue;
            };
            let score =
                game.moves.get(ply - self.opening).and_then(|played| played.score.as_deref());
            let black =
                score.and_then(read_score).map(|(_, probability)| for_black(probability, player));
            let line = game
                .variations
                .get(index)
                .zip(self.boards.get(ply))
                .map(|(line, board)| board.replay(line, language));
            if let (Some(chance), Some(names)) = (chances.get_mut(index), lines.get_mut(index)) {
                *chance = black;
                *names = line.into_iter().flatten().map(|mv| mv.name).collect();
            }
        }
        let [black, white] = game.players.clone();
        Some(LiveView {
            slot,
            number: game.game,
            black,
            white,
            variant: last.variant().name(),
            layout: board::layout(&last.line()).name(),
            stage: is_new.then(|| last.stage()),
            view: last.view(language),
            moves: self.boards.iter().skip(1).map(|board| board.symbol()).collect(),
            opening: self.opening,
            chances,
            lines,
            depths: game.depths,
            clock: game.clock_ms,
            since: game.since_ms,
        })
    }
}
