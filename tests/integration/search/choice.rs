//! Choice of the move: won rounds, refills, payoffs and lost positions.

use oshi::game::{Evaluator, Game, Searchable, Text};
use oshi::games::kamisado::{Match, Move, Target};
use oshi::search::{Limits, Searcher, Settings};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::search;
use crate::support::search::nodes;

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
        let mut position = Match::start(Target::Marathon).random_start(&mut rng);
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

/// A search without limits ends with the proof and plays the longest loss.
#[test]
fn lost_round_is_defended_within_limits() {
    let position: Match = "Y2OG1LV/1P6/5r2/2B5/1R5l/8/7g/1bvp1yo1 b o 0-0 1".parse().unwrap();
    let [longest, hardest] = ["g1d4", "g1g2"].map(|mv| position.parse_move(mv).unwrap());
    assert_eq!(search(&position, &Limits::default()).1.best_move(), Some(longest));
    assert_eq!(search(&position, &nodes(100_000)).1.best_move(), Some(hardest));
}
