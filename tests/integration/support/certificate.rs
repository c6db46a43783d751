//! A second checker of certificates, on the second implementations of the rules. `docs/proofs.md`
//! describes the format and the check.

use std::collections::{HashMap, HashSet};

use super::{kamon_reference, reference};

/// A fault of a certificate. Lines count from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub line: usize,
    pub message: String,
}

/// A valid certificate's claims with their positions, and its number of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    pub claims: Vec<String>,
    pub moves: usize,
}

/// The rules that the check needs. Players are `b` and `w`; the result `d` is a draw.
pub trait Rules: Clone {
    fn read(line: &str) -> Self;
    fn line(&self) -> String;
    fn turn(&self) -> char;
    fn result(&self) -> Option<char>;
    fn legal_moves(&self) -> Vec<String>;
    fn play(&self, mv: &str) -> Self;
}

impl Rules for reference::Match {
    fn read(line: &str) -> Self {
        Self::read(line)
    }

    fn line(&self) -> String {
        self.line()
    }

    fn turn(&self) -> char {
        letter(self.turn)
    }

    fn result(&self) -> Option<char> {
        self.winner().map(letter)
    }

    fn legal_moves(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&self, mv: &str) -> Self {
        self.play(mv)
    }
}

fn letter(side: reference::Side) -> char {
    match side {
        reference::Side::Black => 'b',
        reference::Side::White => 'w',
    }
}

impl Rules for kamon_reference::Game {
    fn read(line: &str) -> Self {
        Self::read(line)
    }

    fn line(&self) -> String {
        self.line()
    }

    fn turn(&self) -> char {
        self.turn
    }

    fn result(&self) -> Option<char> {
        self.ending.map(|_| self.winner().unwrap_or('d'))
    }

    fn legal_moves(&self) -> Vec<String> {
        self.legal_moves()
    }

    fn play(&self, mv: &str) -> Self {
        self.play(mv)
    }
}

/// A claim, and the number of its line.
struct Claim<'a> {
    word: &'a str,
    player: char,
    position: &'a str,
    line: usize,
}

/// Checks the text of a certificate.
///
/// # Panics
///
/// On a line of another form.
pub fn check<R: Rules>(text: &str) -> Result<Summary, Fault> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut moves = HashMap::new();
    let mut lines = (1..).zip(text.lines());
    assert_eq!(lines.next(), Some((1, "oshi certificate 1")));
    for (number, line) in lines {
        let (first, rest) = line.split_once(' ').unwrap();
        if ["win", "draw"].contains(&first) {
            let (player, position) = rest.split_once(' ').unwrap();
            claims.push(Claim {
                word: first,
                player: player.parse().unwrap(),
                position,
                line: number,
            });
        } else {
            let (position, mv) = line.rsplit_once(' ').unwrap();
            let before =
                moves.insert((claims.last().unwrap().word, position.to_owned()), (mv, number));
            assert_eq!(before, None, "line {number}: second move for a position");
        }
    }
    let mut seen = HashSet::new();
    claims.iter().try_for_each(|claim| check_claim::<R>(claim, &moves, &mut seen))?;
    let claims = claims
        .iter()
        .map(|claim| format!("{} {} {}", claim.word, claim.player, claim.position))
        .collect();
    Ok(Summary { claims, moves: moves.len() })
}

/// Moves and the numbers of their lines, by claim word and position.
type Moves<'a> = HashMap<(&'a str, String), (&'a str, usize)>;

fn check_claim<'a, R: Rules>(
    claim: &Claim<'a>,
    moves: &Moves<'a>,
    seen: &mut HashSet<(&'a str, char, String)>,
) -> Result<(), Fault> {
    let holds = |result: Option<char>| {
        result == Some(claim.player) || claim.word == "draw" && result == Some('d')
    };
    let mut open = vec![(R::read(claim.position), claim.line)];
    while let Some((position, line)) = open.pop() {
        if holds(position.result()) || !seen.insert((claim.word, claim.player, position.line())) {
            continue;
        }
        if let Some(result) = position.result() {
            return Err(Fault {
                line,
                message: format!("the result is `{result}` in {}", position.line()),
            });
        }
        let legal = position.legal_moves();
        let is_own = position.turn() == claim.player;
        if is_own && legal.iter().any(|mv| holds(position.play(mv).result())) {
            continue;
        }
        if is_own && legal.len() > 1 {
            let Some(&(mv, line)) = moves.get(&(claim.word, position.line())) else {
                return Err(Fault { line, message: format!("no line for {}", position.line()) });
            };
            if !legal.iter().any(|legal| legal == mv) {
                return Err(Fault {
                    line,
                    message: format!("{mv} is not legal in {}", position.line()),
                });
            }
            open.push((position.play(mv), line));
        } else {
            open.extend(legal.iter().map(|mv| (position.play(mv), line)));
        }
    }
    Ok(())
}
