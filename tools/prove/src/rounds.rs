//! Proofs of matches round by round.
//!
//! Within a round the search is df-pn (Nagai 2002, *Df-pn algorithm for searching AND/OR trees and
//! its applications*). Openings of later rounds are leaves, decided by another search. Such a leaf
//! costs far more than a move, so its initial numbers may be higher; see `docs/proofs.md`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use arrayvec::ArrayVec;
use oshi::game::{Game, MAX_MOVES, Player};
use oshi::games::kamisado::Match;
use oshi::search::{Searcher, Settings};

use super::openings::Score;

/// Expansions of a proof, and their limit.
#[derive(Clone, Debug)]
pub struct Work {
    /// Expansions so far, by the number of rounds played before.
    pub expansions: [u64; 5],
    /// Maximum of their sum.
    pub limit: u64,
}

impl Work {
    /// No expansions yet, at most `limit` in all.
    pub const fn limited_to(limit: u64) -> Work {
        Work { expansions: [0; 5], limit }
    }

    /// Sum of all expansions.
    pub fn total(&self) -> u64 {
        self.expansions.iter().sum()
    }

    fn is_spent(&self) -> bool {
        self.total() >= self.limit
    }

    fn spend(&mut self, position: &Match, expansions: u64) {
        if let Some(spent) = self.expansions.get_mut(Score::of(position).rounds()) {
            *spent += expansions;
        }
    }
}

/// Returns the winner of a match from an opening, or `None` at the limit.
pub type Later<'a> = dyn FnMut(&Match, &mut Work) -> Option<Player> + 'a;

/// Proof number of each player's win: 0 if proven, [`NEVER`] if refuted.
type Numbers = [u32; 2];

const NEVER: u32 = 1 << 27;

fn won_by(player: Player) -> Numbers {
    let mut numbers = [NEVER; 2];
    numbers[player.index()] = 0;
    numbers
}

fn winner(numbers: Numbers) -> Option<Player> {
    Player::ALL.into_iter().find(|player| numbers[player.index()] == 0)
}

/// Uses keys as hashes; they are random already.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |key, &byte| key << 8 | u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Proof-number search within rounds.
pub struct RoundSearch {
    numbers: HashMap<u64, Numbers, BuildHasherDefault<KeyHasher>>,
    /// Initial proof number of the likely winner at an opening of a later round.
    cost: u32,
}

struct Child {
    position: Match,
    numbers: Numbers,
}

/// Initial proof number of the unlikely winner, as a multiple of the likely one's.
const UNLIKELY: u32 = 8;

/// Size at which the table is cleared before the next search.
const MAX_POSITIONS: usize = 1 << 23;

impl RoundSearch {
    /// A search with this weight of later rounds, in leaves.
    pub fn new(cost: u32) -> RoundSearch {
        RoundSearch { numbers: HashMap::default(), cost }
    }

    /// Returns the winner of the match, or `None` if `work` reaches its limit or `later` gives up.
    pub fn winner(
        &mut self,
        opening: &Match,
        work: &mut Work,
        later: &mut Later,
    ) -> Option<Player> {
        if self.numbers.len() > MAX_POSITIONS {
            self.numbers.clear();
        }
        winner(self.search(opening, [NEVER; 2], work, later)?)
    }

    /// Searches until a number reaches its threshold. Returns `None` at the limit of `work`.
    fn search(
        &mut self,
        position: &Match,
        limits: Numbers,
        work: &mut Work,
        later: &mut Later,
    ) -> Option<Numbers> {
        if work.is_spent() {
            return None;
        }
        work.spend(position, 1);
        let player = position.turn();
        let (own, other) = (player.index(), (!player).index());
        let mut children = self.children(position);
        loop {
            let (mut best, mut second, mut sum) = (None, NEVER, 0);
            let mut least = (NEVER, 0);
            for (index, child) in children.iter().enumerate() {
                sum = (sum + child.numbers[other]).min(NEVER);
                let number = child.numbers[own];
                if number < least.0 || number == least.0 && child.numbers[other] > least.1 {
                    second = least.0;
                    (best, least) = (Some(index), (number, child.numbers[other]));
                } else {
                    second = second.min(number);
                }
            }
            let mut numbers = [0; 2];
            (numbers[own], numbers[other]) = (least.0, sum);
            let is_over = numbers[own] >= limits[own] || numbers[other] >= limits[other];
            let Some(child) = best
                .filter(|_| !is_over && winner(numbers).is_none())
                .and_then(|best| children.get_mut(best))
            else {
                self.numbers.insert(position.proof_key(), numbers);
                return Some(numbers);
            };
            child.numbers = if child.position.is_free_choice() {
                let numbers = won_by(later(&child.position, work)?);
                self.numbers.insert(child.position.proof_key(), numbers);
                numbers
            } else {
                // The 1 + ε trick (Pawlewicz and Lew 2007): another child must be clearly easier.
                let mut within = [0; 2];
                within[own] = limits[own].min(second + second / 2 + 1).min(NEVER);
                within[other] = (limits[other].saturating_sub(sum) + least.1).min(NEVER);
                let position = child.position;
                self.search(&position, within, work, later)?
            };
        }
    }

    /// Positions after each move and the forced moves that follow. Moves that lose at once are
    /// omitted, since they affect neither number.
    fn children(&self, position: &Match) -> ArrayVec<Child, MAX_MOVES> {
        let mut children = ArrayVec::new();
        for mv in position.safe_moves() {
            let mut next = *position;
            next.play(mv);
            while next.count_legal_moves() == 1 {
                next.play(next.legal_moves()[0]);
            }
            let numbers = self.initial_numbers(&next);
            let is_win = numbers[position.turn().index()] == 0;
            children.push(Child { position: next, numbers });
            if is_win {
                break;
            }
        }
        children
    }

    fn initial_numbers(&self, position: &Match) -> Numbers {
        let player = position.turn();
        if let Some(outcome) = position.outcome() {
            return outcome.winner().map_or([NEVER; 2], won_by);
        }
        if let Some(&numbers) = self.numbers.get(&position.proof_key()) {
            return numbers;
        }
        let mut numbers = [1; 2];
        if position.is_free_choice() {
            let likely = likely_winner(position);
            (numbers[likely.index()], numbers[(!likely).index()]) =
                (self.cost, UNLIKELY * self.cost);
        } else if position.winning_move().is_some() {
            numbers = won_by(player);
        } else {
            match position.count_safe_moves() {
                0 => numbers = won_by(!player),
                moves => numbers[(!player).index()] = moves as u32,
            }
        }
        numbers
    }
}

/// Winner of the match if every opener wins the round with a plain tower.
pub fn likely_winner(opening: &Match) -> Player {
    let Score { opener, other } = Score::of(opening);
    // The opener wins this round and every second one after it.
    if opener >= other { opening.turn() } else { !opening.turn() }
}

/// Solver of rounds that decide the match.
pub struct DecidingRounds {
    searcher: Searcher<Match>,
}

/// Expansions per step of a deciding round.
const STEP: u64 = 256;

impl DecidingRounds {
    /// A solver with this memory, in MiB.
    pub fn new(hash_mib: usize) -> DecidingRounds {
        DecidingRounds { searcher: Searcher::new(Settings { hash_mib, ..Settings::default() }) }
    }

    /// Returns the winner of this round if that decides the match, or `None` at the limit.
    pub fn winner_of_match(&mut self, opening: &Match, work: &mut Work) -> Option<Player> {
        let round = opening.round();
        if !Player::ALL.into_iter().any(|player| round.decides_for(player)) {
            return None;
        }
        while !work.is_spent() {
            work.spend(opening, STEP);
            if let Some(proof) = self.searcher.solve(&round.contest, STEP) {
                return proof.outcome.winner().filter(|&winner| round.decides_for(winner));
            }
        }
        None
    }
}

/// Proves whole matches round by round, recursively.
pub struct Rounds {
    /// One search for each number of rounds played before.
    searches: Vec<RoundSearch>,
    deciding_rounds: DecidingRounds,
}

impl Rounds {
    /// A solver with this weight of later rounds, and `hash_mib` MiB for deciding rounds.
    pub fn new(cost: u32, hash_mib: usize) -> Rounds {
        Rounds {
            searches: (0..5).map(|_| RoundSearch::new(cost)).collect(),
            deciding_rounds: DecidingRounds::new(hash_mib),
        }
    }

    /// Returns the winner of the match from an opening, or `None` at the limit.
    pub fn winner(&mut self, opening: &Match, work: &mut Work) -> Option<Player> {
        let searches = self.searches.get_mut(Score::of(opening).rounds()..).unwrap_or_default();
        winner_of(opening, searches, &mut self.deciding_rounds, work)
    }
}

/// Uses the first of `searches` for this round and the others for later rounds.
fn winner_of(
    opening: &Match,
    searches: &mut [RoundSearch],
    deciding_rounds: &mut DecidingRounds,
    work: &mut Work,
) -> Option<Player> {
    if let Some(winner) = deciding_rounds.winner_of_match(opening, work) {
        return Some(winner);
    }
    let (search, later) = searches.split_first_mut()?;
    search.winner(opening, work, &mut |next, work| winner_of(next, later, deciding_rounds, work))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::draw;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Enough to prove many positions eight plies after an opening.
    const EXPANSIONS: u64 = 1 << 17;

    #[test]
    fn agrees_with_search_of_whole_matches() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut decided = 0;
        let mut with_later_rounds = 0;
        for number in 0..60 {
            let score = Score::REACHABLE[4 + number % 3];
            let mut position = draw(score, score, &mut rng).unwrap();
            for _ in 0..8 {
                position
                    .legal_moves()
                    .choose(&mut rng)
                    .into_iter()
                    .for_each(|&mv| position.play(mv));
            }
            if position.outcome().is_some() || position.winning_move().is_some() {
                continue;
            }
            let whole = Searcher::new(Settings { hash_mib: 64, ..Settings::default() })
                .solve(&position, EXPANSIONS);
            let (mut rounds, mut work) = (Rounds::new(1, 64), Work::limited_to(EXPANSIONS));
            // Without deciding rounds first, so that later rounds are searched.
            let mut asked = 0;
            let by_rounds = RoundSearch::new(1).winner(&position, &mut work, &mut |next, work| {
                asked += 1;
                rounds.winner(next, work)
            });
            if let (Some(whole), Some(by_rounds)) = (whole, by_rounds) {
                assert_eq!(whole.outcome.winner(), Some(by_rounds), "{position}");
                decided += 1;
                with_later_rounds += u32::from(asked > 0);
            }
        }
        assert!(
            decided >= 20 && with_later_rounds > 0,
            "too few cases: {decided} decided by both, {with_later_rounds} with later rounds"
        );
    }

    #[test]
    fn stops_at_limit() {
        let opening = Match::start(oshi::games::kamisado::Target::Standard);
        let mut work = Work::limited_to(5000);
        assert_eq!(Rounds::new(1, 64).winner(&opening, &mut work), None);
        assert!((5000..=5000 + STEP).contains(&work.total()), "{work:?}");
    }
}
