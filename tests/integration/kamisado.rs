//! Kamisado's rules: the booklet's examples, both symmetries, and what can never happen in a match.

use oshi::game::{Game, Outcome, Player};
use oshi::games::kamisado::{Colour, Layout, Match, Move, PositionError, Side, Square, Target};
use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn read(text: &str) -> Match {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn play(mut position: Match, moves: &str) -> Match {
    for text in moves.split_whitespace() {
        let mv = position.parse_move(text).unwrap_or_else(|error| panic!("{position}: {error}"));
        position.play(mv);
    }
    position
}

/// The tower on each square of a player's home row, from the brown square to the orange one.
fn home_row(position: &Match, player: Player) -> [Colour; 8] {
    let mut row = [Colour::Brown; 8];
    for square in Square::all().filter(|square| square.seen_by(player).rank() == 0) {
        let (owner, colour) = position.tower_at(square).expect("a full home row");
        assert_eq!(owner, player);
        row[square.colour().index()] = colour;
    }
    row
}

mod booklet {
    use super::*;
    use Colour::{Blue, Brown, Green, Orange, Pink, Red, Violet, Yellow};

    /// The refill example. White's violet tower has just reached the row it sees as R8, rank 1.
    const WON: &str = "2L4B/4vO2/l7/PR2o2b/3p3Y/1G6/8/gV1r2y1 w refill 0-0 3";

    #[test]
    fn refill_sets_the_towers_up_row_by_row_from_the_chosen_side() {
        // White sees file h at the left: R1 brown left of blue, R5 red left of pink.
        let won = read("L6B/6l1/4vO2/P2R3b/4o3/3pY3/3G4/gV1r2y1 w refill 0-1 3");
        let _ = WON;
        let left = play(won, "left");
        let right = play(won, "right");
        assert_eq!(home_row(&left, Player::White), [Brown, Blue, Orange, Red, Pink, Yellow, Green, Violet]);
        assert_eq!(home_row(&right, Player::White), [Violet, Green, Yellow, Red, Pink, Orange, Brown, Blue]);
        assert_eq!(left.turn(), Player::Black, "the loser opens the next round");
        assert!(left.is_free_choice());
    }
}
