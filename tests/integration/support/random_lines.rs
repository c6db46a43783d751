//! Random positions of Kamisado, as position lines.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::support::reference::{Call, Match, Side, TARGETS, Tower};

/// Draws a position of a match to a random target; see [`line_to`].
pub fn line<R: Rng>(rng: &mut R) -> String {
    line_to(*TARGETS.choose(rng).unwrap(), rng)
}

/// Draws one of four kinds: the start, a random arrangement, a handicap start with random Sumos and
/// points, or towers scattered over the board. Only the last kind can be deadlocked.
pub fn line_to<R: Rng>(target: u32, rng: &mut R) -> String {
    let mut position = Match::start(target);
    let towers: Vec<Tower> = position.towers().into_iter().map(|(_, tower)| tower).collect();
    match rng.random_range(0..4) {
        0 => {}
        1 => arrange(&mut position, rng),
        2 => {
            arrange(&mut position, rng);
            handicap(&mut position, rng);
        }
        _ => {
            scatter(&mut position, towers, rng);
            handicap(&mut position, rng);
        }
    }
    position.line()
}

fn arrange<R: Rng>(position: &mut Match, rng: &mut R) {
    position.board[0].shuffle(rng);
    position.board[7].shuffle(rng);
}

fn handicap<R: Rng>(position: &mut Match, rng: &mut R) {
    for tower in position.board.iter_mut().flatten().flatten() {
        tower.teeth = *[0, 0, 0, 1, 1, 2, 3].choose(rng).unwrap();
    }
    position.points = [(); 2].map(|()| rng.random_range(0..position.target));
}

/// Scatters the towers over adjacent files. Few files make blocked towers, long pushes and
/// deadlocks likely.
fn scatter<R: Rng>(position: &mut Match, towers: Vec<Tower>, rng: &mut R) {
    let width = rng.random_range(2..=8);
    let first = rng.random_range(0..=8 - width);
    let mut squares: Vec<(usize, usize)> =
        (0..8).flat_map(|rank| (first..first + width).map(move |file| (rank, file))).collect();
    squares.shuffle(rng);
    position.board = [[None; 8]; 8];
    for (tower, (rank, file)) in towers.into_iter().zip(squares) {
        position.board[rank][file] = Some(tower);
    }
    position.turn = *[Side::Black, Side::White].choose(rng).unwrap();
    let called = *b"bgrypvlo".choose(rng).unwrap() as char;
    position.call = *[Call::AnyTower, Call::Refill, Call::Colour(called), Call::Colour(called)]
        .choose(rng)
        .unwrap();
}
