//! Matches of the engine against itself, round by round, and the file that keeps them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use anyhow::Context;
use oshi::game::{Game, Player};
use oshi::games::kamisado::standing::Standing;
use oshi::games::kamisado::{Colour, Match, Target};
use oshi::search::{Control, Limits, Searcher, Settings};
use rand::distr::{Distribution, weighted::WeightedIndex};
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

/// A round that was played, from its start.
pub struct PlayedRound {
    /// The position in which it began.
    pub start: Match,
    /// The opener's chance in the match by the search of the first move.
    pub said: f64,
    pub winner: Player,
    /// The teeth that the winner's tower had before.
    pub teeth: usize,
    pub match_winner: Player,
    /// How far the match was: 0 to 1.
    pub progress: f64,
}

impl PlayedRound {
    pub fn standing(&self) -> Standing {
        Standing::new(&self.start)
    }

    pub fn opener(&self) -> Player {
        self.start.turn()
    }
}

/// The seed of a match and its number.
type Name = (u64, u32);

/// The rounds of each match.
pub struct Matches(BTreeMap<Name, Vec<PlayedRound>>);

impl Matches {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The rounds of the matches whose places are wanted.
    pub fn rounds(&self, wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = &PlayedRound> {
        self.0.values().enumerate().filter(move |(place, _)| wanted(*place)).flat_map(|(_, rounds)| rounds)
    }

    /// The matches in the file, to which those of this seed that it lacks are added.
    pub fn read_and_play(path: &Path, seed: u64, matches: u32, nodes: u64, threads: usize) -> anyhow::Result<Matches> {
        let known: BTreeSet<Name> = Matches::read(path)?.0.into_keys().collect();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let (file, next) = (Mutex::new(file), AtomicU32::new(0));
        let work = || -> anyhow::Result<()> {
            let mut searcher = Searcher::new(Settings { hash_mib: 64, ..Settings::default() });
            loop {
                let name = (seed, next.fetch_add(1, Ordering::Relaxed));
                match name {
                    (_, number) if number >= matches => return Ok(()),
                    _ if known.contains(&name) => continue,
                    _ => play_into(&file, name, nodes, &mut searcher)?,
                }
            }
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a match failed"))?)
        })?;
        Matches::read(path)
    }

    fn read(path: &Path) -> anyhow::Result<Matches> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let mut matches = BTreeMap::<Name, Vec<PlayedRound>>::new();
        for (number, line) in (1..).zip(text.lines()) {
            let (name, round) = read_line(line).with_context(|| format!("{}, line {number}: no round", path.display()))?;
            matches.entry(name).or_default().push(round);
        }
        Ok(Matches(matches))
    }
}

/// One line: seed, match, position, chance, winner, teeth, winner of the match, progress.
fn read_line(line: &str) -> anyhow::Result<(Name, PlayedRound)> {
    let fields: Vec<&str> = line.split(';').collect();
    let &[seed, number, start, said, winner, teeth, match_winner, progress] = &fields[..] else {
        anyhow::bail!("eight fields expected")
    };
    let player = |letter| Player::from_letter(letter).context("b or w expected");
    let round = PlayedRound {
        start: start.parse()?,
        said: said.parse()?,
        winner: player(winner)?,
        teeth: teeth.parse()?,
        match_winner: player(match_winner)?,
        progress: progress.parse()?,
    };
    anyhow::ensure!(round.teeth < 4, "at most 3 teeth expected");
    Ok(((seed.parse()?, number.parse()?), round))
}

/// Plays a match and adds its rounds to the file.
fn play_into(file: &Mutex<File>, name: Name, nodes: u64, searcher: &mut Searcher<Match>) -> anyhow::Result<()> {
    let (seed, number) = name;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(number));
    searcher.clear();
    let mut text = String::new();
    for PlayedRound { start, said, winner, teeth, match_winner, progress } in play(random_match(&mut rng)?, nodes, searcher)? {
        let [winner, match_winner] = [winner, match_winner].map(Player::letter);
        writeln!(text, "{seed};{number};{start};{said:.4};{winner};{teeth};{match_winner};{progress:.4}")?;
    }
    let mut file = file.lock().map_err(|_| anyhow::anyhow!("a match failed"))?;
    file.write_all(text.as_bytes()).context("cannot write the rounds")
}

/// The start of a match from a random arrangement; one in five begins with teeth that were drawn, so that rare ranks are met too.
fn random_match(rng: &mut ChaCha8Rng) -> anyhow::Result<Match> {
    let targets =
        [Target::Standard, Target::Long, Target::Long, Target::Long, Target::Marathon, Target::Marathon, Target::Marathon];
    let target = *targets.choose(rng).context("there are targets")?;
    if rng.random_bool(0.8) {
        return Ok(Match::start(target).random_start(rng));
    }
    let (mut teeth, mut points) = ([[0; 8]; 2], [0; 2]);
    // Some players win with few towers, others with many.
    let repeats = if rng.random_bool(0.5) { [4, 3, 2, 1] } else { [4, 6, 4, 2] };
    for _ in 0..rng.random_range(0..=target.points()) {
        let player = rng.random_range(0..2);
        let tower = WeightedIndex::new(teeth[player].map(|teeth: u8| repeats[usize::from(teeth)]))?.sample(rng);
        let (teeth, points) = (&mut teeth[player][tower], &mut points[player]);
        if *teeth < 3 && *points + (1 << *teeth) < target.points() {
            *points += 1 << *teeth;
            *teeth += 1;
        }
    }
    let mut home_row = |player: Player| {
        let mut row = Colour::ALL;
        row.shuffle(rng);
        let tower = |colour: &Colour| {
            let letter = if player == Player::Black { colour.letter() } else { colour.letter().to_ascii_uppercase() };
            format!("{}{letter}", "+".repeat(usize::from(teeth[player.index()][colour.index()])))
        };
        row.iter().map(tower).collect::<String>()
    };
    let (black, white) = (home_row(Player::Black), home_row(Player::White));
    let opener = if rng.random_bool(0.5) { 'b' } else { 'w' };
    Ok(format!("{white}/8/8/8/8/8/8/{black} {opener} - {}-{} {}", points[0], points[1], target.points()).parse()?)
}

fn play(mut position: Match, nodes: u64, searcher: &mut Searcher<Match>) -> anyhow::Result<Vec<PlayedRound>> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut rounds: Vec<(usize, PlayedRound)> = Vec::new();
    let mut plies = 0;
    while position.outcome().is_none() {
        let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
        let best = report.lines.first().context("a match that goes on has moves")?;
        if position.is_free_choice() {
            let (winner, said) = (position.turn(), f64::from(best.value.chance()));
            // Who wins is known later.
            rounds.push((plies, PlayedRound { start: position, said, winner, teeth: 0, match_winner: winner, progress: 0.0 }));
        }
        let (ranks, points) = (Player::ALL.map(|player| position.ranks(player)), position.points());
        position.play(report.best_move().context("a line has moves")?);
        plies += 1;
        let gains = |&player: &Player| position.points()[player.index()] > points[player.index()];
        if let Some((winner, (_, round))) = Player::ALL.into_iter().find(gains).zip(rounds.last_mut()) {
            let (before, after) = (ranks[winner.index()], position.ranks(winner));
            round.winner = winner;
            // A fourth tooth leaves the ranks as they are counted.
            round.teeth = (0..4).find(|&teeth| after[teeth] < before[teeth]).unwrap_or(3);
        }
    }
    let match_winner = position.outcome().and_then(|outcome| outcome.winner()).context("a match has a winner")?;
    let finish = |(ply, round): (usize, PlayedRound)| PlayedRound { match_winner, progress: ply as f64 / plies as f64, ..round };
    Ok(rounds.into_iter().map(finish).collect())
}
