//! Games of Boardspace, in the site's SGF.
//!
//! Seat P0 has home row 1. A person's move is a pick-up and a drop, which may be undone until
//! `Done`; a robot's move is a `Move`. The site plays single rounds on the standard board. The
//! number after `kamisado` in `SU` is a seed that this game does not use.

use super::game::{GameError, GameScore, Sheet};
use super::lists::kept_text;
use super::sgf::{self, Cut, GameTree, Property};
use oshi::game::{Game, Outcome, Player, Text, quote};
use oshi::games::kamisado::{Match, Target};

/// A fault in a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BoardspaceError {
    /// The file is of another game.
    #[error(
        "this is an SGF file of {0}; \
         expected the game Kamisado, as Boardspace writes it (`GM[Kamisado]`)"
    )]
    OtherGame(String),
    /// The setup is unknown.
    #[error("unknown setup `{0}`; expected `kamisado` and a number")]
    Setup(String),
    /// A command is invalid.
    #[error("`{command}` of P{seat}: {reason}{}", kept_text(*.kept))]
    Command {
        /// The command.
        command: String,
        /// Seat that gave it.
        seat: usize,
        /// Reason and expected form.
        reason: String,
        /// Number of plies before it, which are kept.
        kept: usize,
    },
    /// The result contradicts the moves.
    #[error("{error}{}", kept_text(*.kept))]
    Result {
        /// The contradiction.
        error: GameError,
        /// Number of plies, which are kept.
        kept: usize,
    },
    /// The file ends or another game begins within the game.
    #[error("{cut}{}", kept_text(*.kept))]
    Cut {
        /// Reason.
        cut: Cut,
        /// Number of plies before the end, which are kept.
        kept: usize,
    },
}

impl BoardspaceError {
    /// Number of plies that are kept as a game of their own.
    pub const fn kept(&self) -> usize {
        match self {
            BoardspaceError::OtherGame(_) | BoardspaceError::Setup(_) => 0,
            BoardspaceError::Command { kept, .. }
            | BoardspaceError::Result { kept, .. }
            | BoardspaceError::Cut { kept, .. } => *kept,
        }
    }
}

/// Reads all games of a file, each with its first line, from 1. A game with a fault is read up to
/// it and followed by the fault with its line.
pub fn read_boardspace(text: &str) -> Vec<(usize, Result<Sheet, BoardspaceError>)> {
    let mut all = Vec::new();
    for tree in sgf::parse(text) {
        let (sheet, fault) = read_game(&tree);
        let keeps = fault.as_ref().is_none_or(|(_, fault)| fault.kept() > 0);
        all.extend(keeps.then_some((tree.line, Ok(sheet))));
        all.extend(fault.map(|(line, fault)| (line, Err(fault))));
    }
    all
}

/// Name of the game of an SGF file, unless it is Kamisado.
fn other_game(tree: &GameTree) -> Option<String> {
    let value = root_value(tree, "GM").unwrap_or("1");
    let name = match value.trim() {
        "1" => "Go",
        "2" => "Othello",
        "3" => "chess",
        "4" => "Gomoku",
        "5" => "Nine Men's Morris",
        "6" => "Backgammon",
        "7" => "Chinese chess",
        "8" => "Shogi",
        "11" => "Hex",
        other if other.eq_ignore_ascii_case("kamisado") => return None,
        other => return Some(format!("`{}`", quote(other))),
    };
    Some(name.to_owned())
}

fn root_value<'a>(tree: &'a GameTree, name: &str) -> Option<&'a str> {
    let property = tree.nodes.iter().flatten().find(|property| property.name == name)?;
    property.values.first().map(String::as_str)
}

fn read_game(tree: &GameTree) -> (Sheet, Option<(usize, BoardspaceError)>) {
    let position = Match::start(Target::Simple);
    let mut play = Play { position, ..Play::new() };
    if let Some(error) =
        other_game(tree).map(BoardspaceError::OtherGame).or_else(|| check_setup(tree))
    {
        return (Sheet::new(position.to_string()), Some((tree.line, error)));
    }
    let mut fault = None;
    for property in tree.nodes.iter().flatten() {
        if let Err(error) = play.property(property) {
            fault = Some((property.line, error));
            break;
        }
    }
    if fault.is_none() {
        play.end(tree.cut.is_some());
        let kept = play.moves.len();
        fault = tree.cut.map(|(line, cut)| (line, BoardspaceError::Cut { cut, kept }));
    }
    let result = root_value(tree, "RE").unwrap_or_default();
    let (sheet, error) = play.into_sheet(result, root_value(tree, "DT"), fault.is_some());
    (sheet, fault.or_else(|| error.map(|error| (tree.line, error))))
}

fn check_setup(tree: &GameTree) -> Option<BoardspaceError> {
    let setup = root_value(tree, "SU")?;
    let words: Vec<&str> = setup.split_whitespace().collect();
    let is_known = match words.as_slice() {
        [game] => game.eq_ignore_ascii_case("kamisado"),
        [game, seed] => game.eq_ignore_ascii_case("kamisado") && seed.parse::<i64>().is_ok(),
        _ => false,
    };
    (!is_known).then(|| BoardspaceError::Setup(quote(setup)))
}

/// Ending other than by the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EarlyEnd {
    /// This player resigned.
    Resigned(Player),
    /// This player won on time.
    WonOnTime(Player),
    Draw,
}

/// A game in progress.
struct Play {
    position: Match,
    start: Option<Match>,
    names: [String; 2],
    moves: Vec<String>,
    /// Square of the tower that has been picked up.
    in_hand: Option<String>,
    /// An unconfirmed move: from, to.
    pending: Option<(String, String)>,
    /// Whether that move is a `Move`, which a robot never takes back.
    is_final: bool,
    early_end: Option<EarlyEnd>,
}

impl Play {
    fn new() -> Play {
        Play {
            position: Match::start(Target::Simple),
            start: None,
            names: Default::default(),
            moves: Vec::new(),
            in_hand: None,
            pending: None,
            is_final: false,
            early_end: None,
        }
    }

    fn property(&mut self, property: &Property) -> Result<(), BoardspaceError> {
        let (seat, player) = match property.name.as_str() {
            "P0" => (0, Player::Black),
            "P1" => (1, Player::White),
            _ => return Ok(()),
        };
        for value in &property.values {
            self.command(player, value).map_err(|reason| {
                let kept = self.moves.len();
                BoardspaceError::Command { command: quote(value.trim()), seat, reason, kept }
            })?;
        }
        Ok(())
    }

    /// Runs `[N] COMMAND [SQUARE…]`.
    fn command(&mut self, player: Player, value: &str) -> Result<(), String> {
        let words: Vec<&str> = value.split_whitespace().collect();
        let words = match words.split_first() {
            Some((first, rest)) if first.bytes().all(|byte| byte.is_ascii_digit()) => rest,
            _ => words.as_slice(),
        };
        let Some((command, squares)) = words.split_first() else { return Ok(()) };
        match command.to_ascii_lowercase().as_str() {
            "id" => {
                let name = value.trim_start().get(2..).unwrap_or_default().trim();
                let name =
                    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
                let [black, white] = &mut self.names;
                *(if player == Player::Black { black } else { white }) = name.to_owned();
            }
            "start" => self.start_with(squares.first().copied().unwrap_or_default())?,
            "pickb" => self.pick(player, square(squares)?)?,
            "dropb" => self.drop_on(player, square(squares)?)?,
            "move" => {
                self.take_turn(player)?;
                let (from, to) = squares.split_at_checked(2).unwrap_or((squares, &[]));
                (self.pending, self.in_hand) = (Some((square(from)?, square(to)?)), None);
                self.is_final = true;
            }
            "pass" => {
                self.take_turn(player)?;
                (self.pending, self.in_hand) = (None, None);
                self.play("0000")?;
            }
            "done" => self.done(player)?,
            "resign" => {
                (self.pending, self.in_hand) = (None, None);
                // A second resignation takes the first back.
                let resigned = Some(EarlyEnd::Resigned(player));
                self.early_end = if self.early_end == resigned { None } else { resigned };
            }
            "gameoverontime" | "winontime" => self.early_end = Some(EarlyEnd::WonOnTime(player)),
            "acceptdraw" => self.early_end = Some(EarlyEnd::Draw),
            "reset" | "undo" => (self.pending, self.in_hand) = (None, None),
            "edit" | "swap" | "allowundo" => {
                return Err("the board was edited; expected moves only".to_owned());
            }
            "chat" => {}
            _ if look_like_squares(squares) => {
                self.take_turn(player)?;
                return Err(
                    "unknown command with squares; expected `Move`, `Pickb` or `Dropb`".to_owned()
                );
            }
            // Times, offers and commands of later versions of the site do not change the board.
            _ => {}
        }
        Ok(())
    }

    /// Starts the game with the player of this seat.
    fn start_with(&mut self, seat: &str) -> Result<(), String> {
        let opener = match seat.to_ascii_uppercase().as_str() {
            "P0" => Player::Black,
            "P1" => Player::White,
            _ => return Err("expected `Start P0` or `Start P1`".to_owned()),
        };
        if self.moves.is_empty() {
            let line = Match::start(Target::Simple).to_string();
            let line = if opener == Player::White { line.replacen(" b ", " w ", 1) } else { line };
            self.position = line.parse().map_err(|_| "expected another start".to_owned())?;
            self.start = Some(self.position);
        } else if self.position.turn() != opener {
            return Err(format!("{} is to move", self.position.turn()));
        }
        Ok(())
    }

    /// Confirms the opponent's last move if it is pending. Then it must be this player's turn.
    fn take_turn(&mut self, player: Player) -> Result<(), String> {
        if self.position.turn() != player {
            self.confirm()?;
        }
        let (turn, is_over) = (self.position.turn(), self.position.outcome().is_some());
        if is_over {
            Err("the game is over".to_owned())
        } else if turn == player {
            Ok(())
        } else {
            Err(format!("expected a move of P{}", turn.index()))
        }
    }

    fn pick(&mut self, player: Player, from: String) -> Result<(), String> {
        self.take_turn(player)?;
        self.in_hand = Some(match self.pending.take() {
            // The player picks up the tower that was just dropped.
            Some((source, to)) if to == from => source,
            _ => from,
        });
        Ok(())
    }

    fn drop_on(&mut self, player: Player, to: String) -> Result<(), String> {
        self.take_turn(player)?;
        let from = self
            .in_hand
            .take()
            .ok_or_else(|| "no tower has been picked up; expected `Pickb` first".to_owned())?;
        self.pending = (from != to).then_some((from, to));
        self.is_final = false;
        Ok(())
    }

    fn done(&mut self, player: Player) -> Result<(), String> {
        if self.early_end.is_some() || self.pending.is_some() {
            return self.confirm();
        }
        if self.position.outcome().is_some()
            || self.position.turn() != player
            || self.start.is_none()
        {
            return Ok(());
        }
        // A blocked tower passes.
        self.play("0000").map_err(|reason| format!("{reason}; expected a move before `Done`"))
    }

    fn confirm(&mut self) -> Result<(), String> {
        match self.pending.take() {
            Some((from, to)) => self.play(&(from + &to)),
            None => Ok(()),
        }
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        let mv = self.position.parse_move(text).map_err(|error| error.to_string())?;
        self.position.play(mv);
        self.moves.push(mv.to_string());
        self.in_hand = None;
        Ok(())
    }

    /// Confirms the last move if it ends the game, because some games lack the last `Done`. An
    /// incomplete game keeps a robot's last move, too.
    fn end(&mut self, is_cut: bool) {
        let (before, count) = (self.position, self.moves.len());
        if self.early_end.is_some() {
            return;
        }
        let is_confirmed = self.confirm().is_ok();
        let is_final = is_cut && self.is_final || self.position.outcome().is_some();
        if !is_confirmed || !is_final {
            self.position = before;
            self.moves.truncate(count);
        }
    }

    /// Converts the game to a sheet. An incomplete game has no result.
    fn into_sheet(
        self,
        result: &str,
        date: Option<&str>,
        is_cut: bool,
    ) -> (Sheet, Option<BoardspaceError>) {
        let mut sheet = Sheet::new(self.start.unwrap_or(Match::start(Target::Simple)).to_string());
        let written = written_winner(result, &self.names);
        sheet.date = date.map(|date| date.trim().to_owned()).filter(|date| !date.is_empty());
        for (seat, name) in sheet.seats.iter_mut().zip(self.names) {
            seat.name = name;
        }
        sheet.moves = self.moves;
        let by_rules = self.position.outcome().map(GameScore::from);
        let win = |player| GameScore::from(Outcome::Win(player));
        let (found, ending) = match self.early_end {
            _ if by_rules.is_some() => (by_rules, None),
            _ if is_cut => (None, None),
            Some(EarlyEnd::Resigned(loser)) => {
                (Some(win(!loser)), Some(format!("resignation: {loser} resigns")))
            }
            Some(EarlyEnd::WonOnTime(player)) => {
                let winner = written.unwrap_or(player);
                (Some(win(winner)), Some(format!("timeout: {} loses on time", !winner)))
            }
            Some(EarlyEnd::Draw) => (Some(GameScore::Draw), Some("draw by agreement".to_owned())),
            None => (written.map(win), written.map(|_| result.trim().to_owned())),
        };
        sheet.result = found.unwrap_or_default();
        sheet.ending = ending;
        let contradiction = written.map(win).filter(|&written| {
            !is_cut && sheet.result != GameScore::Draw && written != sheet.result
        });
        let error = contradiction.map(|found| BoardspaceError::Result {
            error: GameError::Result { found, expected: sheet.result },
            kept: sheet.moves.len(),
        });
        (sheet, error)
    }
}

/// Whether the arguments of a command are squares, such as `A 1 B 2` or `A1 B2`.
fn look_like_squares(words: &[&str]) -> bool {
    let is_part = |word: &&str| {
        let digits = word.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(word);
        digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let bytes = || words.iter().flat_map(|word| word.bytes());
    words.iter().all(is_part)
        && bytes().any(|byte| byte.is_ascii_alphabetic())
        && bytes().any(|byte| byte.is_ascii_digit())
}

/// Reads a square such as `A 1`.
fn square(words: &[&str]) -> Result<String, String> {
    let expected = || "expected a column A to H and a row 1 to 8".to_owned();
    let (&column, &row) = words.first().zip(words.get(1)).ok_or_else(expected)?;
    let square = format!("{}{row}", column.to_ascii_lowercase());
    match *square.as_bytes() {
        [b'a'..=b'h', b'1'..=b'8'] => Ok(square),
        _ => Err(expected()),
    }
}

/// Reads the winner from a result in any language: the only player whose name it contains.
fn written_winner(result: &str, names: &[String; 2]) -> Option<Player> {
    let result = result.trim();
    let [black, white] = names.each_ref().map(|name| name.trim());
    if black == white {
        return None;
    }
    let counts = [(Player::Black, black, white), (Player::White, white, black)];
    let candidates = |fits: &dyn Fn(&str, &str) -> bool| {
        let mut fitting =
            counts.iter().filter(|(_, name, other)| !name.is_empty() && fits(name, other));
        match (fitting.next(), fitting.next()) {
            (Some(&(player, ..)), None) => Some(player),
            _ => None,
        }
    };
    // First the sentence of the English site, then a unique name anywhere, then one at an end.
    candidates(&|name, _| result.strip_prefix("Game won by ") == Some(name))
        .or_else(|| candidates(&|name, other| holds_name(result, name, other)))
        .or_else(|| candidates(&|name, _| ends_with_name(result, name) && !result.eq(name)))
        .or_else(|| candidates(&|name, _| begins_with_name(result, name)))
}

/// Whether a text contains the name as whole words, outside the opponent's longer name.
fn holds_name(text: &str, name: &str, other: &str) -> bool {
    let shortened = if other.len() > name.len() && other.contains(name) {
        text.replace(other, "")
    } else {
        text.to_owned()
    };
    shortened.match_indices(name).any(|(at, _)| {
        let (before, rest) = shortened.split_at_checked(at).unwrap_or_default();
        let after = rest.get(name.len()..).unwrap_or_default();
        !before.ends_with(continues_word) && !after.starts_with(continues_word)
    })
}

/// Whether a character continues a word. Characters of languages without spaces do not.
fn continues_word(character: char) -> bool {
    character.is_alphanumeric() && character < '\u{2000}'
}

fn ends_with_name(text: &str, name: &str) -> bool {
    let text = text.trim_end_matches(['.', '!']);
    text.strip_suffix(name).is_some_and(|before| !before.ends_with(continues_word))
}

fn begins_with_name(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|after| !after.starts_with(continues_word))
}
