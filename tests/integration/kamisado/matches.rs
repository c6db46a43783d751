//! Rounds and matches: refills, teeth, points, results and the hash.

use std::collections::BTreeSet;

use oshi::game::{Game, Outcome, Player, RoundEnd, Text};
use oshi::games::kamisado::{Colour, Match, Move, Target};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{after, called, line_after, moves, read};

#[test]
fn booklet_refill_from_left_and_right() {
    let won = after("3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6GV/g1r2y2 w v 0-0 3", "h2h1");
    assert_eq!(won.to_string(), "3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6G1/g1r2y1+V w refill 0-1 3");
    assert_eq!(moves(&won), ["left", "right"]);
    // The loser of the round opens the next one.
    assert_eq!(line_after(&won.to_string(), "left"), "+VGYPROLB/8/8/8/8/8/8/grypbolv b - 0-1 3");
    assert_eq!(line_after(&won.to_string(), "right"), "LBOPRYG+V/8/8/8/8/8/8/vlbopgry b - 0-1 3");
}

#[test]
fn booklet_long_match_won_after_two_double_pushes() {
    let line = "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7";
    assert_eq!(called(&after(line, "d2d3")), (Player::Black, 'o'));
    assert_eq!(called(&after(line, "d2d3 d3d4")), (Player::Black, 'r'));
    let over = after(line, "d2d3 d3d4 h3h8");
    assert_eq!(over.to_string(), "+O+L2YRG++r/8/3+V4/3P2B1/3++o4/8/8/+bg1ypvl1 w - 7-3 7");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
}

#[test]
fn booklet_marathon_won_by_fourth_tooth() {
    let line = "OLV1Y+R+GB/3+++g4/8/+++P7/8/8/8/++b1++r+ypvlo b g 14-9 15";
    assert_eq!(moves(&read(line)), ["d7d8"]);
    let over = after(line, "d7d8");
    assert_eq!(over.to_string(), "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15");
    assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
}

#[test]
fn first_three_teeth_pay_one_two_four() {
    for (tower, points) in [("g", 1), ("+g", 2), ("++g", 4)] {
        let won = after(&format!("OLV1YRGB/3{tower}4/8/P7/8/8/8/b1rypvlo b g 0-0 15"), "d7d8");
        assert_eq!(won.points(), [points, 0]);
        assert_eq!(won.teeth(Player::Black, Colour::Green), tower.len() as u8);
        assert_eq!((won.outcome(), won.refill_due(), won.turn()), (None, true, Player::Black));
    }
}

#[test]
fn fourth_tooth_ends_match_and_raises_points_to_target() {
    for (before, after_it) in [("0-0", "15-0"), ("3-9", "15-9"), ("7-0", "15-0"), ("8-14", "16-14")]
    {
        let over = after(&format!("OLV1YRGB/3+++g4/8/P7/8/8/8/b1rypvlo b g {before} 15"), "d7d8");
        assert_eq!(
            over.to_string(),
            format!("OLV++++gYRGB/8/8/P7/8/8/8/b1rypvlo w - {after_it} 15")
        );
        assert_eq!(over.outcome(), Some(Outcome::Win(Player::Black)));
    }
}

#[test]
fn contest_of_a_round_is_a_simple_match() {
    let position = read("+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7");
    assert_eq!(
        position.round().contest.to_string(),
        "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 0-0 1"
    );
    let over = after(&position.to_string(), "d2d3 d3d4 h3h8");
    assert_eq!(over.round().contest, over);
}

#[test]
fn round_decides_match_for_player_one_point_short() {
    let scores = [
        ("OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3", [false, false]),
        ("+OLVPYRGB/8/8/8/8/8/8/+b+grypvlo b - 2-1 3", [true, false]),
        ("+O+LVPYRGB/8/8/8/8/8/8/+bgrypvlo b - 1-2 3", [false, true]),
        ("+O+LVPYRGB/8/8/8/8/8/8/+b+grypvlo b - 2-2 3", [true, true]),
    ];
    for (line, decided) in scores {
        let position: Match = line.parse().unwrap();
        assert_eq!(
            Player::ALL.map(|player| position.round().decides_for(player)),
            decided,
            "{line}"
        );
    }
}

#[test]
fn picture_names_player_task_and_points() {
    let positions = [
        (
            "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3",
            "Black opens the round with any tower; Black 0, White 0, 3 to win",
        ),
        (
            "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7",
            "Black's orange tower on d2 is called; Black 5, White 3, 7 to win",
        ),
        (
            "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15",
            "Black has won the match; Black 22, White 9, 15 to win",
        ),
    ];
    for (line, state) in positions {
        let position: Match = line.parse().unwrap();
        assert_eq!(position.picture().lines().last(), Some(state));
    }
    let refill = after("OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 3", "e4e8");
    assert_eq!(
        refill.picture().lines().last(),
        Some(
            "Black has won the round and owes the refill, left or right; Black 1, White 0, 3 to win"
        )
    );
}

/// Counts of plain towers, Sumos, Double Sumos and Triple Sumos. A tower with four teeth counts as a
/// Triple Sumo.
#[test]
fn ranks_count_towers_by_teeth() {
    let over: Match = "OLV++++gY+R+GB/8/8/+++P7/8/8/8/++b1++r+ypvlo w - 22-9 15".parse().unwrap();
    assert_eq!(
        [Player::Black, Player::White].map(|player| over.ranks(player)),
        [[4, 1, 2, 1], [5, 2, 0, 1]]
    );
}

/// The winner made the last move on the far row (D7). The loser made it before a deadlock (D8).
#[test]
fn ending_names_far_row_or_deadlock() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut seen = BTreeSet::new();
    for _ in 0..5000 {
        let mut position = Match::start(Target::Simple).random_start(&mut rng);
        let mut last_real_mover = None;
        while position.outcome().is_none() {
            let mv = *position.legal_moves().choose(&mut rng).unwrap();
            if mv != Move::Pass {
                last_real_mover = Some(position.turn());
            }
            position.play(mv);
        }
        let has_winner_moved = position.outcome() == last_real_mover.map(Outcome::Win);
        assert_eq!(
            position.ending(),
            if has_winner_moved { "reaching the far row" } else { "deadlock" },
            "{position}"
        );
        seen.insert(position.ending());
    }
    assert_eq!(seen.len(), 2, "only {seen:?} occurred");
}

#[test]
fn round_end_names_winner_reason_and_points() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut seen = BTreeSet::new();
    for _ in 0..1000 {
        let [white, black] = ["OLVPYRGB", "bgrypvlo"].map(|row| {
            let ranked =
                row.chars().map(|tower| format!("{}{tower}", "+".repeat(rng.random_range(0..=3))));
            ranked.collect::<String>()
        });
        let mut position = read(&format!("{white}/8/8/8/8/8/8/{black} b - 0-0 15"));
        let mut last_real_mover = position.turn();
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let before = position;
            if let Move::Tower { .. } = mv {
                last_real_mover = before.turn();
            }
            position.play(mv);
            let won = |player: Player| {
                position.points()[player.index()] - before.points()[player.index()]
            };
            let expected =
                Player::ALL.into_iter().find(|&player| won(player) > 0).map(|winner| RoundEnd {
                    winner: Some(winner),
                    how: match won(winner) {
                        _ if winner != last_real_mover => "deadlock",
                        1 => "a plain tower on the far row",
                        2 => "a Sumo on the far row",
                        4 => "a Double Sumo on the far row",
                        _ => "a Triple Sumo on the far row",
                    },
                    points: Some(position.points()),
                });
            let found = position.round_end(&before);
            assert_eq!(found, expected, "{mv} in {before}");
            seen.extend(found.map(|end| end.how));
        }
    }
    assert_eq!(seen.len(), 5, "only {seen:?} occurred");
}

#[test]
fn hash_depends_on_every_field() {
    let start = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo";
    let mut lines: Vec<String> =
        ["1", "3", "7"].map(|target| format!("{start} b - 0-0 {target}")).into();
    for called in ["-", "refill", "b", "g", "r", "y", "p", "v", "l", "o"] {
        lines.extend(["b", "w"].map(|turn| format!("{start} {turn} {called} 0-0 15")));
    }
    for points in 1..15 {
        lines.extend([format!("{start} b - {points}-0 15"), format!("{start} b - 0-{points} 15")]);
    }
    for other in ["+bgrypvlo", "++bgrypvlo", "+++bgrypvlo", "b+grypvlo", "gbrypvlo"] {
        lines.push(format!("OLVPYRGB/8/8/8/8/8/8/{other} b - 0-0 15"));
    }
    lines.push("+OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 15".to_owned());
    lines.push("OLVPYRGB/8/8/8/8/8/b7/1grypvlo b - 0-0 15".to_owned());
    let hashes: BTreeSet<u64> = lines.iter().map(|line| read(line).hash()).collect();
    assert_eq!(hashes.len(), lines.len());
}
