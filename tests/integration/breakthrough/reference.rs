//! A second, slow implementation of Breakthrough on arrays. It shares no code with the first.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::exhaustive::Reference;

/// Rows of `b`, `w` and `.` from the lowest rank up, and the player to move.
#[derive(Clone)]
pub struct Board {
    rows: Vec<Vec<char>>,
    turn: char,
}

impl Board {
    pub fn start(files: usize, ranks: usize) -> Board {
        let row = |rank| {
            if rank < 2 {
                'b'
            } else if rank + 2 < ranks {
                '.'
            } else {
                'w'
            }
        };
        Board { rows: (0..ranks).map(|rank| vec![row(rank); files]).collect(), turn: 'b' }
    }

    /// Draws up to `pawns` pawns for each player outside their far row.
    pub fn random(files: usize, ranks: usize, pawns: usize, rng: &mut ChaCha8Rng) -> Board {
        let mut board = Board { rows: vec![vec!['.'; files]; ranks], turn: 'b' };
        for (pawn, ranks) in [('b', 0..ranks - 1), ('w', 1..ranks)] {
            for _ in 0..pawns {
                board.rows[rng.random_range(ranks.clone())][rng.random_range(0..files)] = pawn;
            }
        }
        let both = ['b', 'w'].iter().all(|pawn| board.rows.concat().contains(pawn));
        if both { board } else { Board::random(files, ranks, pawns, rng) }
    }

    pub fn winner(&self) -> Option<char> {
        let pawns = self.rows.concat();
        if self.rows[self.rows.len() - 1].contains(&'b') || !pawns.contains(&'w') {
            Some('b')
        } else if self.rows[0].contains(&'w') || !pawns.contains(&'b') {
            Some('w')
        } else {
            None
        }
    }

    /// Leaf count at a depth.
    pub fn count(&self, plies: u32) -> u64 {
        if plies == 0 {
            1
        } else {
            self.legal_moves().iter().map(|text| self.play(text).count(plies - 1)).sum()
        }
    }
}

impl Reference for Board {
    fn line(&self) -> String {
        let mut line = self
            .rows
            .iter()
            .rev()
            .map(|row| row.iter().collect())
            .collect::<Vec<String>>()
            .join("/");
        for free in (1..=9).rev() {
            line = line.replace(&".".repeat(free), &free.to_string());
        }
        format!("{line} {}", self.turn)
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        let ahead = if self.turn == 'b' { 1 } else { -1 };
        for (rank, row) in (0i32..).zip(&self.rows) {
            for (file, &pawn) in (0i32..).zip(row) {
                for aside in [-1, 0, 1] {
                    let (to_file, to_rank) = (file + aside, rank + ahead);
                    let target =
                        self.rows.get(to_rank as usize).and_then(|row| row.get(to_file as usize));
                    let is_legal = target
                        .is_some_and(|&target| target == '.' || aside != 0 && target != self.turn);
                    if pawn == self.turn && is_legal && self.winner().is_none() {
                        let letter = |file: i32| char::from(b'a' + file as u8);
                        moves.push(format!(
                            "{}{}{}{}",
                            letter(file),
                            rank + 1,
                            letter(to_file),
                            to_rank + 1
                        ));
                    }
                }
            }
        }
        moves
    }

    fn play(&self, text: &str) -> Board {
        let bytes: Vec<usize> = text.bytes().map(usize::from).collect();
        let mut next = self.clone();
        next.rows[bytes[1] - 49][bytes[0] - 97] = '.';
        next.rows[bytes[3] - 49][bytes[2] - 97] = self.turn;
        next.turn = if self.turn == 'b' { 'w' } else { 'b' };
        next
    }

    fn is_firsts_turn(&self) -> bool {
        self.turn == 'b'
    }

    fn result(&self) -> i8 {
        if self.winner() == Some('b') { 1 } else { -1 }
    }
}
