//! The schedule: players, opening and seeds of every game.
//!
//! It is a pure function of the game's number, so that all machines of a sharded tournament agree.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::shard::Shard;
use oshi::game::Player;

/// Which engines play each other.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every engine plays every other one. Between two engines this is a match.
    #[default]
    #[serde(alias = "roundrobin")]
    RoundRobin,
    /// The first engine plays every other one.
    Gauntlet,
}

/// The schedule of a tournament.
///
/// ```
/// use basho::config::schedule::{Format, Schedule};
/// use oshi::game::Player;
///
/// let schedule = Schedule::new(Format::RoundRobin, 2, 50, 1);
/// assert_eq!(schedule.games(), 100);
/// let game = schedule.game(2).unwrap();
/// assert_eq!(game.pair.engines, [0, 1]);
/// assert_eq!(game.engine_of(Player::Black), 1, "the second game swaps the colours");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    rounds: u64,
    seed: u64,
}

/// Two games from one opening with the colours swapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// Number of the pair in the tournament, from 0.
    pub number: u64,
    /// Number of the round, from 0. All pairs of a round start from the same opening.
    pub round: u64,
    /// Indices of the two engines in the tournament file. The first one opens the first game.
    pub engines: [usize; 2],
    /// Seeds of the two engines, the same in both games. Below 2³¹, to fit any engine's option.
    pub seeds: [u64; 2],
}

/// One scheduled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    /// Number of the game in the tournament, from 1.
    pub number: u64,
    /// The pair of the game.
    pub pair: Pair,
    /// Side, 0 or 1, of the pair that plays [`Player::Black`] and opens.
    pub opener: usize,
}

impl Game {
    /// Side, 0 or 1, of the pair that plays this colour.
    const fn side_of(&self, player: Player) -> usize {
        self.opener ^ player.index()
    }

    /// Index in the tournament file of the engine that plays this colour.
    pub const fn engine_of(&self, player: Player) -> usize {
        let [first, second] = self.pair.engines;
        if self.side_of(player) == 0 { first } else { second }
    }

    /// Seed of the engine that plays this colour.
    pub const fn seed_of(&self, player: Player) -> u64 {
        let [first, second] = self.pair.seeds;
        if self.side_of(player) == 0 { first } else { second }
    }
}

impl Schedule {
    /// A schedule of `rounds` pairs of games for each pairing of `engines` engines.
    pub fn new(format: Format, engines: usize, rounds: u64, seed: u64) -> Schedule {
        let firsts = match format {
            Format::RoundRobin => engines,
            Format::Gauntlet => engines.min(1),
        };
        let pairings = (0..firsts)
            .flat_map(|first| (first + 1..engines).map(move |second| [first, second]))
            .collect();
        Schedule { pairings, rounds, seed }
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.rounds.saturating_mul(self.pairings.len() as u64)
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.pairs().saturating_mul(2)
    }

    /// Pairings of each round, in order, as indices of engines.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The pair with this number, from 0; `None` past the end.
    pub fn pair(&self, number: u64) -> Option<Pair> {
        let pairings = self.pairings.len() as u64;
        let round = number.checked_div(pairings).filter(|&round| round < self.rounds)?;
        let engines = *self.pairings.get(self.pairing_of(number) as usize)?;
        let mut rng = self.rng(Stream::Engines, number);
        let seeds = [(); 2].map(|()| u64::from(rng.next_u32() >> 1));
        Some(Pair { number, round, engines, seeds })
    }

    /// The game with this number, from 1; `None` past the end.
    pub fn game(&self, number: u64) -> Option<Game> {
        let index = number.checked_sub(1)?;
        Some(Game { number, pair: self.pair(index / 2)?, opener: (index % 2) as usize })
    }

    /// Numbers of the games in this shard, in increasing order.
    pub fn games_of(&self, shard: Shard) -> impl Iterator<Item = u64> + use<> {
        self.pairs_of(shard).flat_map(|pair| [2 * pair + 1, 2 * pair + 2])
    }

    /// Number of games in this shard.
    pub fn count_games(&self, shard: Shard) -> u64 {
        let (cycles, _) = self.cycles(shard);
        let pairs = cycles
            .saturating_mul(self.pairings.len() as u64)
            .saturating_add(self.rest_of(shard).count() as u64);
        pairs.saturating_mul(2)
    }

    /// Whether the shard contains the pair.
    pub fn holds(&self, shard: Shard, pair: &Pair) -> bool {
        let (cycles, rest) = self.cycles(shard);
        let place = match pair.round.checked_sub(cycles * shard.count().get()) {
            None => pair.round,
            Some(round) => self.pairing_of(pair.number).saturating_mul(rest).saturating_add(round),
        };
        shard.contains(place)
    }

    /// Numbers of the pairs in this shard, in increasing order.
    ///
    /// Shards take whole rounds in turn. The rounds left over at the end are divided pair by pair.
    /// So each shard gets the same number of pairs of every pairing, up to one.
    fn pairs_of(&self, shard: Shard) -> impl Iterator<Item = u64> + use<> {
        let (cycles, _) = self.cycles(shard);
        let (pairings, count) = (self.pairings.len() as u64, shard.count().get());
        let mut rest: Vec<u64> = self.rest_of(shard).collect();
        rest.sort_unstable();
        (0..cycles)
            .flat_map(move |cycle| {
                (0..pairings)
                    .map(move |pairing| (cycle * count + shard.index() - 1) * pairings + pairing)
            })
            .chain(rest)
    }

    /// Number of whole rounds per shard, and number of rounds left over.
    fn cycles(&self, shard: Shard) -> (u64, u64) {
        (self.rounds / shard.count(), self.rounds % shard.count())
    }

    /// Numbers of this shard's pairs in the rounds left over, pairing by pairing.
    fn rest_of(&self, shard: Shard) -> impl Iterator<Item = u64> + use<> {
        let (cycles, rest) = self.cycles(shard);
        let (pairings, first) = (self.pairings.len() as u64, cycles * shard.count().get());
        let step = usize::try_from(shard.count().get()).unwrap_or(usize::MAX);
        let places = (shard.index() - 1..pairings.saturating_mul(rest)).step_by(step);
        places.map(move |place| (first + place % rest) * pairings + place / rest)
    }

    /// Index of the pairing that plays this pair.
    fn pairing_of(&self, pair: u64) -> u64 {
        pair.checked_rem(self.pairings.len() as u64).unwrap_or_default()
    }

    /// Random number generator of a round's opening.
    pub fn opening_rng(&self, round: u64) -> ChaCha8Rng {
        self.rng(Stream::Openings, round)
    }

    /// Random number generator that shuffles a file of openings.
    pub fn shuffle_rng(&self) -> ChaCha8Rng {
        self.rng(Stream::Shuffle, 0)
    }

    fn rng(&self, stream: Stream, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number.wrapping_mul(3).wrapping_add(stream as u64));
        rng
    }
}

/// Uses of random numbers, each with its own stream.
#[derive(Clone, Copy)]
enum Stream {
    Openings,
    Engines,
    Shuffle,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn round_robin_pairs_all_engines_each_round() {
        let schedule = Schedule::new(Format::RoundRobin, 4, 3, 1);
        assert_eq!(schedule.pairs(), 18);
        let round: BTreeSet<_> =
            (6..12).map(|number| schedule.pair(number).unwrap().engines).collect();
        assert_eq!(
            round.into_iter().collect::<Vec<_>>(),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
        assert!((6..12).all(|number| schedule.pair(number).unwrap().round == 1));
        assert_eq!(schedule.pair(18), None);
    }

    #[test]
    fn gauntlet_pairs_first_engine_with_all_others() {
        let schedule = Schedule::new(Format::Gauntlet, 4, 1, 1);
        assert_eq!(schedule.pairings(), [[0, 1], [0, 2], [0, 3]]);
    }

    #[test]
    fn pair_swaps_colours_and_keeps_seeds() {
        let schedule = Schedule::new(Format::RoundRobin, 2, 5, 42);
        let (first, second) = (schedule.game(7).unwrap(), schedule.game(8).unwrap());
        assert_eq!(first.pair, second.pair);
        assert_eq!([first.side_of(Player::Black), first.side_of(Player::White)], [0, 1]);
        assert_eq!([second.side_of(Player::Black), second.side_of(Player::White)], [1, 0]);
        assert_eq!(schedule.game(0), None);
        assert_eq!(schedule.game(11), None);
    }

    #[test]
    fn seeds_depend_on_tournament_pair_and_engine() {
        let seeds = |seed| {
            let schedule = Schedule::new(Format::RoundRobin, 2, 50, seed);
            (0..50).flat_map(|number| schedule.pair(number).unwrap().seeds).collect::<Vec<_>>()
        };
        assert_eq!(seeds(1), seeds(1));
        assert_ne!(seeds(1), seeds(2));
        let distinct: BTreeSet<_> = seeds(1).into_iter().collect();
        assert_eq!(distinct.len(), 100);
        assert!(distinct.iter().all(|&seed| seed < 1 << 31));
    }

    /// Number of games of each shard: in all, then by pairing. Checks that the shards partition the
    /// games.
    fn parts(schedule: &Schedule, count: u64) -> Vec<Vec<usize>> {
        let last = 2 * schedule.pairs();
        let mut all: Vec<u64> = Vec::new();
        let first: Shard = format!("1/{count}").parse().unwrap();
        let sizes = first.siblings().map(|shard| {
            let part: Vec<_> = schedule.games_of(shard).collect();
            let held = (1..=last)
                .filter(|&game| schedule.holds(shard, &schedule.game(game).unwrap().pair));
            assert_eq!(
                part,
                held.collect::<Vec<_>>(),
                "shard {shard} of {} rounds",
                schedule.rounds
            );
            assert_eq!(part.len() as u64, schedule.count_games(shard));
            all.extend(&part);
            let meets = |pairing| {
                part.iter()
                    .filter(|&&game| schedule.game(game).unwrap().pair.engines == pairing)
                    .count()
            };
            std::iter::once(part.len())
                .chain(schedule.pairings().iter().map(|&pairing| meets(pairing)))
                .collect()
        });
        let sizes = sizes.collect();
        all.sort_unstable();
        assert_eq!(all, (1..=last).collect::<Vec<_>>());
        sizes
    }

    #[test]
    fn shards_divide_all_pairings_equally() {
        for (format, engines) in [
            (Format::RoundRobin, 2),
            (Format::Gauntlet, 3),
            (Format::RoundRobin, 4),
            (Format::RoundRobin, 5),
        ] {
            for rounds in [1, 2, 5, 8, 20] {
                let schedule = Schedule::new(format, engines, rounds, 1);
                for count in [1, 2, 3, 4, 7, 8, 50] {
                    let parts = parts(&schedule, count);
                    for column in 0..=schedule.pairings().len() {
                        let sizes: BTreeSet<usize> =
                            parts.iter().map(|part| part[column]).collect();
                        let spread = sizes.last().unwrap() - sizes.first().unwrap();
                        assert!(
                            spread <= 2,
                            "{engines} engines, {rounds} rounds, {count} shards: {parts:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn finds_games_of_huge_division_at_once() {
        let schedule = Schedule::new(Format::RoundRobin, 3, u64::from(u32::MAX), 1);
        let shard: Shard = format!("7/{}", u64::MAX).parse().unwrap();
        assert_eq!(schedule.games_of(shard).collect::<Vec<_>>(), [37, 38]);
        assert_eq!(
            schedule.games_of("18446744073709551615/18446744073709551615".parse().unwrap()).count(),
            0
        );
    }

    #[test]
    fn schedule_without_engines_is_empty() {
        for engines in [0, 1] {
            assert_eq!(Schedule::new(Format::Gauntlet, engines, 10, 1).pair(0), None);
        }
    }
}
