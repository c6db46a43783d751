//! A second, slow implementation of Kamisado on arrays, written from the text of the rules.
//!
//! It shares no code with the library, so that one misread rule does not affect both. Comments name
//! the labels of the rules. Moves and positions are the text forms. Invalid lines and illegal moves
//! panic.

/// Square colours as printed in the rules, rank 8 first.
pub const BOARD: [&str; 8] = [
    "OLVPYRGB", "ROPGLYBV", "GPORVBYL", "PVLOBGRY", "YRGBOLVP", "LYBVROPG", "VBYLGPOR", "BGRYPVLO",
];

/// Points that win a simple, standard, long and marathon match.
pub const TARGETS: [u32; 4] = [1, 3, 7, 15];

/// Reach of a tower by its teeth.
const REACH: [i8; 4] = [7, 5, 3, 1];

/// Points for a tower's first to fourth tooth.
const PAID: [u32; 4] = [1, 2, 4, 8];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Black,
    White,
}

use Side::{Black, White};

impl Side {
    pub fn opponent(self) -> Side {
        match self {
            Black => White,
            White => Black,
        }
    }

    /// Black moves up the board, White down.
    fn ahead(self) -> i8 {
        match self {
            Black => 1,
            White => -1,
        }
    }

    /// Home rank, counted from 0.
    fn home(self) -> i8 {
        match self {
            Black => 0,
            White => 7,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tower {
    pub side: Side,
    /// One of `bgrypvlo`.
    pub colour: char,
    pub teeth: usize,
}

/// File and rank, counted from 0.
type Square = (i8, i8);

/// Which tower may move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// T1: the first move of a round.
    AnyTower,
    /// T2.
    Colour(char),
    /// The side to move has won the round and chooses the refill.
    Refill,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Match {
    /// By rank, then file.
    pub board: [[Option<Tower>; 8]; 8],
    pub turn: Side,
    pub call: Call,
    /// Black's and White's.
    pub points: [u32; 2],
    pub target: u32,
}

fn on_board((file, rank): Square) -> bool {
    (0..8).contains(&file) && (0..8).contains(&rank)
}

fn square_colour((file, rank): Square) -> char {
    BOARD[7 - rank as usize].to_lowercase().as_bytes()[file as usize] as char
}

fn square_name((file, rank): Square) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

fn every_square() -> impl Iterator<Item = Square> {
    (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank)))
}

impl Match {
    /// Start of round 1: every tower on the home square of its colour, Black to move.
    pub fn start(target: u32) -> Match {
        let mut start = Match {
            board: [[None; 8]; 8],
            turn: Black,
            call: Call::AnyTower,
            points: [0, 0],
            target,
        };
        for side in [Black, White] {
            for file in 0..8 {
                let home = (file, side.home());
                start.put(home, Some(Tower { side, colour: square_colour(home), teeth: 0 }));
            }
        }
        start
    }

    pub fn at(&self, (file, rank): Square) -> Option<Tower> {
        self.board[rank as usize][file as usize]
    }

    fn put(&mut self, (file, rank): Square, tower: Option<Tower>) {
        self.board[rank as usize][file as usize] = tower;
    }

    fn is_free(&self, square: Square) -> bool {
        on_board(square) && self.at(square).is_none()
    }

    /// All towers with their squares.
    pub fn towers(&self) -> Vec<(Square, Tower)> {
        every_square().filter_map(|square| Some((square, self.at(square)?))).collect()
    }

    fn find(&self, side: Side, colour: char) -> Square {
        every_square()
            .find(|&square| {
                self.at(square).is_some_and(|tower| tower.side == side && tower.colour == colour)
            })
            .unwrap()
    }

    /// D1–D4 and reach: along one line ahead, over and onto free squares.
    fn ordinary_moves(&self, from: Square) -> Vec<Square> {
        let tower = self.at(from).unwrap();
        let mut moves = Vec::new();
        for sideways in [-1, 0, 1] {
            for steps in 1..=REACH[tower.teeth] {
                let to = (from.0 + sideways * steps, from.1 + tower.side.ahead() * steps);
                if !self.is_free(to) {
                    break;
                }
                moves.push(to);
            }
        }
        moves
    }

    /// Towers pushed by an oshi of the tower on `from`, nearest first; empty if it cannot push.
    fn pushed(&self, from: Square) -> Vec<Square> {
        let pusher = self.at(from).unwrap();
        let mut line = Vec::new();
        let mut next = (from.0, from.1 + pusher.side.ahead());
        while on_board(next) && self.at(next).is_some() {
            line.push(next);
            next.1 += pusher.side.ahead();
        }
        let all_weaker_enemies = line.iter().all(|&square| {
            let tower = self.at(square).unwrap();
            tower.side != pusher.side && tower.teeth < pusher.teeth
        });
        if all_weaker_enemies && line.len() <= pusher.teeth && self.is_free(next) {
            line
        } else {
            Vec::new()
        }
    }

    /// S10, S11: squares that the tower can move to. An oshi goes to the occupied square ahead.
    fn targets(&self, from: Square) -> Vec<Square> {
        let mut targets = self.ordinary_moves(from);
        targets.extend(self.pushed(from).first());
        targets
    }

    fn is_blocked(&self, square: Square) -> bool {
        self.targets(square).is_empty()
    }

    /// Legal moves in text form: `0000` if the called tower is blocked (D6), empty after the end.
    pub fn legal_moves(&self) -> Vec<String> {
        if self.winner().is_some() {
            return Vec::new();
        }
        let candidates = match self.call {
            Call::Refill => return vec!["left".into(), "right".into()],
            Call::Colour(colour) => vec![self.find(self.turn, colour)],
            Call::AnyTower => self
                .towers()
                .into_iter()
                .filter(|(_, tower)| tower.side == self.turn)
                .map(|(square, _)| square)
                .collect(),
        };
        let moves: Vec<String> = candidates
            .into_iter()
            .flat_map(|from| {
                self.targets(from).into_iter().map(move |to| square_name(from) + &square_name(to))
            })
            .collect();
        if moves.is_empty() { vec!["0000".into()] } else { moves }
    }

    /// The position after a legal move.
    pub fn play(&self, text: &str) -> Match {
        assert!(
            self.legal_moves().iter().any(|legal| legal == text),
            "{text} is not legal in {}",
            self.line()
        );
        let mut next = self.clone();
        match text {
            "left" | "right" => next.refill(text),
            "0000" => next.pass(),
            _ => {
                let bytes: Vec<i8> = text.bytes().map(|byte| byte as i8).collect();
                let from = (bytes[0] - b'a' as i8, bytes[1] - b'1' as i8);
                let to = (bytes[2] - b'a' as i8, bytes[3] - b'1' as i8);
                if self.at(to).is_some() { next.oshi(from, to) } else { next.ordinary(from, to) }
            }
        }
        next
    }

    /// D6.
    fn pass(&mut self) {
        let Call::Colour(colour) = self.call else { panic!("a pass without a called tower") };
        let blocked = self.find(self.turn, colour);
        self.turn = self.turn.opponent();
        self.call = Call::Colour(square_colour(blocked));
    }

    fn ordinary(&mut self, from: Square, to: Square) {
        let mover = self.turn;
        let tower = self.at(from);
        self.put(from, None);
        self.put(to, tower);
        if to.1 == mover.opponent().home() {
            self.win_round(mover, to); // D7
        } else {
            self.call_after(mover.opponent(), square_colour(to), mover, to);
        }
    }

    /// Moves pushed towers one square back and the pusher one ahead. The same player moves again.
    fn oshi(&mut self, from: Square, to: Square) {
        let mover = self.turn;
        let line = self.pushed(from);
        for &square in line.iter().rev() {
            let tower = self.at(square);
            self.put(square, None);
            self.put((square.0, square.1 + mover.ahead()), tower);
        }
        let pusher = self.at(from);
        self.put(from, None);
        self.put(to, pusher);
        let last = *line.last().unwrap();
        let rearmost = (last.0, last.1 + mover.ahead());
        self.call_after(mover, square_colour(rearmost), mover, to);
    }

    /// Calls the tower of `side` and `colour` after `last_mover` moved a tower to `stands`. A
    /// deadlock ends the round instead (D8).
    fn call_after(&mut self, side: Side, colour: char, last_mover: Side, stands: Square) {
        if self.passes_go_round(side, colour) {
            let winner = last_mover.opponent();
            self.win_round(winner, self.find(winner, square_colour(stands)));
        } else {
            self.turn = side;
            self.call = Call::Colour(colour);
        }
    }

    /// D8: whether the passes from this called tower repeat before a tower can move.
    fn passes_go_round(&self, side: Side, colour: char) -> bool {
        let mut called = (side, colour);
        let mut chain = Vec::new();
        while !chain.contains(&called) {
            let square = self.find(called.0, called.1);
            if !self.is_blocked(square) {
                return false;
            }
            chain.push(called);
            called = (called.0.opponent(), square_colour(square));
        }
        true
    }

    /// Whether no tower can ever move again in this round.
    pub fn is_deadlocked(&self) -> bool {
        match self.call {
            Call::Refill => false,
            Call::Colour(colour) => self.passes_go_round(self.turn, colour),
            Call::AnyTower => self
                .towers()
                .into_iter()
                .all(|(square, tower)| tower.side != self.turn || self.is_blocked(square)),
        }
    }

    /// Gives the tower on `square` a tooth. If the match is won, the loser is to move. Otherwise
    /// the winner chooses the refill.
    fn win_round(&mut self, winner: Side, square: Square) {
        let mut tower = self.at(square).unwrap();
        self.points[winner as usize] += PAID[tower.teeth];
        tower.teeth += 1;
        self.put(square, Some(tower));
        if tower.teeth == 4 {
            // A fourth tooth ends the match even if a handicap left its owner short of points.
            self.points[winner as usize] = self.points[winner as usize].max(self.target);
        }
        if self.winner().is_some() {
            self.turn = winner.opponent();
            self.call = Call::AnyTower;
        } else {
            self.turn = winner;
            self.call = Call::Refill;
        }
    }

    /// P1–P4: each player takes rows from the home row outwards, each row from the left or right.
    fn refill(&mut self, choice: &str) {
        let old = self.clone();
        self.board = [[None; 8]; 8];
        for side in [Black, White] {
            // "Left" is file a for Black and file h for White.
            let from_file_a = (side == Black) == (choice == "left");
            let files: Vec<i8> =
                if from_file_a { (0..8).collect() } else { (0..8).rev().collect() };
            let mut places = files.iter();
            for row in 0..8 {
                let rank = side.home() + side.ahead() * row;
                for &file in &files {
                    if let Some(tower) = old.at((file, rank)).filter(|tower| tower.side == side) {
                        self.put((*places.next().unwrap(), side.home()), Some(tower));
                    }
                }
            }
        }
        // P4: the loser opens, with a free choice.
        self.turn = self.turn.opponent();
        self.call = Call::AnyTower;
    }

    /// The side that has reached the target.
    pub fn winner(&self) -> Option<Side> {
        [Black, White].into_iter().find(|&side| self.points[side as usize] >= self.target)
    }

    pub fn line(&self) -> String {
        let mut ranks = Vec::new();
        for rank in (0..8).rev() {
            let mut text = String::new();
            let mut free = 0;
            for file in 0..8 {
                match self.at((file, rank)) {
                    None => free += 1,
                    Some(tower) => {
                        if free > 0 {
                            text += &free.to_string();
                            free = 0;
                        }
                        text += &"+".repeat(tower.teeth);
                        text.push(if tower.side == Black {
                            tower.colour
                        } else {
                            tower.colour.to_ascii_uppercase()
                        });
                    }
                }
            }
            if free > 0 {
                text += &free.to_string();
            }
            ranks.push(text);
        }
        let turn = if self.turn == Black { "b" } else { "w" };
        let called = match self.call {
            Call::AnyTower => "-".to_string(),
            Call::Colour(colour) => colour.to_string(),
            Call::Refill => "refill".to_string(),
        };
        format!(
            "{} {turn} {called} {}-{} {}",
            ranks.join("/"),
            self.points[0],
            self.points[1],
            self.target
        )
    }

    /// Reads a valid position line.
    pub fn read(line: &str) -> Match {
        let fields: Vec<&str> = line.split(' ').collect();
        let mut board = [[None; 8]; 8];
        for (rank, text) in (0..8).rev().zip(fields[0].split('/')) {
            let (mut file, mut teeth) = (0, 0);
            for letter in text.chars() {
                match letter {
                    '+' => teeth += 1,
                    '1'..='8' => file += letter as usize - '0' as usize,
                    _ => {
                        let side = if letter.is_lowercase() { Black } else { White };
                        board[rank][file] =
                            Some(Tower { side, colour: letter.to_ascii_lowercase(), teeth });
                        (file, teeth) = (file + 1, 0);
                    }
                }
            }
        }
        let call = match fields[2] {
            "-" => Call::AnyTower,
            "refill" => Call::Refill,
            colour => Call::Colour(colour.chars().next().unwrap()),
        };
        let points: Vec<u32> = fields[3].split('-').map(|number| number.parse().unwrap()).collect();
        Match {
            board,
            turn: if fields[1] == "b" { Black } else { White },
            call,
            points: [points[0], points[1]],
            target: fields[4].parse().unwrap(),
        }
    }
}
