//! Limited strength: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! A weak player searches fewer nodes and overlooks moves. Neither depends on the speed of the
//! machine. As people do, it overlooks an immediate win of the round less often than other moves.
//! Which moves it overlooks depends only on the seed and the position.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::game::{Game, Outcome};
use crate::search::{Limits, Settings};

/// Limits of a weak player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Node limit per move.
    nodes: u64,
    /// Probability of overlooking a move, in permille.
    overlooked_permille: u32,
}

/// A rating and its strength.
struct Level {
    elo: u32,
    strength: Strength,
}

const fn level(elo: u32, nodes: u64, overlooked_permille: u32) -> Level {
    Level { elo, strength: Strength { nodes, overlooked_permille } }
}

/// The levels, weakest first. `tournaments/levels.toml` measured their ratings in standard matches
/// of Kamisado. The games and confidence intervals are in `docs/results.md`.
const LEVELS: [Level; 14] = [
    level(390, 1, 970),
    level(530, 1, 900),
    level(760, 2, 800),
    level(980, 4, 650),
    level(1270, 8, 450),
    level(1390, 16, 325),
    level(1620, 32, 225),
    level(1760, 64, 150),
    level(1910, 128, 100),
    level(2030, 256, 70),
    level(2050, 512, 45),
    level(2250, 2048, 20),
    level(2400, 8192, 10),
    level(2430, 32_768, 0),
];

/// Lowest and highest rating that can be set.
pub const RANGE: (u32, u32) = {
    let [lowest, .., highest] = &LEVELS;
    (lowest.elo, highest.elo)
};

/// Default rating.
pub const DEFAULT: u32 = 1500;

impl Strength {
    /// Interpolates the strength of a rating between the two nearest levels. A rating outside the
    /// range gets the nearest level.
    pub fn of(elo: u32) -> Strength {
        let mut pairs = LEVELS.iter().zip(LEVELS.iter().skip(1));
        let [first, .., last] = &LEVELS;
        match pairs.find(|(below, above)| (below.elo..above.elo).contains(&elo)) {
            Some((below, above)) => {
                let (share, whole) = (u64::from(elo - below.elo), u64::from(above.elo - below.elo));
                let between =
                    |below: u64, above: u64| (below * (whole - share) + above * share) / whole;
                let (weaker, stronger) = (below.strength, above.strength);
                let overlooked_permille =
                    between(weaker.overlooked_permille.into(), stronger.overlooked_permille.into())
                        as u32;
                Strength { nodes: between(weaker.nodes, stronger.nodes), overlooked_permille }
            }
            None if elo < first.elo => first.strength,
            None => last.strength,
        }
    }

    /// Returns the settings of a limited search: one thread and memory for the nodes of one move.
    /// `Hash` and `Threads` have no effect.
    pub const fn settings(seed: u64) -> Settings {
        Settings { hash_mib: 8, threads: 1, seed }
    }

    /// Limits a search to fewer nodes and to the moves that are not overlooked, at least one.
    pub fn limit<G: Game>(
        self,
        position: &G,
        limits: Limits<G::Move>,
        seed: u64,
    ) -> Limits<G::Move> {
        let legal = position.legal_moves();
        let candidates =
            if limits.search_moves.is_empty() { &legal } else { &*limits.search_moves };
        let mut rng = ChaCha8Rng::seed_from_u64(position.hash() ^ seed);
        let always_seen = candidates.choose(&mut rng).copied();
        let round = position.round().contest;
        let is_seen = |mv: &G::Move| {
            let tries = if wins_immediately(&round, *mv) { WIN_DETECTION_TRIES } else { 1 };
            (0..tries).any(|_| !rng.random_ratio(self.overlooked_permille, 1000))
                || Some(*mv) == always_seen
        };
        let search_moves = candidates.iter().copied().filter(is_seen).collect();
        Limits {
            nodes: Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes))),
            search_moves,
            ..limits
        }
    }
}

/// Independent chances to notice a move that wins the round at once.
const WIN_DETECTION_TRIES: u32 = 3;

fn wins_immediately<G: Game>(round: &G, mv: G::Move) -> bool {
    let mut next = *round;
    next.play(mv);
    next.outcome() == Some(Outcome::Win(round.turn()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Text;
    use crate::games::kamisado::{Match, Target};
    use crate::games::kamon::Kamon;

    fn seen<G: Game>(position: &G, strength: Strength, seed: u64) -> Vec<G::Move> {
        strength.limit(position, Limits::default(), seed).search_moves
    }

    #[test]
    fn higher_rating_is_never_weaker() {
        assert!(LEVELS.is_sorted_by_key(|level| level.elo));
        let strengths: Vec<Strength> = (RANGE.0..=RANGE.1).map(Strength::of).collect();
        assert!(strengths.is_sorted_by_key(|strength| strength.nodes));
        assert!(strengths.iter().rev().is_sorted_by_key(|strength| strength.overlooked_permille));
        for pair in LEVELS.windows(2) {
            assert_ne!(pair[0].strength, pair[1].strength);
        }
    }

    #[test]
    fn rating_of_level_gives_its_strength() {
        for level in LEVELS {
            assert_eq!(Strength::of(level.elo), level.strength);
        }
        assert_eq!(Strength::of(0), LEVELS[0].strength);
        assert_eq!(Strength::of(u32::MAX), LEVELS[LEVELS.len() - 1].strength);
    }

    #[test]
    fn overlooks_expected_share_of_moves() {
        let start = Match::start(Target::Simple);
        for overlooked_permille in [0, 250, 900] {
            let share: usize = (0..100)
                .map(|seed| seen(&start, Strength { nodes: 1, overlooked_permille }, seed).len())
                .sum();
            let expected = 102 * (1000 - overlooked_permille as usize) / 10;
            assert!(
                share.abs_diff(expected) <= 300,
                "{overlooked_permille}: {share} of 10200 seen"
            );
        }
    }

    #[test]
    fn overlooks_winning_move_less_often() {
        let position: Match =
            "5G2/5R2/4rLy1/Y1Pl2B1/O+p6/8/1bo3V1/3g2v1 b p 1-0 3".parse().unwrap();
        let strength = Strength { nodes: 1, overlooked_permille: 500 };
        let times = |text: &str| {
            let mv = position.parse_move(text).unwrap();
            (0..1000).filter(|&seed| seen(&position, strength, seed).contains(&mv)).count()
        };
        let (win, other) = (times("b4b8"), times("b4b5"));
        assert!(win.abs_diff(875) < 60 && other.abs_diff(600) < 100, "{win} and {other} of 1000");
    }

    #[test]
    fn sees_one_move_chosen_by_seed() {
        let start = Kamon::start();
        let blind = Strength { nodes: 1, overlooked_permille: 1000 };
        let moves: Vec<_> = (0..100).map(|seed| seen(&start, blind, seed)).collect();
        assert!(moves.iter().all(|moves| moves.len() == 1));
        let distinct: std::collections::BTreeSet<_> = moves.iter().collect();
        assert_eq!(distinct.len(), start.legal_moves().len(), "some seed sees each move");
        assert_eq!(moves[7], seen(&start, blind, 7));
    }

    #[test]
    fn keeps_searchmoves_and_lower_node_limit() {
        let start = Match::start(Target::Simple);
        let requested: Vec<_> = start.legal_moves().into_iter().take(3).collect();
        let limits =
            Limits { search_moves: requested.clone(), nodes: Some(5), ..Limits::default() };
        let limited = Strength { nodes: 10, overlooked_permille: 500 }.limit(&start, limits, 1);
        assert!(limited.search_moves.iter().all(|mv| requested.contains(mv)));
        assert_eq!(limited.nodes, Some(5));
    }
}
