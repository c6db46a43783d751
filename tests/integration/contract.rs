//! The contract of the game traits, checked at every position of random games.

use std::collections::{HashMap, HashSet};

use oshi::game::{
    Evaluator, MoveClass, Outcome, Player, RoundPayoff, RoundProof, Searchable, Text,
};
use oshi::games::{Layout, SearchVisitor, StartPosition, Variant};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::random_play::play_random;

/// Plies after which a random game counts as endless.
const MAX_PLIES: usize = 10_000;

struct Contract {
    games: usize,
    seed: u64,
}

impl SearchVisitor for Contract {
    type Output = ();

    fn visit<G: Searchable + Text>(self, start: G) {
        check_games(start, self.games, self.seed);
    }
}

/// Plays random games to the end and checks the contract at each position. Every other game begins
/// at a random start.
pub fn check_games<G: Searchable + Text>(start: G, games: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for game in 0..games {
        let first = if game % 2 == 0 { start } else { start.random_start(&mut rng) };
        play_out(first, &mut rng);
    }
}

fn play_out<G: Searchable + Text>(start: G, rng: &mut ChaCha8Rng) {
    let mut position = start;
    for _ in 0..MAX_PLIES {
        check_position(&position);
        check_winning_move(&position);
        check_evaluation(&position);
        check_play_non_winning(&position);
        check_safe_moves(&position);
        check_initial_numbers(&position);
        check_round(&position);
        check_payoffs(&position);
        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(rng) else {
            assert!(matches!(position.outcome(), Some(Outcome::Win(_) | Outcome::Draw)));
            return;
        };
        let before = position;
        position.play(mv);
        check_round_end(&before, mv, &position);
        assert_ne!(position.hash(), before.hash(), "{before} and {position} share a hash");
    }
    panic!("the game does not end: {position}");
}

fn check_position<G: Text>(position: &G) {
    let moves = position.legal_moves();
    assert_eq!(
        moves.is_empty(),
        position.outcome().is_some(),
        "a position has moves unless the game is over: {position}"
    );
    assert_eq!(moves.len(), position.count_legal_moves(), "{position}");
    assert_eq!(
        moves.iter().collect::<HashSet<_>>().len(),
        moves.len(),
        "duplicate move in {position}"
    );
    let line = position.to_string();
    let read: G = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(&read, position, "{line} is parsed as another position");
    assert_eq!(
        read.hash(),
        position.hash(),
        "the incremental hash differs from that of the parsed position: {line}"
    );
    assert_eq!(read.proof_key(), position.proof_key(), "the incremental proof key differs: {line}");
    for &mv in &moves {
        assert_eq!(position.parse_move(&mv.to_string()), Ok(mv), "{mv} in {line}");
    }
    assert!(position.picture().ends_with('\n'));
}

/// `winning_move` returns a move that wins at once if one exists.
fn check_winning_move<G: Text>(position: &G) {
    let wins = |&mv: &G::Move| {
        let mut next = *position;
        next.play(mv);
        next.outcome() == Some(Outcome::Win(position.turn()))
    };
    let winning: Vec<G::Move> = position.legal_moves().into_iter().filter(wins).collect();
    match position.winning_move() {
        Some(named) => assert!(winning.contains(&named), "{named} does not win: {position}"),
        None => assert!(winning.is_empty(), "missed {winning:?} in {position}"),
    }
}

/// Evaluations are in range, and the classes of moves are true.
fn check_evaluation<G: Searchable + Text>(position: &G) {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return;
    }
    let mut evaluator = G::Evaluator::default();
    let evaluation = evaluator.evaluate(position, &moves, RoundProof::Unknown, &[]);
    assert!((0.0..=1.0).contains(&evaluation.value), "{position}");
    assert!(
        evaluation.policy.logits.len() == moves.len()
            && evaluation.policy.logits.iter().all(|logit| logit.is_finite())
    );
    let classes = &evaluation.policy.classes;
    assert!([0, moves.len()].contains(&classes.len()), "{position}");
    check_classes(position, classes);
    let classified = evaluator.classify_moves(position, &moves);
    // Classification may end at a winning move.
    let is_complete = classified.classes.len() == moves.len()
        || matches!(classified.classes.last(), Some(MoveClass::Wins { .. }));
    assert!(is_complete && classified.classes.len() == classified.logits.len(), "{position}");
    assert!(classified.logits.iter().all(|logit| logit.is_finite()), "{position}");
    check_classes(position, &classified.classes);
}

fn check_classes<G: Text>(position: &G, classes: &[MoveClass]) {
    for (mv, class) in position.legal_moves().into_iter().zip(classes) {
        let mut next = *position;
        next.play(mv);
        let wins = next.outcome() == Some(Outcome::Win(position.turn()));
        let loses = next.turn() != position.turn() && next.winning_move().is_some();
        match *class {
            MoveClass::Wins { own_moves: 1 } => assert!(wins, "{mv} in {position}"),
            MoveClass::Wins { .. } => {
                let wins_then = |reply| {
                    let mut after = next;
                    after.play(reply);
                    after.winning_move().is_some()
                };
                assert!(
                    !wins && !loses && next.legal_moves().into_iter().all(wins_then),
                    "{mv} in {position}"
                );
            }
            MoveClass::Loses => assert!(loses && !wins, "{mv} in {position}"),
            MoveClass::Open => assert!(!wins && !loses, "{mv} in {position}"),
        }
    }
}

/// `play_non_winning` equals `play` for every move that does not win.
fn check_play_non_winning<G: Text>(position: &G) {
    for mv in position.legal_moves() {
        let (mut played, mut played_fast) = (*position, *position);
        played.play(mv);
        if played.outcome() != Some(Outcome::Win(position.turn())) {
            played_fast.play_non_winning(mv);
            assert_eq!(
                (played, played.hash()),
                (played_fast, played_fast.hash()),
                "{mv} in {position}"
            );
        }
    }
}

/// `safe_moves` contains every move that does not lose at once. It may contain losing moves too.
fn check_safe_moves<G: Text>(position: &G) {
    let moves = position.legal_moves();
    let is_safe = |&&mv: &&G::Move| {
        let mut next = *position;
        next.play(mv);
        next.outcome() != Some(Outcome::Win(!position.turn()))
            && (next.turn() == position.turn() || next.winning_move().is_none())
    };
    let safe = position.safe_moves();
    assert_eq!(safe.len(), position.count_safe_moves(), "{position}");
    let in_order: Vec<_> = moves.iter().filter(|mv| safe.contains(mv)).collect();
    assert!(in_order.iter().copied().eq(&safe), "{safe:?} of {moves:?} in {position}");
    assert!(moves.iter().filter(is_safe).all(|mv| safe.contains(mv)), "{safe:?} in {position}");
}

/// Initial numbers after a move: the proof number is positive, the disproof number is zero only
/// without safe moves.
fn check_initial_numbers<G: Text>(position: &G) {
    let numbers_of = position.initial_numbers();
    for mv in position.legal_moves() {
        let mut next = *position;
        next.play(mv);
        if next.outcome().is_none() && next.winning_move().is_none() {
            let numbers = numbers_of(&next);
            assert!(numbers.proof > 0, "{mv} in {position}");
            assert_eq!(numbers.disproof == 0, next.count_safe_moves() == 0, "{mv} in {position}");
        }
    }
}

/// The contest of an unfinished round has the same moves, and is a whole game in itself.
fn check_round<G: Text>(position: &G) {
    let round = position.round();
    let contest = round.contest;
    assert_eq!(round.is_whole_game(), contest == *position, "{position}");
    assert!(contest.round().is_whole_game() && contest.round().contest == contest, "{position}");
    if position.outcome().is_none() {
        assert_eq!(
            (contest.turn(), contest.legal_moves()),
            (position.turn(), position.legal_moves()),
            "{position}"
        );
    }
}

/// The contest for a payoff has the same moves and keeps the contract. Contests differ in their
/// proof keys, and the last one counts any win.
fn check_payoffs<G: Searchable + Text>(position: &G) {
    for winner in Player::ALL {
        let payoffs = G::Evaluator::default().round_payoffs(position, winner);
        let keys: HashSet<u64> = payoffs.iter().map(|payoff| payoff.contest.proof_key()).collect();
        assert_eq!(keys.len(), payoffs.len(), "{position}");
        assert!(
            payoffs.last().is_none_or(|any| any.contest == position.round().contest),
            "{position}"
        );
        for RoundPayoff { contest, value } in payoffs {
            assert!((0.0..=1.0).contains(&value), "{value} in {position}");
            assert_eq!(
                (contest.turn(), contest.legal_moves()),
                (position.turn(), position.legal_moves()),
                "{position}"
            );
            check_winning_move(&contest);
            check_play_non_winning(&contest);
            check_safe_moves(&contest);
            check_initial_numbers(&contest);
        }
    }
}

/// The winner of a round has won its contest. If the round decides the game for this player, the
/// game is won too.
fn check_round_end<G: Text>(before: &G, mv: G::Move, after: &G) {
    let Some(winner) = after.round_end(before).and_then(|end| end.winner) else { return };
    if before.round().decides_for(winner) {
        assert_eq!(after.outcome(), Some(Outcome::Win(winner)), "{before} and {after}");
    }
    let mut contest = before.round().contest;
    contest.play(mv);
    assert_eq!(contest.outcome(), Some(Outcome::Win(winner)), "{before} and {after}");
}

/// Checks that two positions with one hash agree for `plies` plies, so that a proof of one position
/// holds for the other.
fn check_same_future<G: Text>(one: &G, other: &G, plies: u32) {
    assert_eq!(one.hash(), other.hash(), "{one} and {other}");
    assert_eq!((one.turn(), one.outcome()), (other.turn(), other.outcome()), "{one} and {other}");
    assert_eq!(one.legal_moves(), other.legal_moves(), "{one} and {other}");
    assert_eq!(one.winning_move(), other.winning_move(), "{one} and {other}");
    assert_eq!(one.count_safe_moves(), other.count_safe_moves(), "{one} and {other}");
    for mv in one.legal_moves().into_iter().filter(|_| plies > 0) {
        let (mut one, mut other) = (*one, *other);
        one.play(mv);
        other.play(mv);
        check_same_future(&one, &other, plies - 1);
    }
}

/// Reaches positions by different orders of moves, and checks that equal hashes mean equal futures.
/// Returns the number of unequal pairs with equal hashes.
pub fn check_equal_hashes<G: Text>(start: G, seed: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut first_with = HashMap::<u64, G>::new();
    let mut unequal = 0;
    for _ in 0..40 {
        let plies = rng.random_range(0..24);
        let root = play_random(start, plies, &mut rng);
        for _ in 0..200 {
            let mut position = root;
            for _ in 0..4 {
                let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
                position.play(mv);
                let first = *first_with.entry(position.hash()).or_insert(position);
                if first != position {
                    check_same_future(&first, &position, 2);
                    unequal += 1;
                }
            }
        }
    }
    unequal
}

#[test]
fn positions_with_equal_hashes_have_equal_futures() {
    struct EqualHashes;
    impl SearchVisitor for EqualHashes {
        type Output = usize;
        fn visit<G: Searchable + Text>(self, start: G) -> usize {
            check_equal_hashes(start, 5)
        }
    }
    let pairs = Variant::ALL.iter().map(|&variant| variant.start().search(EqualHashes));
    // Positions of Kamon with different last moves share a hash if the same cells are playable.
    assert!(pairs.sum::<usize>() > 0, "no unequal positions share a hash");
}

#[test]
fn every_variant_keeps_the_contract() {
    for &variant in Variant::ALL {
        variant.start().search(Contract { games: 300, seed: 1 });
    }
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release -- --ignored contract::`"]
fn many_random_games_keep_the_contract() {
    for &variant in Variant::ALL {
        variant.start().search(Contract { games: 5_000, seed: 3 });
    }
}

#[test]
fn every_layout_keeps_the_contract() {
    for &layout in Layout::ALL {
        StartPosition { variant: Variant::KamisadoLong, layout, seed: None }
            .search(Contract { games: 50, seed: 2 });
    }
}

/// Each bit of the proof key is set in about half of the positions. Tables index by some of the
/// bits, and fill evenly only then.
pub fn check_proof_key_bits<G: Searchable + Text>(start: G) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut keys = HashSet::new();
    while keys.len() < 4_000 {
        let mut position = start.random_start(&mut rng);
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            position.play(mv);
            keys.insert(position.proof_key());
        }
    }
    for bit in 0..64 {
        let set = keys.iter().filter(|key| *key >> bit & 1 == 1).count();
        let percent = 100 * set / keys.len();
        assert!(
            (44..=56).contains(&percent),
            "bit {bit} is set in {percent} % of the keys after {start}"
        );
    }
}

#[test]
fn proof_key_bits_are_balanced() {
    struct KeyBits;
    impl SearchVisitor for KeyBits {
        type Output = ();
        fn visit<G: Searchable + Text>(self, start: G) {
            check_proof_key_bits(start);
        }
    }
    for &variant in Variant::ALL {
        variant.start().search(KeyBits);
    }
}

/// A seed draws the same start from any position of the game. Different seeds draw different
/// starts, unless the game has only one.
pub fn check_random_starts<G: Text>(start: G) {
    let draw = |from: G, seed| from.random_start(&mut ChaCha8Rng::seed_from_u64(seed)).to_string();
    let mut later = start;
    later.play(start.legal_moves()[0]);
    let drawn: Vec<String> = (0..20).map(|seed| draw(start, seed)).collect();
    let again: Vec<String> = (0..20).map(|seed| draw(later, seed)).collect();
    assert_eq!(drawn, again);
    let distinct = drawn.iter().collect::<HashSet<_>>().len();
    assert!(
        distinct > 10 || drawn.iter().all(|line| *line == start.to_string()),
        "{distinct} of {drawn:#?}"
    );
}

#[test]
fn random_starts_depend_only_on_the_seed() {
    struct Starts;
    impl SearchVisitor for Starts {
        type Output = ();
        fn visit<G: Searchable + Text>(self, start: G) {
            check_random_starts(start);
        }
    }
    for &variant in Variant::ALL {
        variant.start().search(Starts);
    }
}
