//! A second, slow implementation of Kamon on arrays, written from the text of the rules.
//!
//! It shares no code with the library, so that one misread rule does not affect both. Moves and
//! positions are the text forms. Invalid lines and illegal moves panic.

use rand::Rng;
use rand::seq::SliceRandom;

/// Lengths of the rows a to g.
const LENGTHS: [usize; 7] = [4, 5, 6, 7, 6, 5, 4];

const COLOURS: &str = "pylorg";
const SYMBOLS: &str = "123456";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Connection,
    Loop,
    Draw,
    Block,
}

/// Row (0 is a) and place in the row, from 0.
type Cell = (usize, usize);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// Colour letter and symbol digit of each cell, by row and place; `None` is the neutral token.
    tokens: Vec<Vec<Option<(char, char)>>>,
    /// `b`, `w` or free.
    hexagons: Vec<Vec<Option<char>>>,
    pub turn: char,
    last: Option<Cell>,
    pub ending: Option<Ending>,
}

fn every_cell() -> impl Iterator<Item = Cell> {
    (0..7).flat_map(|row| (0..LENGTHS[row]).map(move |place| (row, place)))
}

fn name((row, place): Cell) -> String {
    format!("{}{}", (b'a' + row as u8) as char, place + 1)
}

fn read_cell(text: &str) -> Cell {
    let bytes = text.as_bytes();
    ((bytes[0] - b'a') as usize, (bytes[1] - b'1') as usize)
}

/// Offset of a cell's centre to the right, in half cells. A row shorter by one begins half a cell
/// later.
fn across((row, place): Cell) -> usize {
    2 * place + (7 - LENGTHS[row])
}

/// Cells of a row touch if they are adjacent. Cells of adjacent rows touch if their centres are
/// half a cell apart.
fn touch(one: Cell, other: Cell) -> bool {
    let sideways = across(one).abs_diff(across(other));
    match one.0.abs_diff(other.0) {
        0 => sideways == 2,
        1 => sideways == 1,
        _ => false,
    }
}

/// The six sides, each with its opposite.
fn opposite_sides() -> [[Vec<Cell>; 2]; 3] {
    let row = |row: usize| (0..LENGTHS[row]).map(|place| (row, place)).collect();
    let firsts = |rows: [usize; 4]| rows.map(|row| (row, 0)).to_vec();
    let lasts = |rows: [usize; 4]| rows.map(|row| (row, LENGTHS[row] - 1)).to_vec();
    let (lower, upper) = ([0, 1, 2, 3], [3, 4, 5, 6]);
    // Green; yellow is upper left and lower right; blue is upper right and lower left.
    [[row(0), row(6)], [firsts(upper), lasts(lower)], [lasts(upper), firsts(lower)]]
}

/// Number of sides that a cell belongs to: 2 for a corner.
fn sides_of(cell: Cell) -> usize {
    opposite_sides().iter().flatten().filter(|side| side.contains(&cell)).count()
}

/// Those of `cells` that are connected to a start through `cells`.
fn joined(starts: &[Cell], cells: &[Cell]) -> Vec<Cell> {
    let mut reached: Vec<Cell> =
        starts.iter().copied().filter(|start| cells.contains(start)).collect();
    let mut next = 0;
    while next < reached.len() {
        for &cell in cells {
            if touch(reached[next], cell) && !reached.contains(&cell) {
                reached.push(cell);
            }
        }
        next += 1;
    }
    reached
}

impl Game {
    /// Draws a random layout of the tokens.
    pub fn random<R: Rng>(rng: &mut R) -> Game {
        let mut tokens: Vec<Option<(char, char)>> = COLOURS
            .chars()
            .flat_map(|colour| SYMBOLS.chars().map(move |symbol| Some((colour, symbol))))
            .collect();
        tokens.push(None);
        tokens.shuffle(rng);
        let mut tokens = tokens.into_iter();
        Game {
            tokens: LENGTHS.map(|length| tokens.by_ref().take(length).collect()).to_vec(),
            hexagons: LENGTHS.map(|length| vec![None; length]).to_vec(),
            turn: 'b',
            last: None,
            ending: None,
        }
    }

    /// Reads a valid position line.
    pub fn read(line: &str) -> Game {
        let fields: Vec<&str> = line.split(' ').collect();
        let mut tokens: Vec<Vec<Option<(char, char)>>> = Vec::new();
        let mut hexagons: Vec<Vec<Option<char>>> = Vec::new();
        for (token_row, hexagon_row) in fields[0].rsplit('/').zip(fields[1].rsplit('/')) {
            let letters: Vec<char> = token_row.chars().collect();
            tokens.push(
                letters
                    .chunks(2)
                    .map(|token| (token[0] != '-').then_some((token[0], token[1])))
                    .collect(),
            );
            let mut row = Vec::new();
            for letter in hexagon_row.chars() {
                match letter.to_digit(10) {
                    Some(free) => row.resize(row.len() + free as usize, None),
                    None => row.push(Some(letter)),
                }
            }
            hexagons.push(row);
        }
        let turn = fields[2].parse().unwrap();
        let last = Some(fields[3]).filter(|&last| last != "-").map(read_cell);
        let mut game = Game { tokens, hexagons, turn, last, ending: None };
        game.ending = last.and_then(|_| game.find_ending(if turn == 'b' { 'w' } else { 'b' }));
        game
    }

    fn token(&self, cell: Cell) -> Option<(char, char)> {
        self.tokens[cell.0][cell.1]
    }

    fn hexagon(&self, cell: Cell) -> Option<char> {
        self.hexagons[cell.0][cell.1]
    }

    fn cells_of(&self, player: char) -> Vec<Cell> {
        every_cell().filter(|&cell| self.hexagon(cell) == Some(player)).collect()
    }

    /// Legal moves in text form; empty after the end.
    pub fn legal_moves(&self) -> Vec<String> {
        if self.ending.is_some() { Vec::new() } else { self.playable().map(name).collect() }
    }

    fn playable(&self) -> impl Iterator<Item = Cell> {
        every_cell().filter(|&cell| {
            // The neutral cell is never playable.
            let (Some((colour, symbol)), None) = (self.token(cell), self.hexagon(cell)) else {
                return false;
            };
            match self.last.and_then(|last| self.token(last)) {
                None => sides_of(cell) == 1,
                Some((last_colour, last_symbol)) => colour == last_colour || symbol == last_symbol,
            }
        })
    }

    /// The position after a legal move.
    pub fn play(&self, text: &str) -> Game {
        assert!(
            self.legal_moves().iter().any(|legal| legal == text),
            "{text} is not legal in {}",
            self.line()
        );
        let mut next = self.clone();
        let cell = read_cell(text);
        next.hexagons[cell.0][cell.1] = Some(self.turn);
        next.last = Some(cell);
        next.turn = if self.turn == 'b' { 'w' } else { 'b' };
        next.ending = next.find_ending(self.turn);
        next
    }

    /// Tests the endings in the order of the rules.
    fn find_ending(&self, mover: char) -> Option<Ending> {
        let own = self.cells_of(mover);
        let connects = |[side, opposite]: &[Vec<Cell>; 2]| {
            joined(side, &own).iter().any(|cell| opposite.contains(cell))
        };
        if opposite_sides().iter().any(connects) {
            return Some(Ending::Connection);
        }
        let others: Vec<Cell> = every_cell().filter(|cell| !own.contains(cell)).collect();
        let rim: Vec<Cell> = every_cell().filter(|&cell| sides_of(cell) > 0).collect();
        if joined(&rim, &others).len() < others.len() {
            return Some(Ending::Loop);
        }
        if every_cell().filter(|&cell| self.hexagon(cell).is_some()).count() == 36 {
            return Some(Ending::Draw);
        }
        self.playable().next().is_none().then_some(Ending::Block)
    }

    /// The winner, `b` or `w`.
    pub fn winner(&self) -> Option<char> {
        let mover = if self.turn == 'b' { 'w' } else { 'b' };
        self.ending.filter(|&ending| ending != Ending::Draw).map(|_| mover)
    }

    pub fn line(&self) -> String {
        let tokens = |row: &Vec<Option<(char, char)>>| -> String {
            row.iter()
                .map(|token| {
                    token.map_or("--".to_owned(), |(colour, symbol)| format!("{colour}{symbol}"))
                })
                .collect()
        };
        let hexagons = |row: &Vec<Option<char>>| {
            let mut text = String::new();
            let mut free = 0;
            for hexagon in row {
                match hexagon {
                    None => free += 1,
                    Some(player) => {
                        if free > 0 {
                            text += &free.to_string();
                            free = 0;
                        }
                        text.push(*player);
                    }
                }
            }
            if free > 0 { text + &free.to_string() } else { text }
        };
        let from_g = |rows: Vec<String>| rows.into_iter().rev().collect::<Vec<_>>().join("/");
        let last = self.last.map_or("-".to_owned(), name);
        format!(
            "{} {} {} {last}",
            from_g(self.tokens.iter().map(tokens).collect()),
            from_g(self.hexagons.iter().map(hexagons).collect()),
            self.turn
        )
    }
}
