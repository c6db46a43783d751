//! One recorded game, played through by the rules: what the page shows of it, and what it adds to the statistics.
//!
//! The page knows no rules. It gets for every ply which pieces have changed, and puts them where they belong.

use serde::{Serialize, Serializer};

use crate::draw::{Draw, Scene};
use crate::game::{Game, MoveError, Player, RoundEnd};
use crate::games::language::Language;
use crate::games::notation::{Form, Notation};
use crate::runner::record::GameRecord;
use crate::runner::referee::{GameScore, PlayedMove, Reason};

/// A game as the page reads it.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// Its number in the tournament.
    pub number: u64,
    /// Who played Black, by place in the tournament file.
    pub black: usize,
    /// Who played White, by place in the tournament file.
    pub white: usize,
    /// `1-0` is a win of Black.
    pub result: GameScore,
    /// Why it ended.
    pub reason: Reason,
    /// What happened, in a sentence.
    pub detail: String,
    /// Which of the page's boards it was played on.
    pub stage: usize,
    /// The first scene, as a change from the empty board.
    #[serde(serialize_with = "as_text")]
    pub start: Change,
    /// What each move has changed.
    #[serde(serialize_with = "as_texts")]
    pub plies: Vec<Change>,
    /// The name of each move, in symbols; with semicolons between them in the page.
    #[serde(serialize_with = "joined")]
    pub names: Vec<String>,
    /// How many of the moves are of the opening.
    pub opening: usize,
    /// The time of each move after the opening, in milliseconds.
    pub ms: Vec<f64>,
    /// The score that the engine gave with each move after the opening, as the protocol writes it, or nothing; like the names.
    #[serde(serialize_with = "joined")]
    pub scores: Vec<String>,
    /// After how many moves something was decided, and what, a line each.
    pub notes: Vec<(usize, Vec<String>)>,
    /// After how many moves the points changed, and the points of Black and White from then on.
    pub points: Vec<(usize, [u8; 2])>,
    /// The rounds for the statistics.
    #[serde(skip)]
    pub rounds: Vec<PlayedRound>,
}

/// What differs from one scene to the next: whose turn it is (0 Black, 1 White, 2 nobody's), the called place, the places that the
/// move left and went to (-1 for none); then piece, place and level of every piece that has changed. No number is above 73.
///
/// In the page every number is one character, and a space parts the plies: a long match would take too much room otherwise.
pub type Change = Vec<i8>;

/// The character of 0.
const ZERO: i8 = 41;

fn text(change: &Change) -> String {
    change.iter().map(|&number| char::from(number.saturating_add(ZERO).cast_unsigned())).collect()
}

fn as_text<S: Serializer>(change: &Change, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(change))
}

fn joined<S: Serializer>(texts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&texts.join(";"))
}

fn as_texts<S: Serializer>(changes: &[Change], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&changes.iter().map(text).collect::<Vec<_>>().join(" "))
}

/// A round of a game that was played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedRound {
    /// Counted from 1 in its game.
    pub number: usize,
    /// Who opened it, where the record begins early enough to know.
    pub opener: Option<Player>,
    /// How it ended.
    pub end: RoundEnd,
}

/// Why a record is no game by the rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// A player is not in the tournament.
    #[error("player `{0}` is none of the tournament")]
    Player(String),
    /// The start is no position.
    #[error("opening: {0}")]
    Start(String),
    /// A move cannot be played.
    #[error("move {number}: {error}")]
    Move {
        /// Counted from 1, those of the opening included.
        number: usize,
        /// What is wrong with it.
        error: MoveError,
    },
    /// The moves do not lead to the result.
    #[error("the moves lead to {found}, expected the recorded result {recorded}")]
    Result {
        /// What the record says.
        recorded: GameScore,
        /// What the rules say.
        found: GameScore,
    },
}

impl Replay {
    /// Plays the record through; `start` is the start of its variant. `stage_of` gives the number of the board that a position is
    /// shown on.
    ///
    /// # Errors
    /// [`ReplayError`] says what is wrong with the record.
    pub fn new<G: Draw + Notation>(
        record: &GameRecord,
        names: &[String],
        start: G,
        stage_of: impl FnOnce(&G) -> usize,
    ) -> Result<Replay, ReplayError> {
        let seat = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| ReplayError::Player(name.clone()))
        };
        let mut position = match record.opening.start.as_str() {
            "startpos" => start,
            line => line.parse().map_err(|error: G::Err| ReplayError::Start(error.to_string()))?,
        };
        let mut scene = position.scene(None);
        let mut replay = Replay {
            number: record.game,
            black: seat(&record.black.name)?,
            white: seat(&record.white.name)?,
            result: record.result,
            reason: record.reason,
            detail: record.detail.clone(),
            stage: stage_of(&position),
            start: change(None, &scene, &position),
            plies: Vec::new(),
            names: Vec::new(),
            opening: record.opening.moves.len(),
            ms: record.moves.iter().map(|played| brief(played.ms)).collect(),
            scores: record.moves.iter().map(|played| played.score.clone().unwrap_or_default()).collect(),
            notes: Vec::new(),
            points: Vec::new(),
            rounds: Vec::new(),
        };
        let first = position.turn();
        let mut opener = position.opens_round().then_some(first);
        for text in record.opening.moves.iter().map(String::as_str).chain(played(record).map(|played| played.text.as_str())) {
            let number = replay.plies.len() + 1;
            let mv = match position.parse_move(text) {
                Ok(mv) => mv,
                Err(_) if is_refused(record, number) => break,
                Err(error) => return Err(ReplayError::Move { number, error }),
            };
            let before = position;
            position.play(mv);
            let next = position.scene(Some(mv));
            replay.plies.push(change(Some(&scene), &next, &position));
            replay.names.push(before.name_move(mv, Form::Symbols, Language::English));
            scene = next;
            let decided = position.decided_since(&before, Language::English);
            if !decided.is_empty() {
                replay.notes.push((number, decided));
            }
            if let Some(end) = position.round_end(&before) {
                // A game that counts no points has no rounds: whoever began the game began its only one.
                let opener = opener.or(end.points.is_none().then_some(first));
                replay.rounds.push(PlayedRound { number: replay.rounds.len() + 1, opener, end });
                replay.points.extend(end.points.map(|points| (number, points)));
            }
            if position.opens_round() {
                opener = Some(position.turn());
            }
        }
        let found = position.outcome().map_or(GameScore::Unfinished, GameScore::from);
        if record.reason == Reason::Normal && found != record.result {
            return Err(ReplayError::Result { recorded: record.result, found });
        }
        Ok(replay)
    }
}

impl Replay {
    /// Whose turn it was before the ply with this index: 0 Black's, 1 White's; `None` where there is none.
    pub fn turn_before(&self, ply: usize) -> Option<i8> {
        let change = if ply == 0 { Some(&self.start) } else { self.plies.get(ply - 1) };
        change.and_then(|change| change.first()).copied()
    }
}

/// The moves that were played: not one that came too late.
fn played(record: &GameRecord) -> impl Iterator<Item = &PlayedMove> {
    let late = usize::from(record.reason == Reason::Timeout);
    record.moves.iter().take(record.moves.len().saturating_sub(late))
}

/// Whether this is the move for which the game was lost.
fn is_refused(record: &GameRecord, number: usize) -> bool {
    let is_last = number == record.opening.moves.len() + record.moves.len();
    is_last && matches!(record.reason, Reason::IllegalMove | Reason::Garbled)
}

fn change<G: Game>(before: Option<&Scene>, after: &Scene, position: &G) -> Change {
    let turn = if position.outcome().is_some() { 2 } else { position.turn() as i8 };
    let place = |place: Option<u8>| place.map_or(-1, |place| place as i8);
    let mut change = vec![turn, place(after.called), place(after.from), place(after.to)];
    for (index, piece) in after.pieces.iter().enumerate() {
        if before.and_then(|scene| scene.pieces.get(index)) != Some(piece) {
            change.extend([index as i8, piece.place as i8, piece.level as i8]);
        }
    }
    change
}

/// Finer than this nobody reads, and it takes room in the page.
fn brief(ms: f64) -> f64 {
    if ms < 10.0 { (ms * 10.0).round() / 10.0 } else { ms.round() }
}
