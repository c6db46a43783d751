//! Questions with two answers about games with three results: whether a player wins, where a draw is as good as a loss.

use crate::game::{
    Evaluation, Evaluator, Game, MoveList, Outcome, Player, Policy, RoundProof, Searchable, mix,
};

/// A game in which a draw counts as a win of one player. So proof-number search, which knows two results, can be asked whether the
/// *other* one wins. A game without draws needs no question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question<G> {
    position: G,
    asked: Player,
}

/// Keeps the keys of questions apart from those of positions and of each other.
const QUESTION: u64 = 1 << 49;

impl<G: Game> Question<G> {
    /// Whether this player wins the position.
    pub fn wins(position: &G, player: Player) -> Self {
        Question { position: *position, asked: player }
    }

    fn key(&self) -> u64 {
        mix(QUESTION | self.asked.index() as u64)
    }
}

impl<G: Game> Game for Question<G> {
    type Move = G::Move;

    fn turn(&self) -> Player {
        self.position.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = |outcome: Outcome| outcome.winner().unwrap_or(!self.asked);
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
        // What draws at once may win here too; the proof search sees it where it looks at the moves.
        self.position.winning_move()
    }

    fn safe_moves(&self) -> MoveList<G::Move> {
        self.position.safe_moves()
    }

    fn count_safe_moves(&self) -> usize {
        self.position.count_safe_moves()
    }

    fn seen_loss(&self, a_draw_is_lost: bool) -> Option<u8> {
        self.position.seen_loss(a_draw_is_lost || self.turn() == self.asked)
    }

    fn hash(&self) -> u64 {
        self.position.hash() ^ self.key()
    }

    fn proof_key(&self) -> u64 {
        self.position.proof_key() ^ self.key()
    }
}

impl<G: Searchable> Searchable for Question<G> {
    type Evaluator = Judge<G>;
}

/// Judges a question as the game's evaluator judges the position.
pub struct Judge<G: Searchable>(G::Evaluator);

impl<G: Searchable> Default for Judge<G> {
    fn default() -> Self {
        Judge(G::Evaluator::default())
    }
}

impl<G: Searchable> Evaluator<Question<G>> for Judge<G> {
    const PROOF_GUIDANCE: f32 = G::Evaluator::PROOF_GUIDANCE;

    fn evaluate(
        &mut self,
        question: &Question<G>,
        moves: &[G::Move],
        round: RoundProof,
        winners: &[Option<Player>],
    ) -> Evaluation {
        self.0.evaluate(&question.position, moves, round, winners)
    }

    fn classify_moves(&mut self, question: &Question<G>, moves: &[G::Move]) -> Policy {
        self.0.classify_moves(&question.position, moves)
    }

    fn is_near_end(question: &Question<G>) -> bool {
        G::Evaluator::is_near_end(&question.position)
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
    fn what_a_question_sees_at_a_glance_is_so() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut draws, mut unsafe_moves) = (0, 0);
        for _ in 0..3_000 {
            let mut position = Kamon::start().random_start(&mut rng);
            while let Some(mv) = position.legal_moves().into_iter().choose(&mut rng) {
                for question in Player::ALL.map(|player| Question::wins(&position, player)) {
                    let wins = |question: Question<Kamon>, mv| {
                        after(question, mv).outcome() == Some(Outcome::Win(question.turn()))
                    };
                    assert!(question.winning_move().is_none_or(|mv| wins(question, mv)));
                    assert_eq!(question.safe_moves().len(), question.count_safe_moves());
                    for mv in question
                        .legal_moves()
                        .into_iter()
                        .filter(|mv| !question.safe_moves().contains(mv))
                    {
                        let next = after(question, mv);
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
                let winners = Player::ALL.map(|player| Question::wins(&position, player).outcome());
                assert_eq!(winners, Player::ALL.map(|player| Some(Outcome::Win(!player))));
                draws += 1;
            }
        }
        assert!(draws > 10, "{draws} draws test too little ({unsafe_moves} unsafe moves)");
    }

    #[test]
    fn questions_and_positions_share_no_keys() {
        let [black, white] = Player::ALL.map(|player| Question::wins(&Kamon::start(), player));
        let keys = [Kamon::start().proof_key(), black.proof_key(), white.proof_key()];
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[2] != keys[0], "{keys:?}");
    }
}
