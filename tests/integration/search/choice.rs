//! Choice of the move: won rounds, refills, payoffs and lost positions.

use oshi::game::{Evaluator, Game, Searchable, Text};
use oshi::games::kamisado::{Match, Move, Target};
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, Searcher, Settings, Value};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::search;
use crate::support::search::nodes;

/// Black needs one point. Only one of White's moves wins the round, and it loses the match last.
#[test]
fn lost_match_keeps_the_round_won() {
    let position: Match = "+L3RPOY/8/7r/8/1V6/2GB3v/b7/1+l1gy1o+p w l 2-1 3".parse().unwrap();
    let (_, report) = search(&position, &nodes(1_000_000));
    assert!(matches!(report.lines[0].value, Value::Loss(_)), "{:?}", report.lines[0]);
    assert_eq!(report.best_move().map(|mv| mv.to_string()).as_deref(), Some("a8a7"));
}

/// One of two search moves wins the round.
#[test]
fn search_moves_keep_a_won_round() {
    let (mut kept, mut all) = (0, 0);
    for line in include_str!("../../data/kamisado-decide.txt").lines().step_by(5) {
        let [position, best, ..] = line.split(';').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let position: Match = position.replace("0-0 1", "0-0 7").parse().unwrap();
        let best: Vec<Move> = best
            .strip_prefix("bm ")
            .unwrap()
            .split(' ')
            .map(|mv| position.parse_move(mv).unwrap())
            .collect();
        let moves = position.legal_moves();
        let Some(&other) = moves.iter().find(|mv| !best.contains(mv)) else { continue };
        let limits = Limits { search_moves: vec![best[0], other], ..nodes(20_000) };
        kept += usize::from(search(&position, &limits).1.best_move() == Some(best[0]));
        all += 1;
    }
    assert!(all > 50 && 20 * kept >= 19 * all, "{kept} of {all}");
}

/// The opener wins the round after both refills. One of the proofs takes 10 to 100 times the
/// expansions, so the opener is more likely to err there.
#[test]
fn refill_leaves_the_opening_that_is_harder_to_prove() {
    let hard = [
        ("RG++BV+oLO+P/8/8/8/4Y3/8/8/g+br++vp1ly b refill 5-4 7", "left"),
        ("GPYLOV+gR/8/8/8/2B5/8/8/1lopvyrb b refill 1-0 7", "right"),
        ("1LP+BY1RV/1p6/8/8/8/8/5G2/+Oglrybv+o w refill 1-2 7", "right"),
        // In these two, payoffs of the next round favour the other refill.
        ("+L1+v1+P+O+RV/8/1G6/1B2o2+p/6Y1/8/8/ry+g++l2b1 b refill 6-4 7", "right"),
        ("+LG1V+PBR+O/5+b2/8/8/8/8/1+Y6/y+rv+gl1+p+o b refill 5-4 7", "left"),
    ];
    for (line, expected) in hard {
        let position: Match = line.parse().unwrap();
        let best = search(&position, &nodes(200_000)).1.best_move().unwrap();
        assert_eq!(best.to_string(), expected, "{line}");
    }
}

/// If a move keeps a proven win of the round with the higher payoff, the search plays such a move.
#[test]
fn winner_of_round_keeps_the_higher_payoff() {
    let mut rng = ChaCha8Rng::seed_from_u64(29);
    let evaluator = <Match as Searchable>::Evaluator::default();
    let mut solver = Searcher::new(Settings::default());
    let mut wins = |contest: &Match, player| {
        solver.solve(contest, 2_000).map(|proof| proof.is_win_for(player))
    };
    let mut checked = 0;
    while checked < 30 {
        let mut position = Match::start(Target::Long).random_start(&mut rng);
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let player = position.turn();
            let payoffs = evaluator.round_payoffs(&position, player);
            let after = |mv| {
                let mut next = payoffs[0].contest;
                next.play(mv);
                next
            };
            if payoffs.len() == 2 && wins(&payoffs[0].contest, player) == Some(true) {
                let legal = position.legal_moves();
                let keeps: Vec<_> = legal.iter().map(|&mv| wins(&after(mv), player)).collect();
                if keeps.contains(&Some(false)) && !keeps.contains(&None) {
                    let best = search(&position, &nodes(50_000)).1.best_move();
                    let chosen = legal.iter().position(|&mv| Some(mv) == best).unwrap();
                    assert_eq!(keeps[chosen], Some(true), "{best:?} in {position}");
                    checked += 1;
                }
            }
            position.play(mv);
        }
    }
}

/// Number of winning replies, and of all replies, to a move.
fn winning_replies<G: Searchable>(position: &G, mv: G::Move) -> (usize, usize) {
    let mut solver = Searcher::new(Settings::default());
    let mut next = *position;
    next.play(mv);
    let replies = next.legal_moves();
    let mut wins = |&reply: &G::Move| {
        let mut after = next;
        after.play(reply);
        solver
            .solve(&after, 1_000_000)
            .expect("a million expansions prove the reply")
            .is_win_for(next.turn())
    };
    (replies.iter().filter(|reply| wins(reply)).count(), replies.len())
}

/// One reply wins after either move: one of four after the longest loss, one of eight after the
/// other. A search without limits ends with the proof and plays the longest loss.
#[test]
fn lost_round_leaves_smallest_share_of_winning_replies() {
    let mut position: Match = "LRVBOGPY/8/8/8/8/8/8/obylprvg b - 0-0 1".parse().unwrap();
    for mv in "f1f7 h8h7 g1g3 g8g7 b1b5 c8c3 b5d7 f8c5 d1d4".split(' ') {
        position.play(position.parse_move(mv).unwrap());
    }
    let [longest, hardest] = ["d8e7", "d8a5"].map(|mv| position.parse_move(mv).unwrap());
    assert_eq!(search(&position, &Limits::default()).1.best_move(), Some(longest));
    assert_eq!([longest, hardest].map(|mv| winning_replies(&position, mv)), [(1, 4), (1, 8)]);
    assert_eq!(search(&position, &nodes(100_000)).1.best_move(), Some(hardest));
}

/// Both moves lose at the same distance.
#[test]
fn lost_game_of_kamon_leaves_fewest_winning_replies() {
    let positions = [
        (
            "o2r4y4o4/y5o3p1--l2/g3y2y1y3p6g1/y6p5g2o1o5l4g5/g6o6l3g4l6r2/r5p2l5p4r3/l1r1p3r6 \
             wb2/1b2b/1bw3/wb1bw2/6/www2/3b b b3",
            "c3",
            "c5",
        ),
        (
            "p4o4g5r4/r6y2g2y3g1/g4o5p3r2y1y6/l3o3p5p6g3l2l1/r1--p1l4l5p2/r5o2r3o1g6/o6l6y5y4 \
             wb1b/wwb2/b3bw/3b1b1/3w2/1w2b/wb1w w d6",
            "c5",
            "e4",
        ),
    ];
    for (line, many, few) in positions {
        let position: Kamon = line.parse().unwrap();
        let search_moves: Vec<_> =
            [many, few].iter().map(|mv| position.parse_move(mv).unwrap()).collect();
        let [of_many, of_few] =
            [0, 1].map(|choice| winning_replies(&position, search_moves[choice]).0);
        assert!(of_few < of_many, "{of_few} and {of_many} in {line}");
        let limits = Limits {
            search_moves: search_moves.clone(),
            nodes: Some(100_000),
            ..Limits::default()
        };
        let report = Searcher::new(Settings::default()).run(
            &position,
            &limits,
            &Control::default(),
            &mut |_| (),
        );
        assert_eq!(report.best_move(), Some(search_moves[1]), "{line}");
    }
}
