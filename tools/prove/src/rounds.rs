//! Proofs of matches round by round: within a round by proof numbers (df-pn, Nagai 2002), where the openings of later rounds are leaves whose winner
//! somebody else is asked for.
//!
//! Such a leaf costs far more than a move to look at, so its numbers may be higher from the start. `docs/proofs.md` tells what that gave.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use arrayvec::ArrayVec;
use oshi::game::{Game, MAX_MOVES, Player};
use oshi::games::kamisado::Match;
use oshi::search::{Searcher, Settings};

use super::openings::Score;

/// The work of a proof.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Expansions made so far, by the points played for before the round.
    pub expansions: [u64; 5],
    /// The most of them.
    pub most: u64,
}

impl Effort {
    /// Nothing done yet.
    pub const fn of_at_most(expansions: u64) -> Effort {
        Effort { expansions: [0; 5], most: expansions }
    }

    /// All expansions made so far.
    pub fn total(&self) -> u64 {
        self.expansions.iter().sum()
    }

    fn is_spent(&self) -> bool {
        self.total() >= self.most
    }

    fn spend(&mut self, position: &Match, expansions: u64) {
        if let Some(spent) = self.expansions.get_mut(Score::of(position).rounds()) {
            *spent += expansions;
        }
    }
}

/// Says who wins a match from the first move of a round; `None` where that takes more than may be spent.
pub type Later<'a> = dyn FnMut(&Match, &mut Effort) -> Option<Player> + 'a;

/// For each player, how many leaves at least have still to be decided for their win: 0 where it is proven, [`NEVER`] where the other's is.
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

/// Keys are random enough by themselves.
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

/// A proof search within rounds.
pub struct RoundSearch {
    numbers: HashMap<u64, Numbers, BuildHasherDefault<KeyHasher>>,
    /// What the opening of a later round counts for: as many open leaves for whoever is likelier to win from there.
    cost: u32,
}

struct Child {
    position: Match,
    numbers: Numbers,
}

/// How many times as hard it seems to show that the unlikely winner wins.
const UNLIKELY: u32 = 8;

/// Positions after which what is known is forgotten before another question is begun.
const MOST_POSITIONS: usize = 1 << 23;

impl RoundSearch {
    pub fn new(cost: u32) -> RoundSearch {
        RoundSearch { numbers: HashMap::default(), cost }
    }

    /// Who wins the match from the first move of a round; `None` where `effort` is spent before or `later` gives up.
    pub fn winner(
        &mut self,
        opening: &Match,
        effort: &mut Effort,
        later: &mut Later,
    ) -> Option<Player> {
        if self.numbers.len() > MOST_POSITIONS {
            self.numbers.clear();
        }
        winner(self.search(opening, [NEVER; 2], effort, later)?)
    }

    /// Works until one of the numbers reaches its limit. `None` where the work may not go on.
    fn search(
        &mut self,
        position: &Match,
        limits: Numbers,
        effort: &mut Effort,
        later: &mut Later,
    ) -> Option<Numbers> {
        if effort.is_spent() {
            return None;
        }
        effort.spend(position, 1);
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
                let numbers = won_by(later(&child.position, effort)?);
                self.numbers.insert(child.position.proof_key(), numbers);
                numbers
            } else {
                // Until another child seems clearly easier (the 1 + ε trick, Pawlewicz and Lew 2007).
                let mut within = [0; 2];
                within[own] = limits[own].min(second + second / 2 + 1).min(NEVER);
                within[other] = (limits[other].saturating_sub(sum) + least.1).min(NEVER);
                let position = child.position;
                self.search(&position, within, effort, later)?
            };
        }
    }

    /// The positions with a choice to which the moves lead. Moves that are seen to lose are left out: they count for neither number.
    fn children(&self, position: &Match) -> ArrayVec<Child, MAX_MOVES> {
        let mut children = ArrayVec::new();
        for mv in position.safe_moves() {
            let mut next = *position;
            next.play(mv);
            while next.count_legal_moves() == 1 {
                next.play(next.legal_moves()[0]);
            }
            let numbers = self.numbers_at_sight(&next);
            let is_win = numbers[position.turn().index()] == 0;
            children.push(Child { position: next, numbers });
            if is_win {
                break;
            }
        }
        children
    }

    fn numbers_at_sight(&self, position: &Match) -> Numbers {
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

/// Who wins the match from the opening of a round where every opener wins the round with a plain tower.
pub fn likely_winner(opening: &Match) -> Player {
    let Score { opener, other } = Score::of(opening);
    // The opener wins every other round, and this one.
    if opener >= other { opening.turn() } else { !opening.turn() }
}

/// Who wins rounds as contests of their own.
pub struct Contests {
    searcher: Searcher<Match>,
}

/// Expansions between two looks at what has been proven; those of contests are counted in such steps.
const STEP: u64 = 256;

impl Contests {
    /// With so much memory, in MiB.
    pub fn new(hash_mib: usize) -> Contests {
        Contests { searcher: Searcher::new(Settings { hash_mib, ..Settings::default() }) }
    }

    /// The winner of the round that begins here, if that decides the match; `None` also where the effort is spent before.
    pub fn winner_of_match(&mut self, opening: &Match, effort: &mut Effort) -> Option<Player> {
        let round = opening.round();
        if !Player::ALL.into_iter().any(|player| round.decides_for(player)) {
            return None;
        }
        while !effort.is_spent() {
            effort.spend(opening, STEP);
            if let Some(proof) = self.searcher.solve(&round.contest, STEP) {
                return proof.outcome.winner().filter(|&winner| round.decides_for(winner));
            }
        }
        None
    }
}

/// Proves whole matches round by round: the winner of a later round is found by the same means.
pub struct Rounds {
    /// By the points played for before.
    searches: Vec<RoundSearch>,
    contests: Contests,
}

impl Rounds {
    /// With this cost of later rounds, and so much memory for contests, in MiB.
    pub fn new(cost: u32, hash_mib: usize) -> Rounds {
        Rounds {
            searches: (0..5).map(|_| RoundSearch::new(cost)).collect(),
            contests: Contests::new(hash_mib),
        }
    }

    /// Who wins the match from the first move of a round; `None` where the effort is spent before.
    pub fn winner(&mut self, opening: &Match, effort: &mut Effort) -> Option<Player> {
        let searches = self.searches.get_mut(Score::of(opening).rounds()..).unwrap_or_default();
        winner_of(opening, searches, &mut self.contests, effort)
    }
}

/// By the searches of this round and of later ones.
fn winner_of(
    opening: &Match,
    searches: &mut [RoundSearch],
    contests: &mut Contests,
    effort: &mut Effort,
) -> Option<Player> {
    if let Some(winner) = contests.winner_of_match(opening, effort) {
        return Some(winner);
    }
    let (search, later) = searches.split_first_mut()?;
    search.winner(opening, effort, &mut |next, effort| winner_of(next, later, contests, effort))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings::draw;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// Positions of a round some plies on, of which many are proven by this many expansions.
    const EXPANSIONS: u64 = 1 << 17;

    #[test]
    fn winners_are_those_of_the_search_of_whole_matches() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut decided = 0;
        let mut with_later_rounds = 0;
        for number in 0..60 {
            let score = Score::MET[4 + number % 3];
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
            let (mut rounds, mut effort) = (Rounds::new(1, 64), Effort::of_at_most(EXPANSIONS));
            // Without the look at the round as a contest, so that later ones are asked for.
            let mut asked = 0;
            let by_rounds =
                RoundSearch::new(1).winner(&position, &mut effort, &mut |next, effort| {
                    asked += 1;
                    rounds.winner(next, effort)
                });
            if let (Some(whole), Some(by_rounds)) = (whole, by_rounds) {
                assert_eq!(whole.outcome.winner(), Some(by_rounds), "{position}");
                decided += 1;
                with_later_rounds += u32::from(asked > 0);
            }
        }
        assert!(
            decided >= 20 && with_later_rounds > 0,
            "{decided} decided by both, {with_later_rounds} by later rounds, test too little"
        );
    }

    #[test]
    fn no_more_is_spent_than_may_be() {
        let opening = Match::start(oshi::games::kamisado::Target::Standard);
        let mut effort = Effort::of_at_most(5000);
        assert_eq!(Rounds::new(1, 64).winner(&opening, &mut effort), None);
        assert!((5000..=5000 + STEP).contains(&effort.total()), "{effort:?}");
    }
}
