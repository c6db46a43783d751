//! The standings of a tournament: played and missing games, scores, and the sequential test.
//!
//! The test counts pairs in the order of the schedule, not in the order of their end. So its
//! decision depends on the games alone, not on the concurrency. Pairs after the deciding one do not
//! count.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::config::Tournament;
use crate::config::schedule::Schedule;
use crate::record::{GameRecord, Reason};
use crate::shard::Shard;
use crate::sheet::GameScore;
use crate::statistics::ratings::{Meeting, Ratings};
use crate::statistics::sprt::{Decision, Sprt};
use crate::statistics::stats::{Pentanomial, Score, Tally};
use crate::stderr_tail::StderrTail;

/// State of a sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SprtState {
    /// The test.
    pub sprt: Sprt,
    /// Log-likelihood ratio so far.
    pub llr: f64,
    decision: Decision,
    /// Pairs that the test has counted.
    counted: Pentanomial,
    /// Number of the next pair to count.
    next_pair: u64,
}

impl SprtState {
    /// Number of pairs that the test has counted.
    pub fn pairs(&self) -> u64 {
        self.counted.pairs()
    }
}

/// A game that an engine lost by a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultyGame {
    /// Number of the game.
    pub game: u64,
    /// Name of the engine at fault.
    pub engine: String,
    /// Names of Black and of White.
    pub players: [String; 2],
    /// Description of the fault.
    pub detail: String,
    /// The engine's last lines on stderr.
    pub stderr_tail: StderrTail,
}

/// The games that an engine lost by faults of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultKind {
    /// Number of games.
    pub count: u64,
    /// The one recorded first.
    pub first: FaultyGame,
}

impl FaultyGame {
    /// The faulty game of a record; `None` if no engine is at fault.
    pub fn of(record: &GameRecord) -> Option<FaultyGame> {
        record.reason.is_fault().then(|| FaultyGame {
            game: record.game,
            engine: if record.result == GameScore::BlackWins {
                &record.white
            } else {
                &record.black
            }
            .name
            .clone(),
            players: [&record.black, &record.white].map(|player| player.name.clone()),
            detail: record.detail.clone(),
            stderr_tail: record.stderr_tail.clone(),
        })
    }
}

/// Results of a tournament, or of the shard played in a folder.
#[derive(Clone, Debug)]
pub struct Standings {
    schedule: Schedule,
    shard: Shard,
    names: Vec<String>,
    results: BTreeMap<u64, GameScore>,
    finished_pairs: u64,
    /// Result of each pairing for its first engine.
    tallies: BTreeMap<[usize; 2], Tally>,
    sprt: Option<SprtState>,
    /// Hashes of opening and moves, to detect identical games.
    distinct: HashSet<u64>,
    faults: BTreeMap<(String, Reason), FaultKind>,
    fault_count: u64,
    /// Number of faults that the sequential test tolerates. Set for shards too, although they have
    /// no test.
    tolerated: Option<u32>,
    /// The fault that exceeded the tolerance.
    excess: Option<FaultyGame>,
    /// Number of games that were replayed.
    replayed: u64,
}

impl Standings {
    /// The standings before the first game. The tournament must be resolved, so that all engines
    /// have names.
    ///
    /// A shard has no sequential test: only the merged tournament has.
    pub fn new(tournament: &Tournament, shard: Shard) -> Standings {
        let sprt = tournament.sprt.filter(|_| shard.is_whole()).map(|table| table.0);
        Standings {
            schedule: tournament.schedule(),
            shard,
            names: tournament
                .engines
                .iter()
                .map(|engine| engine.name.clone().unwrap_or_default())
                .collect(),
            results: BTreeMap::new(),
            finished_pairs: 0,
            tallies: BTreeMap::new(),
            sprt: sprt.map(|sprt| SprtState {
                sprt,
                llr: 0.0,
                decision: Decision::Continue,
                counted: Pentanomial::default(),
                next_pair: 0,
            }),
            distinct: HashSet::new(),
            faults: BTreeMap::new(),
            fault_count: 0,
            tolerated: tournament.sprt.map(|table| table.0.tolerate_faults),
            excess: None,
            replayed: 0,
        }
    }

    /// Counts a game unless it was interrupted. Returns false if the tournament has no such game,
    /// or has counted it already.
    pub fn add(&mut self, record: &GameRecord) -> bool {
        if record.result == GameScore::Unfinished {
            return true;
        }
        if self.schedule.game(record.game).is_none()
            || self.results.insert(record.game, record.result).is_some()
        {
            return false;
        }
        // Games 1 and 2 are a pair, 3 and 4, and so on.
        let partner = if record.game % 2 == 1 { record.game + 1 } else { record.game - 1 };
        self.finished_pairs += u64::from(self.results.contains_key(&partner));
        self.count(record.game);
        self.distinct.insert(fingerprint(record));
        self.replayed += u64::from(!record.replayed.is_empty());
        if let Some(fault) = FaultyGame::of(record) {
            self.count_fault(record.reason, fault);
        }
        let decision = self.decision();
        self.advance_sprt();
        if self.decision() != decision {
            self.recount();
        }
        true
    }

    fn count_fault(&mut self, reason: Reason, fault: FaultyGame) {
        self.fault_count += 1;
        if self.excess.is_none()
            && self.tolerated.is_some_and(|most| self.fault_count > u64::from(most))
        {
            self.excess = Some(fault.clone());
        }
        let kind = self.faults.entry((fault.engine.clone(), reason));
        kind.and_modify(|kind| kind.count += 1).or_insert(FaultKind { count: 1, first: fault });
        if let Some(state) = self.sprt.as_mut().filter(|_| self.excess.is_some()) {
            state.decision = Decision::Void;
        }
    }

    /// Counts a played game, and its pair if the game finishes it.
    fn count(&mut self, number: u64) {
        let counts = number <= self.last_counted();
        let Some((game, &result)) =
            self.schedule.game(number).zip(self.results.get(&number)).filter(|_| counts)
        else {
            return;
        };
        let Some(score) = first_engine_score(result, game.opener) else { return };
        let pair = self.pair_scores(game.pair.number);
        let tally = self.tallies.entry(game.pair.engines).or_default();
        tally.add_game(score);
        if let Some((first, second)) = pair {
            tally.add_pair(first, second);
        }
    }

    /// Recounts after the decision of the test, without the pairs after the last one that counts.
    fn recount(&mut self) {
        self.tallies.clear();
        for number in 0..self.sprt.map_or(0, |state| state.next_pair) {
            let Some((pair, (first, second))) =
                self.schedule.pair(number).zip(self.pair_scores(number))
            else {
                continue;
            };
            let tally = self.tallies.entry(pair.engines).or_default();
            tally.add_game(first);
            tally.add_game(second);
            tally.add_pair(first, second);
        }
    }

    /// Feeds the test with finished pairs up to the first unfinished one.
    fn advance_sprt(&mut self) {
        while let Some(mut state) = self.sprt.filter(|state| state.decision == Decision::Continue) {
            let mut pair = Tally::default();
            let Some((first, second)) = self.pair_scores(state.next_pair) else { return };
            pair.add_pair(first, second);
            for (count, more) in state.counted.0.iter_mut().zip(pair.pairs.0) {
                *count += more;
            }
            state.llr = state.sprt.llr(&state.counted);
            state.decision = state.sprt.decision(state.llr);
            state.next_pair += 1;
            self.sprt = Some(state);
        }
    }

    /// Both results of a finished pair, for its first engine.
    fn pair_scores(&self, pair: u64) -> Option<(Score, Score)> {
        let first =
            self.results.get(&(2 * pair + 1)).and_then(|result| first_engine_score(*result, 0))?;
        let second =
            self.results.get(&(2 * pair + 2)).and_then(|result| first_engine_score(*result, 1))?;
        Some((first, second))
    }

    /// Schedule of the whole tournament.
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The log-likelihood ratio by number of pairs, in order: about `most` points, including the
    /// last.
    pub fn llr_history(&self, most: u64) -> Vec<(u64, f64)> {
        let Some(state) = &self.sprt else { return Vec::new() };
        let step = state.next_pair.div_ceil(most.max(1)).max(1);
        let mut counted = Tally::default();
        let mut course = vec![(0, 0.0)];
        for pair in 0..state.next_pair {
            let Some((first, second)) = self.pair_scores(pair) else { break };
            counted.add_pair(first, second);
            let pairs = pair + 1;
            if pairs % step == 0 || pairs == state.next_pair {
                course.push((pairs, state.sprt.llr(&counted.pairs)));
            }
        }
        course
    }

    /// Names of the engines, in the order of the tournament file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// State of the sequential test, if there is one.
    pub const fn sprt(&self) -> Option<&SprtState> {
        self.sprt.as_ref()
    }

    /// Decision of the sequential test; [`Decision::Continue`] without a test.
    ///
    /// Too many faults in a shard void the test of the whole tournament.
    pub fn decision(&self) -> Decision {
        match self.sprt {
            _ if self.excess.is_some() => Decision::Void,
            Some(state) => state.decision,
            None => Decision::Continue,
        }
    }

    /// Numbers of the missing games of this shard, in order.
    pub fn missing(&self) -> impl Iterator<Item = u64> + use<> {
        let played: HashSet<u64> = self.results.keys().copied().collect();
        let is_complete = self.is_complete();
        self.schedule
            .games_of(self.shard)
            .take_while(move |_| !is_complete)
            .filter(move |game| !played.contains(game))
    }

    /// Whether nothing is left to play: all games of this shard are played, or the test has
    /// decided.
    pub fn is_complete(&self) -> bool {
        self.decision() != Decision::Continue || self.played() >= self.planned()
    }

    /// Number of games in this shard.
    pub fn planned(&self) -> u64 {
        self.schedule.count_games(self.shard)
    }

    /// Number of pairs with both games played.
    pub const fn finished_pairs(&self) -> u64 {
        self.finished_pairs
    }

    /// Number of games played.
    pub fn played(&self) -> u64 {
        self.results.len() as u64
    }

    /// Number of the last game that counts.
    fn last_counted(&self) -> u64 {
        match self.sprt {
            Some(SprtState {
                decision: Decision::AcceptH0 | Decision::AcceptH1,
                next_pair,
                ..
            }) => 2 * next_pair,
            _ => u64::MAX,
        }
    }

    /// Result of each pairing for its first engine, in the order of the schedule.
    pub const fn tallies(&self) -> &BTreeMap<[usize; 2], Tally> {
        &self.tallies
    }

    /// Joint ratings of all engines; `None` without engines.
    pub fn ratings(&self) -> Option<Ratings> {
        Ratings::new(self.names.len(), |first, second| {
            Meeting::from(&against(&self.tallies, first, second))
        })
    }

    /// Games lost by faults, by engine and reason.
    pub fn faults(&self) -> impl Iterator<Item = (&str, Reason, &FaultKind)> {
        self.faults.iter().map(|((name, reason), kind)| (name.as_str(), *reason, kind))
    }

    /// The first recorded game of each engine and kind of fault, and the one that voided the test,
    /// by number.
    pub fn faulty_games(&self) -> Vec<&FaultyGame> {
        let games = self.faults.values().map(|kind| &kind.first).chain(&self.excess);
        let by_number: BTreeMap<u64, &FaultyGame> = games.map(|game| (game.game, game)).collect();
        by_number.into_values().collect()
    }

    /// Number of games lost by faults.
    pub const fn fault_count(&self) -> u64 {
        self.fault_count
    }

    /// Number of further faults that the sequential test tolerates; `None` without a test.
    pub fn faults_left(&self) -> Option<u64> {
        self.tolerated.map(|tolerated| u64::from(tolerated).saturating_sub(self.fault_count))
    }

    /// The fault that exceeded the tolerance of the sequential test.
    pub const fn excess_fault(&self) -> Option<&FaultyGame> {
        self.excess.as_ref()
    }

    /// Number of games that were replayed because a cause outside them may have decided them.
    pub const fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Number of distinct games, if it is so small that the engines seem to be deterministic.
    pub fn too_few_distinct(&self) -> Option<u64> {
        let distinct = self.distinct.len() as u64;
        (self.played() >= MIN_GAMES_TO_WARN && 2 * distinct <= self.played()).then_some(distinct)
    }
}

/// Result of `first` against `second`.
pub fn against(tallies: &BTreeMap<[usize; 2], Tally>, first: usize, second: usize) -> Tally {
    let straight = tallies.get(&[first, second]).copied();
    straight.or_else(|| tallies.get(&[second, first]).map(Tally::reversed)).unwrap_or_default()
}

/// Engines by index with their results against all others, best score first. Engines without games
/// come last.
pub fn ranking(engines: usize, tallies: &BTreeMap<[usize; 2], Tally>) -> Vec<(usize, Tally)> {
    let total = |engine| {
        let mut total = Tally::default();
        (0..engines)
            .filter(|&other| other != engine)
            .for_each(|other| total += against(tallies, engine, other));
        (engine, total)
    };
    let mut ranking: Vec<(usize, Tally)> = (0..engines).map(total).collect();
    let share = |tally: &Tally| {
        if tally.games() > 0 { tally.points() / tally.games() as f64 } else { -1.0 }
    };
    ranking.sort_by(|(_, one), (_, other)| share(other).total_cmp(&share(one)));
    ranking
}

/// With fewer games, some may be equal by chance.
const MIN_GAMES_TO_WARN: u64 = 8;

/// Result for the first engine of the pair. It opens the first game (`opener` 0), not the second.
const fn first_engine_score(result: GameScore, opener: usize) -> Option<Score> {
    let score = match result {
        GameScore::BlackWins => Score::Win,
        GameScore::WhiteWins => Score::Loss,
        GameScore::Draw => Score::Draw,
        GameScore::Unfinished => return None,
    };
    Some(if opener == 0 { score } else { score.reversed() })
}

fn fingerprint(record: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.opening.start.hash(&mut hasher);
    record.opening.moves.hash(&mut hasher);
    for played in &record.moves {
        played.text.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::record::tests::first_game;

    /// Result of each pairing, computed at once from all games that count.
    fn full_count(standings: &Standings) -> BTreeMap<[usize; 2], Tally> {
        let mut tallies: BTreeMap<[usize; 2], Tally> = BTreeMap::new();
        for (&number, &result) in standings.results.range(..=standings.last_counted()) {
            let game = standings.schedule.game(number).unwrap();
            let tally = tallies.entry(game.pair.engines).or_default();
            tally.add_game(first_engine_score(result, game.opener).unwrap());
            if let Some((first, second)) =
                standings.pair_scores(game.pair.number).filter(|_| game.opener == 1)
            {
                tally.add_pair(first, second);
            }
        }
        tallies
    }

    const RESULTS: [GameScore; 3] = [GameScore::BlackWins, GameScore::WhiteWins, GameScore::Draw];

    proptest! {
        #[test]
        fn tallies_match_a_full_count(
            engines in 2..5_usize,
            results in proptest::collection::vec(proptest::sample::select(&RESULTS[..]), 120),
            has_sprt in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let engine = "[[engine]]\ncmd = 'builtin:random'\n";
            const SPRT: &str = "sprt = { elo0 = -100, elo1 = 100, alpha = 0.4, beta = 0.4 }\n";
            let (sprt, engines) = if has_sprt { (SPRT, 2) } else { ("", engines) };
            let text = format!("rounds = 10\n{sprt}{}", engine.repeat(engines));
            let mut standings = Standings::new(&toml::from_str(&text).unwrap(), Shard::WHOLE);
            let mut games: Vec<u64> = (1..=standings.schedule().games()).collect();
            games.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            for game in games {
                let result = results[game as usize % results.len()];
                standings.add(&GameRecord { game, ..first_game(result) });
                prop_assert_eq!(standings.tallies(), &full_count(&standings));
            }
        }
    }
}
