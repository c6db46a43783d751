use std::collections::HashSet;

use super::*;
use figure::figure_in;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

#[test]
fn hash_keys_are_distinct() {
    assert_eq!(KEYS.as_flattened().iter().collect::<HashSet<_>>().len(), 2 * Cell::INDICES);
}

fn tokens_match(one: Token, other: Token) -> bool {
    match (one, other) {
        (Token::Plain(colour, symbol), Token::Plain(other_colour, other_symbol)) => {
            colour == other_colour || symbol == other_symbol
        }
        _ => false,
    }
}

fn after(mut position: Kamon, cell: Cell) -> Kamon {
    position.play(cell);
    position
}

/// Visits all positions of random games on random layouts.
fn random_positions(games: usize, mut visit: impl FnMut(&Kamon)) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..games {
        let mut position = Kamon::start().random_start(&mut rng);
        visit(&position);
        while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
            position.play(cell);
            visit(&position);
        }
    }
}

#[test]
fn position_is_small_enough_to_copy() {
    assert!(size_of::<Kamon>() <= 248);
}

#[test]
fn first_move_is_on_a_side_but_no_corner() {
    random_positions(200, |position| {
        if position.last.is_none() {
            let neutral_on_side = (Cells::RIM - Cells::CORNERS).meets(position.layout.neutral());
            assert_eq!(position.count_legal_moves(), if neutral_on_side { 11 } else { 12 });
            for cell in position.legal_moves() {
                assert!(
                    cell.neighbours().iter().len() == 4 && position.token(cell) != Token::Neutral
                );
            }
        }
    });
}

#[test]
fn later_moves_match_colour_or_symbol_of_last_token() {
    random_positions(200, |position| {
        if let (Some(last), None) = (position.last, position.ending) {
            let matching = Cell::all()
                .filter(|&cell| position.owner(cell).is_none())
                .filter(|&cell| tokens_match(position.token(cell), position.token(last)));
            assert!(position.legal_moves().into_iter().eq(matching));
        }
    });
}

#[test]
fn endings_are_tested_in_their_order() {
    random_positions(5_000, |position| {
        let Some(last) = position.last else { return };
        let can_play = Cell::all().any(|cell| {
            position.owner(cell).is_none()
                && tokens_match(position.token(cell), position.token(last))
        });
        let expected = match figure_in(position.hexagons[(!position.turn).index()].cells()) {
            Some(Figure::Connection) => Some(Ending::Connection),
            Some(Figure::Loop) => Some(Ending::Loop),
            None if position.ply() == 36 => Some(Ending::Draw),
            None if !can_play => Some(Ending::Block),
            None => None,
        };
        assert_eq!(position.ending, expected, "{position}");
    });
}

#[test]
fn mover_wins_unless_drawn() {
    random_positions(2_000, |position| {
        let expected = position.ending.map(|ending| match ending {
            Ending::Draw => Outcome::Draw,
            _ => Outcome::Win(!position.turn),
        });
        assert_eq!(position.outcome(), expected);
    });
}

#[test]
fn finds_winning_move_if_and_only_if_one_exists() {
    random_positions(2_000, |position| {
        let wins = |cell| after(*position, cell).outcome() == Some(Outcome::Win(position.turn));
        let found = position.winning_move();
        assert!(found.is_none_or(|cell| position.legal.contains(cell) && wins(cell)), "{position}");
        assert_eq!(found.is_some(), position.legal.iter().any(wins), "{position}");
    });
}

/// All positions after `plies` moves.
fn positions_after(position: Kamon, plies: u32) -> Vec<Kamon> {
    (0..plies).fold(vec![position], |positions, _| {
        positions
            .iter()
            .flat_map(|position| {
                position.legal_moves().into_iter().map(|cell| after(*position, cell))
            })
            .collect()
    })
}

#[test]
fn hash_depends_on_hexagons_and_legal_moves_only() {
    let sets = |position: &Kamon| position.hexagons.map(|own| own.cells());
    let positions = positions_after(Kamon::start(), 4);
    let same: HashSet<_> =
        positions.iter().map(|position| (sets(position), position.legal)).collect();
    let hashes: HashSet<_> = positions.iter().map(Kamon::hash).collect();
    let both: HashSet<_> = positions
        .iter()
        .map(|position| (sets(position), position.legal, position.hash()))
        .collect();
    assert!(same.len() < positions.len());
    assert_eq!([same.len(), hashes.len()], [both.len(); 2]);
}

/// A layout that a rotation by 60° maps to itself, except that the colours are permuted.
const SYMMETRIC: &str = concat!(
    "l3y1o6y3/r6l2r5y2p1/l1g5p4g4o5l6/o3o2y4--r4p2p3/g6p5l4o4l5g1/o1r2y5g2y6/r3p6r1g3",
    " 4/5/6/7/6/5/4 b -"
);

#[test]
fn proof_key_of_early_position_ignores_symmetry() {
    let start: Kamon = SYMMETRIC.parse().unwrap();
    assert_eq!(start.symmetries.iter().count(), 6);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for symmetry in (0..100).flat_map(|_| start.symmetries.iter()) {
        let (mut position, mut image) = (start, start);
        while let Some(cell) = position.legal_moves().into_iter().choose(&mut rng) {
            position.play(cell);
            image.play(symmetry[cell.ordinal()]);
            assert_eq!(position.outcome(), image.outcome());
            let is_early = position.ply() <= MAX_SYMMETRY_PLY;
            let is_identity = symmetry[0].ordinal() == 0;
            assert_eq!(
                position.proof_key() == image.proof_key(),
                is_early || is_identity,
                "{position} {image}"
            );
        }
    }
}

#[test]
fn equal_proof_keys_imply_symmetric_positions() {
    let start: Kamon = SYMMETRIC.parse().unwrap();
    let sets = |position: &Kamon, image: &Symmetry| {
        (
            position.hexagons.map(|own| symmetry::image(own.cells(), image)),
            symmetry::image(position.legal, image),
        )
    };
    let positions = positions_after(start, 3);
    let keys: HashSet<_> = positions.iter().map(Kamon::proof_key).collect();
    let first_image = |position: &Kamon| {
        let images = start.symmetries.iter().map(|symmetry| sets(position, symmetry));
        images.min_by_key(|(hexagons, open)| (hexagons.map(Cells::bits), open.bits())).unwrap()
    };
    let different: HashSet<_> = positions.iter().map(first_image).collect();
    assert_eq!(keys.len(), different.len());
}

#[test]
fn every_move_changes_hash() {
    let mut last = 0;
    random_positions(5_000, |position| {
        assert_ne!(position.hash(), last, "{position}");
        last = position.hash();
    });
}

#[test]
fn layouts_have_different_hashes() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    assert_ne!(Kamon::start().hash(), Kamon::start().random_start(&mut rng).hash());
}

#[test]
fn illegal_move_names_broken_rule() {
    let mut position = Kamon::start();
    let mut refused = |played: &str, text: &str| {
        if !played.is_empty() {
            position.play(position.parse_move(played).unwrap());
        }
        position.parse_move(text).unwrap_err().to_string()
    };
    assert!(refused("", "a0").starts_with("`a0` is not a move: expected a cell"));
    assert_eq!(
        refused("", "d4"),
        "illegal move `d4`: expected a side cell that is not a corner for the first hexagon, \
         not d4"
    );
    assert_eq!(
        refused("", "a3"),
        "illegal move `a3`: the neutral token lies on a3, and no hexagon may cover it"
    );
    assert_eq!(refused("b1", "b1"), "illegal move `b1`: a hexagon of Black lies on b1");
    assert_eq!(
        refused("", "b2"),
        "illegal move `b2`: y2 on b2 has neither the colour nor the symbol of l4, \
         played last on b1"
    );
}

#[test]
fn rejects_move_after_end_of_game() {
    let line = Kamon::START.replace(" 4/5/6/7/6/5/4 b -", " wwww/ww3/6/bbbbbbb/6/5/4 w d4");
    let over: Kamon = line.parse().unwrap();
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
    assert_eq!(
        over.parse_move("a1").unwrap_err().to_string(),
        "illegal move `a1`: the game is over"
    );
}
