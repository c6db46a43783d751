//! The openings of the games.

use std::collections::HashMap;

use serde::Serialize;

/// An opening.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Opening {
    /// Position line of the start; empty for the usual one.
    pub start: String,
    /// Moves from the start, by name.
    pub moves: String,
}

/// How one game started.
#[derive(Clone, Debug)]
pub struct GameStart {
    /// Its opening.
    pub opening: Opening,
    /// Name of the first move after the opening.
    pub first: String,
}

/// The distinct openings by first occurrence, and the index of each game's opening.
///
/// If all games have the same opening without moves, their first moves count as openings.
pub fn numbered(games: &[GameStart]) -> (Vec<Opening>, Vec<usize>) {
    let is_free =
        games.windows(2).all(|pair| matches!(pair, [one, other] if one.opening == other.opening));
    let mut numbers = HashMap::new();
    let mut openings = Vec::new();
    let mut number_of = |opening: Opening| {
        *numbers.entry(opening).or_insert_with_key(|opening| {
            openings.push(opening.clone());
            openings.len() - 1
        })
    };
    let opening = |game: &GameStart| match &game.opening {
        Opening { start, moves } if is_free && moves.is_empty() => {
            Opening { start: start.clone(), moves: game.first.clone() }
        }
        opening => opening.clone(),
    };
    let of_games = games.iter().map(|game| number_of(opening(game))).collect();
    (openings, of_games)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(games: &[[&str; 3]]) -> (Vec<[String; 2]>, Vec<usize>) {
        let game_start = |&[start, moves, first]: &[&str; 3]| GameStart {
            opening: Opening { start: start.to_owned(), moves: moves.to_owned() },
            first: first.to_owned(),
        };
        let (openings, numbers) = numbered(&games.iter().map(game_start).collect::<Vec<_>>());
        (openings.into_iter().map(|opening| [opening.start, opening.moves]).collect(), numbers)
    }

    fn texts(openings: &[[&str; 2]]) -> Vec<[String; 2]> {
        openings.iter().map(|opening| opening.map(str::to_owned)).collect()
    }

    #[test]
    fn numbers_distinct_openings() {
        let games = [["s", "x", "a"], ["s", "x", "b"], ["t", "x", "a"], ["s", "x", "a"]];
        assert_eq!(numbers(&games), (texts(&[["s", "x"], ["t", "x"]]), vec![0, 0, 1, 0]));
    }

    #[test]
    fn first_move_is_the_opening_from_a_common_start() {
        let games = [["", "", "a"], ["", "", "b"], ["", "", "a"]];
        assert_eq!(numbers(&games), (texts(&[["", "a"], ["", "b"]]), vec![0, 1, 0]));
        assert_eq!(numbers(&[["", "x", "a"], ["", "x", "b"]]).1, [0, 0], "unless moves were given");
        assert_eq!(numbers(&[]), (vec![], vec![]));
    }
}
