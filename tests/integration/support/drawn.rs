//! Kamisado positions drawn at random, as position lines.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::support::reference::{Call, Match, Side, TARGETS, Tower};

/// A position of a match to any target; see [`line_to`].
pub fn line<R: Rng>(rng: &mut R) -> String {
    line_to(*TARGETS.choose(rng).unwrap(), rng)
}

/// The start of a match to this target, a random arrangement, a handicap start with random Sumos and points, or towers strewn
/// over the board. Only the last kind can be deadlocked.
pub fn line_to<R: Rng>(target: u32, rng: &mut R) -> String {
    let mut drawn = Match::start(target);
    let towers: Vec<Tower> = drawn.towers().into_iter().map(|(_, tower)| tower).collect();
    match rng.random_range(0..4) {
        0 => {}
        1 => arrange(&mut drawn, rng),
        2 => {
            arrange(&mut drawn, rng);
            handicap(&mut drawn, rng);
        }
        _ => {
            strew(&mut drawn, towers, rng);
            handicap(&mut drawn, rng);
        }
    }
    drawn.line()
}

fn arrange<R: Rng>(drawn: &mut Match, rng: &mut R) {
    drawn.board[0].shuffle(rng);
    drawn.board[7].shuffle(rng);
}

fn handicap<R: Rng>(drawn: &mut Match, rng: &mut R) {
    for tower in drawn.board.iter_mut().flatten().flatten() {
        tower.teeth = *[0, 0, 0, 1, 1, 2, 3].choose(rng).unwrap();
    }
    drawn.points = [(); 2].map(|()| rng.random_range(0..drawn.target));
}

/// Onto some neighbouring files only: the fewer they are, the more blocked towers, long pushes and deadlocks.
fn strew<R: Rng>(drawn: &mut Match, towers: Vec<Tower>, rng: &mut R) {
    let width = rng.random_range(2..=8);
    let first = rng.random_range(0..=8 - width);
    let mut squares: Vec<(usize, usize)> =
        (0..8).flat_map(|rank| (first..first + width).map(move |file| (rank, file))).collect();
    squares.shuffle(rng);
    drawn.board = [[None; 8]; 8];
    for (tower, (rank, file)) in towers.into_iter().zip(squares) {
        drawn.board[rank][file] = Some(tower);
    }
    drawn.turn = *[Side::Black, Side::White].choose(rng).unwrap();
    let called = *b"bgrypvlo".choose(rng).unwrap() as char;
    drawn.call = *[Call::AnyTower, Call::Refill, Call::Colour(called), Call::Colour(called)]
        .choose(rng)
        .unwrap();
}
