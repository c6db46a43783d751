//! Reports of proven results: play never exceeds the distance, the line reaches the end of the
//! game, and the depth covers the line.

use oshi::game::{Game, Outcome, Searchable, Text};
use oshi::games::kamisado::{Match, Target};
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, Line, Report, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::random_lines;
use crate::support::random_play::play_random;
use crate::support::search::nodes;

fn searcher<G: Searchable>() -> Searcher<G> {
    Searcher::new(Settings { hash_mib: 8, ..Settings::default() })
}

/// Returns the last report of a search, and all earlier ones.
fn search<G: Searchable>(
    searcher: &mut Searcher<G>,
    position: &G,
    limits: &Limits<G::Move>,
) -> (Report<G::Move>, Vec<Report<G::Move>>) {
    let mut reports = Vec::new();
    let last = searcher
        .run(position, limits, &Control::default(), &mut |report| reports.push(report.clone()));
    (last, reports)
}

/// Own moves until the end of a proven win or loss.
fn distance<M>(report: &Report<M>) -> Option<u32> {
    match report.lines.first()?.value {
        Value::Win(moves) | Value::Loss(moves) => Some(moves),
        _ => None,
    }
}

/// Whether the player to move is proven to lose.
fn is_lost<M>(report: &Report<M>) -> bool {
    matches!(report.lines.first().map(|line| line.value), Some(Value::Loss(_)))
}

/// Nodes per move of the loser.
const LOSER_NODES: u64 = 2_000;

/// Nodes per move of the winner, enough for the best move.
const WINNER_NODES: u64 = 40_000;

/// Plays a lost position to the end, with a searcher for each player. Fails if the distance of a
/// position did not shrink.
fn play_out<G: Searchable + Text>(lost: &G) -> Result<(), String> {
    let loser = lost.turn();
    let mut searchers = [searcher(), searcher()];
    let mut left: [Option<u32>; 2] = [None; 2];
    let mut position = *lost;
    while position.outcome().is_none() {
        let turn = position.turn();
        let limit = if turn == loser { LOSER_NODES } else { WINNER_NODES };
        let (report, _) = search(&mut searchers[turn.index()], &position, &nodes(limit));
        let now = distance(&report);
        if let Some(left) = left[turn.index()]
            && now.is_none_or(|now| now > left)
        {
            return Err(format!(
                "{position}, reached from {lost}: {now:?} own moves, expected at most {left}"
            ));
        }
        left[turn.index()] = now.map(|now| now - 1);
        position.play(report.best_move().unwrap());
    }
    assert_eq!(position.outcome(), Some(Outcome::Win(!loser)), "{lost}");
    Ok(())
}

/// Positions of random games that are lost for the player to move.
fn lost_positions<G: Searchable>(
    seed: u64,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> G,
) -> impl Iterator<Item = G> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let (start, plies) = (draw(&mut rng), rng.random_range(0..30));
        play_random(start, plies, &mut rng)
    })
    .filter(|position| is_lost(&search(&mut searcher(), position, &nodes(LOSER_NODES)).0))
}

fn lost_matches(target: u32, seed: u64) -> impl Iterator<Item = Match> {
    lost_positions(seed, move |rng| {
        loop {
            if let Ok(position) = random_lines::line_to(target, rng).parse() {
                return position;
            }
        }
    })
}

fn lost_games_of_kamon(seed: u64) -> impl Iterator<Item = Kamon> {
    lost_positions(seed, |rng| Kamon::start().random_start(rng))
}

/// The targets of the variants of Kamisado.
const TARGETS: [u32; 4] = [1, 3, 7, 15];

#[test]
fn moves_shorten_the_proven_distance() {
    for target in TARGETS {
        lost_matches(target, 2).take(2).for_each(|lost| play_out(&lost).unwrap());
    }
    lost_games_of_kamon(2).take(6).for_each(|lost| play_out(&lost).unwrap());
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored 99_percent`"]
fn moves_shorten_the_distance_in_99_percent_of_games() {
    let count = |results: &mut dyn Iterator<Item = Result<(), String>>| {
        let errors: Vec<String> = results.take(500).filter_map(Result::err).collect();
        errors.iter().for_each(|error| println!("{error}"));
        // The winner's nodes do not always suffice to find the shortest win.
        assert!(errors.len() <= 5, "{} of 500", errors.len());
    };
    for target in TARGETS {
        count(&mut lost_matches(target, 3).map(|lost| play_out(&lost)));
    }
    count(&mut lost_games_of_kamon(3).map(|lost| play_out(&lost)));
}

#[test]
fn loss_distance_is_independent_of_the_move() {
    fn distances<G: Searchable>(position: &G, limits: &Limits<G::Move>) -> Vec<u32> {
        let (last, reports) = search(&mut searcher(), position, limits);
        reports
            .iter()
            .chain([&last])
            .filter(|report| is_lost(report))
            .filter_map(distance)
            .collect()
    }
    let simple: Match = "B2L2PY/1r2R3/8/1o6/2O2Gl1/2g5/5V2/1y1v2pb b p 0-0 1".parse().unwrap();
    let kamon: Kamon =
        "g6y4r5o1/o5g1l2p4r2/r1p6l1l5--y2/r6l3p5p3y1y5o4/r3o3l6l4y6g3/p2g5g2o2o6/g4y3r4p1 \
         wwbw/wbw2/wbbw1b/1b1ww1b/wb1w1b/wb1b1/2bb w c2"
            .parse()
            .unwrap();
    let unlimited = distances(&simple, &Limits::default());
    for limit in [500, 10_000] {
        let of_simple = distances(&simple, &nodes(limit));
        assert!(
            of_simple.len() > 1 && of_simple.iter().all(|moves| unlimited.contains(moves)),
            "{of_simple:?}"
        );
        let of_kamon = distances(&kamon, &nodes(limit));
        assert!(of_kamon.len() > 1 && of_kamon.iter().all(|&moves| moves == 5), "{of_kamon:?}");
    }
    assert_eq!(unlimited.len(), 1);
}

/// Positions of a data file: the text before the first semicolon of each line.
fn positions<G: Text>(text: &str) -> Vec<G> {
    let lines = text.lines().filter_map(|line| line.split(';').next()?.trim().parse().ok());
    lines.collect()
}

/// Checks that a proven line ends the game with the proven result, within the distance. Returns
/// whether the line is proven.
fn check_line<G: Text>(position: &G, line: &Line<G::Move>) -> bool {
    let player = position.turn();
    let (winner, distance) = match line.value {
        Value::Win(moves) => (Some(player), moves),
        Value::Loss(moves) => (Some(!player), moves),
        Value::Draw => (None, u32::MAX),
        Value::WinProbability(_) => return false,
    };
    let (mut end, mut own) = (*position, 0);
    for &mv in &line.moves {
        assert!(end.legal_moves().contains(&mv), "{mv} in {end}");
        own += u32::from(end.turn() == player);
        end.play(mv);
    }
    let expected = winner.map_or(Outcome::Draw, Outcome::Win);
    assert_eq!(end.outcome(), Some(expected), "{position}: {:?}", line.moves);
    assert!(own <= distance, "{position}: {own} own moves exceed the distance {distance}");
    true
}

/// Searches the positions and counts the proven lines.
fn check_lines<G: Searchable + Text>(positions: &[G], lines: usize) -> usize {
    let mut proven = 0;
    for position in positions {
        let (report, _) = search(&mut searcher(), position, &Limits { lines, ..nodes(10_000) });
        proven += report.lines.iter().filter(|line| check_line(position, line)).count();
        if let Some(first) = report.lines.first().filter(|line| line.value.is_proven()) {
            assert!(
                report.depth as usize >= first.moves.len(),
                "{position}: depth {} of {:?}",
                report.depth,
                first.moves
            );
            assert!(report.seldepth >= report.depth && report.depth > 0, "{position}");
        }
    }
    proven
}

#[test]
fn proven_lines_reach_the_end_of_the_game() {
    let kamon: Vec<Kamon> = positions(include_str!("../data/kamon-solved.txt"));
    let rounds: Vec<Match> = [
        include_str!("../data/kamisado-decide.txt"),
        include_str!("../data/kamisado-finish.txt"),
        include_str!("../data/kamisado-rounds-opening.txt"),
        include_str!("../data/kamisado-rounds-sumo.txt"),
    ]
    .into_iter()
    .flat_map(positions)
    .collect();
    assert_eq!(check_lines(&[Match::start(Target::Simple)], 1), 1);
    let every = |step| rounds.iter().copied().step_by(step).collect::<Vec<_>>();
    let proven = [check_lines(&kamon, 1), check_lines(&every(4), 1)];
    assert!(proven.iter().all(|&proven| proven > 80), "only {proven:?} proven lines");
    let proven = [check_lines(&kamon[..30], 4), check_lines(&every(20), 4)];
    assert!(proven.iter().all(|&proven| proven > 30), "only {proven:?} proven lines");
}

#[test]
fn proven_lines_of_random_kamon_positions_end_as_proven() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut proven = 0;
    for _ in 0..400 {
        let mut position = Kamon::start().random_start(&mut rng);
        while position.ply() < 22
            && let Some(&mv) = position.legal_moves().choose(&mut rng)
        {
            position.play(mv);
        }
        let (report, _) = search(&mut searcher(), &position, &nodes(4_000));
        proven += usize::from(report.lines.first().is_some_and(|line| check_line(&position, line)));
    }
    assert!(proven > 100, "only {proven} proven lines");
}
