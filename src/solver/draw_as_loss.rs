//! A game with draws as a game without them, for proof-number search, which knows only two results.

use crate::game::{
    Evaluation, Evaluator, Game, MoveList, Outcome, Player, Policy, RoundProof, Searchable, mix,
};

/// Wrapper of a game that makes a draw a loss of `player`. Its proof tells whether `player` wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawAsLoss<G> {
    position: G,
    player: Player,
}

/// Separates the keys of these games from those of positions.
const KEY_TAG: u64 = 1 << 49;

impl<G: Game> DrawAsLoss<G> {
    /// The game whose proof tells whether `player` wins the position.
    pub fn for_player(position: &G, player: Player) -> Self {
        DrawAsLoss { position: *position, player }
    }

    fn key(&self) -> u64 {
        mix(KEY_TAG | self.player.index() as u64)
    }
}

impl<G: Game> Game for DrawAsLoss<G> {
    type Move = G::Move;

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = |outcome: Outcome| outcome.winner().unwrap_or(!self.player);
        self.position.outcome().map(|outcome| Outcome::Win(winner(outcome)))
    }

    fn legal_moves(&self) -> MoveList<G::Move> {
        self.position.legal_moves()
    }

    fn count_legal_moves(&self) -> usize {
        self.position.count_legal_moves()
    }

    fn play(&mut self, mv: G::Move) {
        self.position.play(mv);
    }

    fn play_non_winning(&mut self, mv: G::Move) {
        self.position.play_non_winning(mv);
    }

    fn winning_move(&self) -> Option<G::Move> {
        // A drawing move may win this game too. The proof search finds that when it tries the
        // moves.
        self.position.winning_move()
    }

    fn safe_moves(&self) -> MoveList<G::Move> {
        self.position.safe_moves()
    }

    fn count_safe_moves(&self) -> usize {
        self.position.count_safe_moves()
    }

    fn static_loss(&self, a_draw_is_lost: bool) -> Option<u8> {
        self.position.static_loss(a_draw_is_lost || self.turn() == self.player)
    }

    fn hash(&self) -> u64 {
        self.position.hash() ^ self.key()
    }

    fn proof_key(&self) -> u64 {
        self.position.proof_key() ^ self.key()
    }
}

impl<G: Searchable> Searchable for DrawAsLoss<G> {
    type Evaluator = DrawAsLossEvaluator<G>;
}

/// The evaluator of the underlying game.
pub struct DrawAsLossEvaluator<G: Searchable>(G::Evaluator);

impl<G: Searchable> Default for DrawAsLossEvaluator<G> {
    fn default() -> Self {
        DrawAsLossEvaluator(G::Evaluator::default())
    }
}

impl<G: Searchable> Evaluator<DrawAsLoss<G>> for DrawAsLossEvaluator<G> {
    const POLICY_PROOF_WEIGHT: f32 = G::Evaluator::POLICY_PROOF_WEIGHT;

    fn evaluate(
        &mut self,
        game: &DrawAsLoss<G>,
        moves: &[G::Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Evaluation {
        self.0.evaluate(&game.position, moves, round, winners)
    }

    fn classify_moves(&mut self, game: &DrawAsLoss<G>, moves: &[G::Move]) -> Policy {
        self.0.classify_moves(&game.position, moves)
    }

    fn is_near_end(game: &DrawAsLoss<G>) -> bool {
        G::Evaluator::is_near_end(&game.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamon::Kamon;
    use rand::SeedableRng;
    use rand::seq::IteratorRandom;
    use rand_chacha::ChaCha8Rng;

    fn after<G: Game>(mut position: G, mv: G::Move) -> G {
        position.play(mv);
        position
    }

    #[test]
    fn static_results_are_correct() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut draws, mut unsafe_moves) = (0, 0);
        for _ in 0..3_000 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(mv) = position.legal_moves().into_iter().choose(&mut rng) {
                for game in Player::ALL.map(|player| DrawAsLoss::for_player(&position, player)) {
                    let wins = |game: DrawAsLoss<Kamon>, mv| {
                        after(game, mv).outcome() == Some(Outcome::Win(game.turn()))
                    };
                    assert!(game.winning_move().is_none_or(|mv| wins(game, mv)));
                    assert_eq!(game.safe_moves().len(), game.count_safe_moves());
                    for mv in
                        game.legal_moves().into_iter().filter(|mv| !game.safe_moves().contains(mv))
                    {
                        let next = after(game, mv);
                        assert!(
                            next.legal_moves().into_iter().any(|reply| wins(next, reply)),
                            "{position}: {mv}"
                        );
                        unsafe_moves += 1;
                    }
                }
                position.play(mv);
            }
            if position.outcome() == Some(Outcome::Draw) {
                let winners =
                    Player::ALL.map(|player| DrawAsLoss::for_player(&position, player).outcome());
                assert_eq!(winners, Player::ALL.map(|player| Some(Outcome::Win(!player))));
                draws += 1;
            }
        }
        assert!(draws > 10, "{draws} draws test too little ({unsafe_moves} unsafe moves)");
    }

    #[test]
    fn keys_differ_from_those_of_positions() {
        let [black, white] =
            Player::ALL.map(|player| DrawAsLoss::for_player(&Kamon::start(), player));
        let keys = [Kamon::start().proof_key(), black.proof_key(), white.proof_key()];
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[2] != keys[0], "{keys:?}");
    }
}
