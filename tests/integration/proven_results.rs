//! Proven results: the distance is a bound that play keeps, the line reaches the end of the game,
//! and the depth is the length of the proof.

use oshi::game::{Game, Outcome, Searchable, Text};
use oshi::games::kamisado::Match;
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, Line, Report, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::drawn;

fn searcher<G: Searchable>() -> Searcher<G> {
    Searcher::new(Settings { hash_mib: 8, ..Settings::default() })
}

fn nodes<M>(nodes: u64) -> Limits<M> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// The last report of a search, and the observed ones.
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

/// Own moves until the end, if a win or a loss is proven.
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

/// Plays both sides from a lost position, each with its own searcher. An error names a position at
/// which the distance did not shrink.
fn play_out<G: Searchable + Text>(lost: &G) -> Result<(), String> {
    let loser = lost.turn();
    let mut searchers = [searcher(), searcher()];
    let mut left: [Option<u32>; 2] = [None; 2];
    let mut position = *lost;
    while position.outcome().is_none() {
        let turn = position.turn();
        let most = if turn == loser { LOSER_NODES } else { WINNER_NODES };
        let (report, _) = search(&mut searchers[turn.index()], &position, &nodes(most));
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

/// Positions that random play reaches, lost for the player to move.
fn lost_positions<G: Searchable>(
    seed: u64,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> G,
) -> impl Iterator<Item = G> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    std::iter::repeat_with(move || {
        let mut position = draw(&mut rng);
        for _ in 0..rng.random_range(0..30) {
            let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
            position.play(mv);
        }
        position
    })
    .filter(|position| is_lost(&search(&mut searcher(), position, &nodes(LOSER_NODES)).0))
}

fn lost_matches(target: u32, seed: u64) -> impl Iterator<Item = Match> {
    lost_positions(seed, move |rng| {
        loop {
            if let Ok(position) = drawn::line_to(target, rng).parse() {
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
fn every_move_shortens_the_distance() {
    for target in TARGETS {
        lost_matches(target, 2).take(6).for_each(|lost| play_out(&lost).unwrap());
    }
    lost_games_of_kamon(2).take(20).for_each(|lost| play_out(&lost).unwrap());
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored nearly_every_move`"]
fn nearly_every_move_of_many_games_shortens_the_distance() {
    let count = |results: &mut dyn Iterator<Item = Result<(), String>>| {
        let errors: Vec<String> = results.take(500).filter_map(Result::err).collect();
        errors.iter().for_each(|error| println!("{error}"));
        // The winner's nodes do not always suffice for the best move.
        assert!(errors.len() <= 5, "{} of 500", errors.len());
    };
    for target in TARGETS {
        count(&mut lost_matches(target, 3).map(|lost| play_out(&lost)));
    }
    count(&mut lost_games_of_kamon(3).map(|lost| play_out(&lost)));
}

#[test]
fn the_distance_of_a_loss_does_not_depend_on_the_move() {
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
    for most in [500, 10_000] {
        let of_simple = distances(&simple, &nodes(most));
        assert!(
            of_simple.len() > 1 && of_simple.iter().all(|moves| unlimited.contains(moves)),
            "{of_simple:?}"
        );
        let of_kamon = distances(&kamon, &nodes(most));
        assert!(of_kamon.len() > 1 && of_kamon.iter().all(|&moves| moves == 5), "{of_kamon:?}");
    }
    assert_eq!(unlimited.len(), 1);
}

/// The positions of a file of `tests/data/`, which stand before the first semicolon.
fn positions<G: Text>(text: &str) -> Vec<G> {
    let lines = text.lines().filter_map(|line| line.split(';').next()?.trim().parse().ok());
    lines.collect()
}

/// Checks that a proven line is played to the end that it promises, within the moves that it
/// promises.
fn check_line<G: Text>(position: &G, line: &Line<G::Move>) -> bool {
    let player = position.turn();
    let (winner, most) = match line.value {
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
    assert!(own <= most, "{position}: {own} of {most} own moves");
    true
}

/// Searches the positions with this number of lines, and counts the proven lines.
fn check_lines<G: Searchable + Text>(positions: &[G], most: u64, lines: usize) -> usize {
    let mut proven = 0;
    for position in positions {
        let (report, _) = search(&mut searcher(), position, &Limits { lines, ..nodes(most) });
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
fn every_proven_line_reaches_the_end_of_the_game() {
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
    let every = |step| rounds.iter().copied().step_by(step).collect::<Vec<_>>();
    let proven = [check_lines(&kamon, 10_000, 1), check_lines(&every(4), 10_000, 1)];
    assert!(proven.iter().all(|&proven| proven > 80), "{proven:?} proven lines test too little");
    let proven = [check_lines(&kamon[..30], 10_000, 4), check_lines(&every(20), 10_000, 4)];
    assert!(proven.iter().all(|&proven| proven > 30), "{proven:?} proven lines test too little");
}
