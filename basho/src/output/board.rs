//! Pictures of positions stated on the command line.

use oshi::draw::Draw;
use oshi::game::{PlayError, Text};
use oshi::games::movetext::read_all;
use oshi::games::notation::Notation;
use oshi::games::{PositionError, StartPosition, Visitor, visit_position};
use oshi::protocol::{Command, ParseCommandError, Start};

/// Why a position cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The words do not form a `position` command.
    #[error(transparent)]
    Words(#[from] ParseCommandError),
    /// The position line is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A move cannot be played.
    #[error(transparent)]
    Move(#[from] PlayError),
}

/// Draws a position as an SVG document.
///
/// `words` follow the syntax of the command `position`, but `fen` may be left out: `startpos moves
/// a1a5`. `usual` gives variant and layout of `startpos` and `random`.
///
/// # Errors
/// [`BoardError`] says what is wrong, and what was expected.
pub fn draw(words: &str, usual: StartPosition) -> Result<String, BoardError> {
    let fen = match words.split_whitespace().next() {
        None | Some("startpos" | "fen" | "random") => "",
        Some(_) => "fen ",
    };
    let Some(Command::Position { start, moves }) =
        Command::parse(&format!("position {fen}{words}"))?
    else {
        // Unreachable: the line begins with `position`.
        return Ok(String::new());
    };
    match start {
        Start::StartPos => usual.visit(Picture { moves }),
        Start::Random(seed) => StartPosition { seed: Some(seed), ..usual }.visit(Picture { moves }),
        Start::Fen(line) => visit_position(&line, Picture { moves })?,
    }
}

/// Visitor that plays the moves and draws the position.
struct Picture {
    moves: Vec<String>,
}

impl Visitor for Picture {
    type Output = Result<String, BoardError>;

    fn visit<G: Text + Notation + Draw>(self, start: G) -> Self::Output {
        let (moves, position) = read_all(&start, &self.moves.join(" "))?;
        Ok(position.svg(moves.last().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshi::games::Variant;

    fn standard(words: &str) -> Result<String, String> {
        draw(words, StartPosition::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn draws_positions_with_and_without_fen() {
        let line = "OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 3";
        let start = standard("startpos").unwrap();
        assert_eq!(standard(line).unwrap(), start);
        assert_eq!(standard(&format!("fen {line}")).unwrap(), start);
        let later = standard(&format!("{line} moves a1a5 d8d4")).unwrap();
        assert_eq!(standard("startpos moves a1a5 d8d4").unwrap(), later);
        assert_ne!(later, start);
        assert_ne!(standard("random 1").unwrap(), standard("random 2").unwrap());
        assert!(draw("startpos", Variant::Kamon.start()).unwrap().contains("Kamon"));
    }

    #[test]
    fn names_invalid_position() {
        assert!(
            standard("").unwrap_err().contains("expected `startpos`, `fen LINE` or `random SEED`")
        );
        assert!(standard("nonsense").unwrap_err().contains("1 fields, expected"));
        assert!(
            standard("startpos moves a1a5 a1a6")
                .unwrap_err()
                .starts_with("move 2 of the list: illegal move")
        );
    }
}
