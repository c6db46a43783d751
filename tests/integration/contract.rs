//! The contract that every game keeps, played out over random games.

use std::collections::HashSet;

use arrayvec::ArrayVec;
use oshi::game::{Estimate, Foresight, Outcome, RoundProof, Text};
use oshi::games::{Layout, SearchVisitor, StartPosition, Variant};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// No game of any variant is longer, as far as random play tells.
const LONGEST: usize = 10_000;

struct Contract {
    games: usize,
    seed: u64,
}

impl SearchVisitor for Contract {
    type Output = ();

    fn visit<G: Estimate + Text>(self, start: G) {
        check_games(start, self.games, self.seed);
    }
}

/// Plays so many random games out, every other one from a random start, and checks the contract at each position.
pub fn check_games<G: Estimate + Text>(start: G, games: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for game in 0..games {
        let first = if game % 2 == 0 { start } else { start.random_start(&mut rng) };
        play_out(first, &mut rng);
    }
}

fn play_out<G: Estimate + Text>(start: G, rng: &mut ChaCha8Rng) {
    let mut position = start;
    for _ in 0..LONGEST {
        check_position(&position);
        check_winning_move(&position);
        check_foresight(&position);
        check_play_on(&position);
        check_safe_moves(&position);
        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(rng) else {
            assert!(matches!(position.outcome(), Some(Outcome::Win(_) | Outcome::Draw)));
            return;
        };
        let before = position;
        position.play(mv);
        check_round_end(&before, &position);
        assert_ne!(position.hash(), before.hash(), "{before} and {position} share a hash");
    }
    panic!("the game does not end: {position}");
}

fn check_position<G: Text>(position: &G) {
    let moves = position.legal_moves();
    assert_eq!(moves.is_empty(), position.outcome().is_some(), "moves end with the game: {position}");
    assert_eq!(moves.len(), position.count_legal_moves(), "{position}");
    assert_eq!(moves.iter().collect::<HashSet<_>>().len(), moves.len(), "no move twice: {position}");
    let line = position.to_string();
    let read: G = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(&read, position, "parse∘print is the identity on {line}");
    assert_eq!(read.hash(), position.hash(), "the hash kept up by play is that of the position: {line}");
    for &mv in &moves {
        assert_eq!(position.parse_move(&mv.to_string()), Ok(mv), "{mv} in {line}");
    }
    assert!(position.picture().ends_with('\n'));
}

/// A game names a move that wins at once exactly where there is one.
fn check_winning_move<G: Text>(position: &G) {
    let wins = |&mv: &G::Move| {
        let mut next = *position;
        next.play(mv);
        next.outcome() == Some(Outcome::Win(position.turn()))
    };
    let winning: Vec<G::Move> = position.legal_moves().into_iter().filter(wins).collect();
    match position.winning_move() {
        Some(named) => assert!(winning.contains(&named), "{named} does not win: {position}"),
        None => assert!(winning.is_empty(), "not named: {winning:?} in {position}"),
    }
}

/// What a game says it foresees of a move is what playing on finds.
fn check_foresight<G: Estimate + Text>(position: &G) {
    let moves = position.legal_moves();
    let mut foresights = ArrayVec::new();
    position.foresee(&moves, &mut foresights);
    let seen_all = foresights.len() == moves.len() || matches!(foresights.last(), Some(Foresight::Wins { .. }));
    assert!(seen_all, "{position}");
    let mut seen_on_the_way = ArrayVec::new();
    position.assess_and_foresee(RoundProof::None, &moves, &mut vec![0.0; moves.len()], &mut seen_on_the_way);
    assert!([0, moves.len()].contains(&seen_on_the_way.len()), "{position}");
    check_what_is_foreseen(position, &foresights);
    check_what_is_foreseen(position, &seen_on_the_way);
}

fn check_what_is_foreseen<G: Estimate + Text>(position: &G, foresights: &[Foresight]) {
    for (mv, foresight) in position.legal_moves().into_iter().zip(foresights) {
        let mut next = *position;
        next.play(mv);
        let wins = next.outcome() == Some(Outcome::Win(position.turn()));
        let loses = next.turn() != position.turn() && next.winning_move().is_some();
        match *foresight {
            Foresight::Wins { own_moves: 1 } => assert!(wins, "{mv} in {position}"),
            Foresight::Wins { .. } => {
                let wins_then = |reply| {
                    let mut after = next;
                    after.play(reply);
                    after.winning_move().is_some()
                };
                assert!(!wins && !loses && next.legal_moves().into_iter().all(wins_then), "{mv} in {position}");
            }
            Foresight::Loses => assert!(loses && !wins, "{mv} in {position}"),
            Foresight::Open { logit } => assert!(logit.is_finite() && !wins && !loses, "{mv} in {position}"),
        }
    }
}

/// A move that does not win is played on as it is played.
fn check_play_on<G: Text>(position: &G) {
    for mv in position.legal_moves() {
        let (mut played, mut played_on) = (*position, *position);
        played.play(mv);
        if played.outcome() != Some(Outcome::Win(position.turn())) {
            played_on.play_on(mv);
            assert_eq!((played, played.hash()), (played_on, played_on.hash()), "{mv} in {position}");
        }
    }
}

/// A game may not see that a move lets the opponent win at once, but never says so of one that does not.
fn check_safe_moves<G: Text>(position: &G) {
    let moves = position.legal_moves();
    let is_safe = |&&mv: &&G::Move| {
        let mut next = *position;
        next.play(mv);
        next.turn() == position.turn() || next.winning_move().is_none()
    };
    let seen = position.safe_moves();
    assert!(moves.iter().filter(is_safe).count() <= seen && seen <= moves.len(), "{seen} in {position}");
}

/// Who is said to win the game with the round does, when the round is won.
fn check_round_end<G: Text>(before: &G, after: &G) {
    let winner = after.round_end(before).and_then(|end| end.winner);
    if let Some(winner) = winner.filter(|&winner| before.round_decides(winner)) {
        assert_eq!(after.outcome(), Some(Outcome::Win(winner)), "{before} and {after}");
    }
}

#[test]
fn every_variant_keeps_the_contract() {
    for &variant in Variant::ALL {
        variant.start().search(Contract { games: 300, seed: 1 });
    }
}

#[test]
fn every_layout_keeps_the_contract() {
    for &layout in Layout::ALL {
        StartPosition { variant: Variant::KamisadoLong, layout, seed: None }.search(Contract { games: 50, seed: 2 });
    }
}

/// Tables that take some bits of a hash for the place of a position fill evenly only if each bit is set as often as not.
pub fn check_bits_of_hashes<G: Estimate + Text>(start: G) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut hashes = HashSet::new();
    while hashes.len() < 4_000 {
        let mut position = start.random_start(&mut rng);
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            position.play(mv);
            hashes.insert(position.hash());
        }
    }
    for bit in 0..64 {
        let set = hashes.iter().filter(|hash| *hash >> bit & 1 == 1).count();
        let percent = 100 * set / hashes.len();
        assert!((44..=56).contains(&percent), "bit {bit} is set in {percent} % of the hashes after {start}");
    }
}

#[test]
fn every_bit_of_a_hash_is_set_in_half_of_the_positions() {
    struct Hashes;
    impl SearchVisitor for Hashes {
        type Output = ();
        fn visit<G: Estimate + Text>(self, start: G) {
            check_bits_of_hashes(start);
        }
    }
    for &variant in Variant::ALL {
        variant.start().search(Hashes);
    }
}

#[test]
fn random_starts_depend_on_the_seed_alone() {
    struct Draw(u64);
    impl SearchVisitor for Draw {
        type Output = String;
        fn visit<G: Estimate + Text>(self, start: G) -> String {
            start.random_start(&mut ChaCha8Rng::seed_from_u64(self.0)).to_string()
        }
    }
    let seed = ChaCha8Rng::seed_from_u64(3).random();
    for &variant in Variant::ALL {
        let draw = |seed| variant.start().search(Draw(seed));
        assert_eq!(draw(seed), draw(seed));
        assert_ne!(draw(seed), draw(seed + 1));
    }
}
