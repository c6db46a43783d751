//! Certificates, checked by the second implementations of the rules and by the script for everybody, each with rules of its own.

use std::fs;
use std::num::NonZeroUsize;
use std::process::Command;

use miniz_oxide::deflate::compress_to_vec_zlib;
use oshi::game::{Game, Outcome, Player, Searchable, Text};
use oshi::games::kamisado::{Match, Target};
use oshi::games::kamon::Kamon;
use oshi::search::Objective;
use oshi::search::certificate::{Certificate, CertificateError};
use oshi::search::{Control, Solver, TableMemory};

use crate::support::certificate::{Refusal, Rules, Shown, check};
use crate::support::{kamon_reference, reference};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/prove/check_certificate.py");

fn memory() -> TableMemory {
    TableMemory::new(1 << 28)
}

fn solver(memory: &mut TableMemory) -> Solver<'_> {
    Solver::new(memory, NonZeroUsize::MIN)
}

/// A certificate of the results of these positions, and those results.
fn certify<G: Searchable + Text>(positions: &[G]) -> (String, Vec<Outcome>) {
    let mut memory = memory();
    let solver = solver(&mut memory);
    let mut certificate = Certificate::default();
    let mut outcomes = Vec::new();
    for position in positions {
        let outcome = solver.solve(position, &Control::default(), &mut |_| ()).unwrap();
        for claim in Objective::of(outcome) {
            certificate.add(&solver, position, claim, &Control::default(), &mut |_| ()).unwrap();
        }
        outcomes.push(outcome);
    }
    (certificate.text().to_owned(), outcomes)
}

/// What the script says of a certificate: that it holds, or the line at which it is refused. `None` where there is no Python.
fn check_by_script(file: &[u8]) -> Option<Result<(), usize>> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("certificate");
    fs::write(&path, file).unwrap();
    let output = Command::new("python3").args(["-B", SCRIPT]).arg(path).output().ok()?;
    if output.status.success() {
        return Some(Ok(()));
    }
    let said = String::from_utf8(output.stderr).unwrap();
    let line = said
        .strip_prefix("line ")
        .and_then(|rest| rest.split_once(':'))
        .map(|(line, _)| line.parse().unwrap());
    Some(Err(line.unwrap_or_else(|| panic!("{said}"))))
}

/// The positions of a file of `tests/data/` that took at most so many nodes, with their results for the player to move.
fn easy<G: Text>(file: &str, most_nodes: u64) -> Vec<(G, String)> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let fields = text.lines().map(|line| line.split(" ;").collect::<Vec<_>>());
    let is_easy = |fields: &Vec<&str>| {
        fields.last().unwrap().strip_prefix("nodes ").unwrap().parse::<u64>().unwrap() <= most_nodes
    };
    fields
        .filter(is_easy)
        .map(|fields| (fields[0].parse().unwrap(), fields[1].to_owned()))
        .collect()
}

#[test]
fn all_openings_of_the_simple_game_are_shown_in_less_than_three_megabytes() {
    let start = Match::start(Target::Simple);
    let after = |mv| {
        let mut next = start;
        next.play(mv);
        next
    };
    let openings: Vec<Match> = start.legal_moves().into_iter().map(after).collect();
    let (text, outcomes) = certify(&openings);
    assert_eq!(outcomes.len(), 102);
    assert_eq!(
        outcomes.iter().filter(|&&outcome| outcome == Outcome::Win(Player::Black)).count(),
        16
    );
    assert!(compress_to_vec_zlib(text.as_bytes(), 9).len() < 3_000_000);
    let claim = |(position, outcome): (&Match, &Outcome)| {
        format!("{} {position}", Objective::of(*outcome)[0])
    };
    let claims = openings.iter().zip(&outcomes).map(claim).collect();
    let moves = text.lines().count() - 103;
    assert_eq!(check::<reference::Match>(&text), Ok(Shown { claims, moves }));
}

/// The results are those of the file, and the certificate shows them to both checkers.
fn all_are_shown<G: Searchable + Text, R: Rules>(positions: &[(G, String)]) {
    let (text, outcomes) =
        certify(&positions.iter().map(|(position, _)| *position).collect::<Vec<_>>());
    let mut claims = Vec::new();
    for ((position, result), outcome) in positions.iter().zip(outcomes) {
        let expected = match result.as_str() {
            "win" => Outcome::Win(position.turn()),
            "loss" => Outcome::Win(!position.turn()),
            _ => Outcome::Draw,
        };
        assert_eq!(outcome, expected, "{position}");
        claims.extend(Objective::of(outcome).iter().map(|claim| format!("{claim} {position}")));
    }
    assert_eq!(check::<R>(&text).map(|shown| shown.claims), Ok(claims));
    for file in [text.clone().into_bytes(), compress_to_vec_zlib(text.as_bytes(), 6)] {
        assert_eq!(check_by_script(&file).unwrap_or(Ok(())), Ok(()));
    }
}

#[test]
fn proofs_of_rounds_are_shown() {
    let mut rounds = easy::<Match>("kamisado-rounds-sumo.txt", 2_000);
    rounds.truncate(40);
    assert!(
        rounds.iter().any(|(_, result)| result == "loss")
            && rounds.iter().any(|(_, result)| result == "win")
    );
    all_are_shown::<Match, reference::Match>(&rounds);
}

#[test]
fn proofs_of_kamon_are_shown_and_a_draw_by_a_strategy_of_each_player() {
    let positions = easy::<Kamon>("kamon-solved.txt", 6_000);
    assert!(
        ["win", "draw", "loss"]
            .iter()
            .all(|result| positions.iter().any(|(_, other)| other == result))
    );
    all_are_shown::<Kamon, kamon_reference::Game>(&positions);
}

#[test]
#[ignore = "takes minutes; run with `cargo test --release --test integration -- --ignored every_solved_position_is_shown`"]
fn every_solved_position_is_shown() {
    for file in ["kamisado-rounds-opening.txt", "kamisado-rounds-sumo.txt"] {
        all_are_shown::<Match, reference::Match>(&easy(file, u64::MAX));
    }
    all_are_shown::<Kamon, kamon_reference::Game>(&easy("kamon-solved.txt", u64::MAX));
}

#[test]
fn a_claim_that_does_not_hold_is_refused_and_nothing_is_added() {
    for (position, result) in easy::<Kamon>("kamon-solved.txt", 3_000) {
        let mut memory = memory();
        let solver = solver(&mut memory);
        let mut certificate = Certificate::default();
        let claims = match result.as_str() {
            "win" => {
                vec![Objective::Win(!position.turn()), Objective::AtLeastDraw(!position.turn())]
            }
            "loss" => {
                vec![Objective::Win(position.turn()), Objective::AtLeastDraw(position.turn())]
            }
            _ => Player::ALL.map(Objective::Win).to_vec(),
        };
        for claim in claims {
            let error = certificate
                .add(&solver, &position, claim, &Control::default(), &mut |_| ())
                .unwrap_err();
            assert!(error.to_string().contains(&position.to_string()), "{error}");
        }
        assert_eq!(certificate.text(), "oshi certificate 1\n");
    }
}

#[test]
fn a_certificate_that_is_stopped_is_no_false_claim() {
    let (position, result) = easy::<Kamon>("kamon-solved.txt", u64::MAX)
        .into_iter()
        .find(|(_, result)| result == "win")
        .unwrap();
    let claim = Objective::Win(position.turn());
    assert_eq!(result, "win");
    let (mut used, mut fresh) = (memory(), memory());
    let (control, mut certificate) = (Control::default(), Certificate::default());
    let solver = solver(&mut used);
    let stopped = certificate.add(&solver, &position, claim, &control, &mut |_| control.stop());
    assert_eq!(stopped, Err(CertificateError::Stopped { moves: certificate.moves() }));
    let mut certificate = Certificate::default();
    let stopped =
        certificate.add(&self::solver(&mut fresh), &position, claim, &control, &mut |_| ());
    assert_eq!(
        (stopped, certificate.text()),
        (Err(CertificateError::Stopped { moves: 0 }), "oshi certificate 1\n")
    );
}

/// Changes a move of every so many lines to every other one: where the strategy does not hold with it either, it is refused at that line.
fn changed_moves_are_refused_at_their_lines<G: Searchable + Text, R: Rules>(
    position: &G,
    every: usize,
    sent_to_script: usize,
) {
    let (text, _) = certify(&[*position]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 2 * every, "{position} is shown by {} lines", lines.len());
    let mut refused = Vec::new();
    for index in (2..lines.len()).step_by(every) {
        let (at, kept) = lines[index].rsplit_once(' ').unwrap();
        let others = R::read(at)
            .legal_moves()
            .into_iter()
            .filter(|mv| mv != kept)
            .chain(["h8h9".to_owned()]);
        for other in others {
            let changed_line = format!("{at} {other}");
            let mut changed = lines.clone();
            changed[index] = &changed_line;
            let changed = changed.join("\n");
            match check::<R>(&changed) {
                // Another move that keeps the win, with nothing new to show after it.
                Ok(_) => assert_ne!(other, "h8h9"),
                Err(Refusal { line, why }) => {
                    assert_eq!(line, index + 1, "{changed_line}: {why}");
                    refused.push((line, changed));
                }
            }
        }
    }
    for (line, changed) in refused.iter().step_by(refused.len().div_ceil(sent_to_script)) {
        assert_eq!(check_by_script(changed.as_bytes()).unwrap_or(Err(*line)), Err(*line));
    }
}

#[test]
fn a_changed_move_is_refused_where_it_stands() {
    let (round, _) = easy::<Match>("kamisado-rounds-sumo.txt", 1_100).into_iter().last().unwrap();
    changed_moves_are_refused_at_their_lines::<Match, reference::Match>(&round, 3, 12);
    for wanted in ["win", "draw"] {
        let solved = easy::<Kamon>("kamon-solved.txt", 6_000);
        let (position, _) = solved.into_iter().find(|(_, result)| result == wanted).unwrap();
        changed_moves_are_refused_at_their_lines::<Kamon, kamon_reference::Game>(&position, 20, 6);
    }
}

/// The script's message about a file that it refuses; `None` without Python.
fn refusal_by_script(file: &[u8]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("certificate");
    fs::write(&path, file).unwrap();
    let output = Command::new("python3").args(["-B", SCRIPT]).arg(path).output().ok()?;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), [].as_slice()));
    Some(String::from_utf8(output.stderr).unwrap())
}

#[test]
fn script_refuses_impossible_positions_with_one_line() {
    const START: &str = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo";
    const TOKENS: &str =
        "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6";
    for (position, message) in [
        ("8/8/8/OLVPYRGB/bgrypvlo/8/8/8 b b 0-0 1".to_owned(), "deadlock"),
        ("8/8/8/OLVPYRGB/bgrypvlo/8/8/8 w p 0-0 1".to_owned(), "deadlock"),
        (format!("{START} b - 3-3 3"), "at most one side"),
        (format!("{START} b b 3-0 3"), "the loser to move"),
        (format!("{START} b - 0-0 2"), "1, 3, 7 or 15"),
        (format!("{START} x - 0-0 3"), "`b` or `w`"),
        (format!("{START} b q 0-0 3"), "a called colour"),
        (format!("{START} b - 0 3"), "points such as"),
        ("OLVPYRGB/8/8/8/8/8/8/bgrypvll b - 0-0 3".to_owned(), "one tower of each colour"),
        ("OLVPYRGB/8/8/8/8/8/8/bgrypvl b - 0-0 3".to_owned(), "8 places"),
        ("OLVPYRGB/8/8/8/8/8/bgrypvlo b - 0-0 3".to_owned(), "8 rows"),
        ("OLVPYRGX/8/8/8/8/8/8/bgrypvlo b - 0-0 3".to_owned(), "places of the game"),
        ("OLVPYRGB/8/8/8/8/8/8/++++bgrypvlo b - 0-0 3".to_owned(), "teeth"),
        (format!("{TOKENS} 4/5/6/7/6/5/4 w -"), "by turns"),
        (format!("{TOKENS} 4/5/6/7/6/5/b3 w -"), "the cell played last"),
        (format!("{TOKENS} 4/5/6/7/6/5/b3 w a1"), "no corner"),
        (format!("{TOKENS} 4/5/6/7/6/5/1b2 w c1"), "a hexagon of the last player"),
        (format!("{TOKENS} 4/5/6/7/6/5/2b1 w a3"), "neutral"),
        (format!("{} 4/5/6/7/6/5/4 b -", TOKENS.replace("o3", "o6")), "each token once"),
        (String::new(), "4 or 5 fields"),
    ] {
        let file = format!("oshi certificate 1\nwin b {position}\n");
        let Some(refusal) = refusal_by_script(file.as_bytes()) else { return };
        assert!(
            refusal.starts_with("line 2: ") && refusal.contains(message),
            "{position}: {refusal}"
        );
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn script_refuses_malformed_files_with_one_line() {
    let files: [&[u8]; 8] = [
        b"",
        b"oshi",
        b"oshi certificate 1\n",
        b"oshi certificate 1\nwin\n",
        b"oshi certificate 1\n8/8 b - 0-0 1 a1a2\n",
        b"oshi certificate 2\n",
        b"oshi \xff\xfe",
        b"\x78\x9c\x00\x01",
    ];
    for file in files {
        let Some(refusal) = refusal_by_script(file) else { return };
        assert!(refusal.contains("expected"), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}
