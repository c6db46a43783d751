//! Certificates, checked by `support/certificate.rs` and by the script `check_certificate.py`. Each
//! checker has rules of its own.

use std::fs;
use std::num::NonZeroUsize;
use std::process::Command;

use miniz_oxide::deflate::compress_to_vec_zlib;
use oshi::game::{Game, Outcome, Player, Searchable, Text};
use oshi::games::kamisado::{Match, Target};
use oshi::games::kamon::Kamon;
use oshi::search::{Control, TableMemory};
use oshi::solver::Objective;
use oshi::solver::Solver;
use oshi::solver::certificate::{Certificate, CertificateError};

use crate::support::certificate::{Fault, Rules, Summary, check};
use crate::support::solved::easy;
use crate::support::{kamon_reference, reference};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/prove/check_certificate.py");

fn memory() -> TableMemory {
    TableMemory::new(1 << 28)
}

fn solver(memory: &mut TableMemory) -> Solver<'_> {
    Solver::new(memory, NonZeroUsize::MIN)
}

/// Solves positions. Returns a certificate of the results, and the results.
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

/// The script's verdict: the certificate is valid, or the line of a fault. `None` without Python.
fn check_by_script(file: &[u8]) -> Option<Result<(), usize>> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("certificate");
    fs::write(&path, file).unwrap();
    let output = Command::new("python3").args(["-B", SCRIPT]).arg(path).output().ok()?;
    if output.status.success() {
        return Some(Ok(()));
    }
    let message = String::from_utf8(output.stderr).unwrap();
    let line = message
        .strip_prefix("line ")
        .and_then(|rest| rest.split_once(':'))
        .map(|(line, _)| line.parse().unwrap());
    Some(Err(line.unwrap_or_else(|| panic!("{message}"))))
}

#[test]
fn certifies_simple_game_in_under_three_megabytes() {
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
    assert_eq!(check::<reference::Match>(&text), Ok(Summary { claims, moves }));
}

/// The results are those of the file, and both checkers accept the certificate.
fn assert_certified<G: Searchable + Text, R: Rules>(positions: &[(G, Outcome)]) {
    let (text, outcomes) =
        certify(&positions.iter().map(|(position, _)| *position).collect::<Vec<_>>());
    let mut claims = Vec::new();
    for (&(position, expected), outcome) in positions.iter().zip(outcomes) {
        assert_eq!(outcome, expected, "{position}");
        claims.extend(Objective::of(outcome).iter().map(|claim| format!("{claim} {position}")));
    }
    assert_eq!(check::<R>(&text).map(|summary| summary.claims), Ok(claims));
    for file in [text.clone().into_bytes(), compress_to_vec_zlib(text.as_bytes(), 6)] {
        assert_eq!(check_by_script(&file).unwrap_or(Ok(())), Ok(()));
    }
}

#[test]
fn certifies_rounds() {
    let mut rounds = easy::<Match>("kamisado-rounds-sumo.txt", 2_000);
    rounds.truncate(40);
    assert!(
        rounds.iter().any(|(position, outcome)| *outcome == Outcome::Win(!position.turn()))
            && rounds.iter().any(|(position, outcome)| *outcome == Outcome::Win(position.turn()))
    );
    assert_certified::<Match, reference::Match>(&rounds);
}

#[test]
fn certifies_wins_draws_and_losses_of_kamon() {
    let positions = easy::<Kamon>("kamon-solved.txt", 6_000);
    let has = |expected: fn(Player) -> Outcome| {
        positions.iter().any(|(position, outcome)| *outcome == expected(position.turn()))
    };
    assert!(has(Outcome::Win) && has(|_| Outcome::Draw) && has(|turn| Outcome::Win(!turn)));
    assert_certified::<Kamon, kamon_reference::Game>(&positions);
}

#[test]
#[ignore = "takes minutes in a release build"]
fn every_solved_position_is_shown() {
    for file in ["kamisado-rounds-opening.txt", "kamisado-rounds-sumo.txt"] {
        assert_certified::<Match, reference::Match>(&easy(file, u64::MAX));
    }
    assert_certified::<Kamon, kamon_reference::Game>(&easy("kamon-solved.txt", u64::MAX));
}

#[test]
fn rejects_false_claim_and_adds_nothing() {
    for (position, outcome) in easy::<Kamon>("kamon-solved.txt", 3_000) {
        let mut memory = memory();
        let solver = solver(&mut memory);
        let mut certificate = Certificate::default();
        let claims = match outcome {
            Outcome::Win(winner) => {
                vec![Objective::Win(!winner), Objective::AtLeastDraw(!winner)]
            }
            Outcome::Draw => Player::ALL.map(Objective::Win).to_vec(),
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
fn stopped_certificate_makes_no_false_claim() {
    let (position, _) = easy::<Kamon>("kamon-solved.txt", u64::MAX)
        .into_iter()
        .find(|(position, outcome)| *outcome == Outcome::Win(position.turn()))
        .unwrap();
    let claim = Objective::Win(position.turn());
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

/// Replaces the move of each `every`th line by every other move. The checker accepts the changed
/// certificate or names that line. The script sees `sent_to_script` of the rejected ones.
fn assert_names_line_of_changed_move<G: Searchable + Text, R: Rules>(
    position: &G,
    every: usize,
    sent_to_script: usize,
) {
    let (text, _) = certify(&[*position]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 2 * every, "{position}: {} lines", lines.len());
    let mut rejected = Vec::new();
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
                // Another move may keep the result without needing new lines.
                Ok(_) => assert_ne!(other, "h8h9"),
                Err(Fault { line, message }) => {
                    assert_eq!(line, index + 1, "{changed_line}: {message}");
                    rejected.push((line, changed));
                }
            }
        }
    }
    for (line, changed) in rejected.iter().step_by(rejected.len().div_ceil(sent_to_script)) {
        assert_eq!(check_by_script(changed.as_bytes()).unwrap_or(Err(*line)), Err(*line));
    }
}

#[test]
fn names_line_of_changed_move() {
    let (round, _) = easy::<Match>("kamisado-rounds-sumo.txt", 1_100).into_iter().last().unwrap();
    assert_names_line_of_changed_move::<Match, reference::Match>(&round, 3, 12);
    for wanted in [Outcome::Win, |_| Outcome::Draw] {
        let is_wanted =
            |(position, outcome): &(Kamon, Outcome)| *outcome == wanted(position.turn());
        let solved = easy("kamon-solved.txt", 6_000);
        let (position, _) = solved.into_iter().find(is_wanted).unwrap();
        assert_names_line_of_changed_move::<Kamon, kamon_reference::Game>(&position, 20, 6);
    }
}

/// The script's message about a file that it rejects. `None` without Python.
fn rejection_by_script(file: &[u8]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("certificate");
    fs::write(&path, file).unwrap();
    let output = Command::new("python3").args(["-B", SCRIPT]).arg(path).output().ok()?;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), [].as_slice()));
    Some(String::from_utf8(output.stderr).unwrap())
}

#[test]
fn script_rejects_impossible_positions_in_one_line() {
    const START: &str = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo";
    const TOKENS: &str =
        "o3p4g6l1/y1r4y4y6l6/o1r6p5g1p3l2/r3l5g2p6p2r1r5/o2p1g3y5l3o5/l4y2r2o4g4/y3g5--o6";
    for (position, expected) in [
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
        let Some(message) = rejection_by_script(file.as_bytes()) else { return };
        assert!(
            message.starts_with("line 2: ") && message.contains(expected),
            "{position}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn script_rejects_malformed_files_in_one_line() {
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
        let Some(message) = rejection_by_script(file) else { return };
        assert!(message.contains("expected"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
