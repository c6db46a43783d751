//! The complete form of a game: JSON for storage, export and import without loss. `game-files.md`
//! in this package describes it.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::board;
use crate::game::{
    Clock, Eval, Game, GameError, GameId, MAX_TIME_MS, Mark, Node, NodeId, Seat, SeatKind, Source,
    State, Summary, Timestamp, Verdict,
};

/// Format number of the form. Another number is an error.
const FORMAT: u32 = 1;

/// Maximum length of a name or a title in characters. Every list of games contains them.
const MAX_NAME_LENGTH: usize = 1_000;

/// An invalid complete game.
#[derive(Debug, thiserror::Error)]
pub enum CompleteError {
    /// Invalid JSON, or JSON of another form.
    #[error("{0}; expected a game of dohyo")]
    Text(#[from] serde_json::Error),
    /// Form of another version.
    #[error("unknown format {0}; expected format {FORMAT}")]
    Format(u32),
    /// Invalid starting position.
    #[error(transparent)]
    Start(#[from] oshi::games::PositionError),
    /// Illegal move or invalid node id.
    #[error(transparent)]
    Tree(#[from] GameError),
    /// A name or a title that is too long.
    #[error("a name of {0} characters; expected at most {MAX_NAME_LENGTH}")]
    Name(usize),
    /// A time that is too long.
    #[error("a time of {0} ms; expected at most {MAX_TIME_MS}")]
    Time(u64),
    /// A win probability or a loss out of range.
    #[error("a win probability of {0}; expected 0 to 1")]
    Probability(f64),
}

/// The JSON form.
#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<GameId>,
    title: String,
    start: String,
    players: [Seat; 2],
    clock: Option<Clock>,
    head: NodeId,
    state: State,
    verdict: Option<Verdict>,
    /// Time of the current turn in milliseconds.
    spent: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<u64>,
    changed: u64,
    /// Positions without the start: parents first, the main line before variations.
    nodes: Vec<FileNode>,
    evals: BTreeMap<NodeId, Eval>,
    marks: BTreeMap<NodeId, Mark>,
    summary: Option<[Summary; 2]>,
    source: Option<Source>,
}

#[derive(Serialize, Deserialize)]
struct FileNode {
    id: NodeId,
    parent: NodeId,
    #[serde(rename = "move")]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// Returns the complete form of a game as one line, without a line break.
///
/// # Errors
/// A number that JSON cannot hold, such as infinity.
pub fn write(game: &Game, now: Timestamp) -> serde_json::Result<String> {
    let node = |(id, node): (NodeId, &Node)| {
        Some(FileNode { id, parent: node.parent?, text: node.text.clone(), ms: node.ms })
    };
    serde_json::to_string(&File {
        format: FORMAT,
        id: Some(game.id.clone()),
        title: game.title.clone(),
        start: game.start().line(),
        players: game.seats.clone(),
        clock: game.clock,
        head: game.head,
        state: game.state,
        verdict: game.verdict.clone(),
        spent: game.spent(now),
        begun: game.begun,
        changed: game.changed,
        nodes: game.nodes().into_iter().filter_map(node).collect(),
        evals: game.evals.clone(),
        marks: game.marks.clone(),
        summary: game.summary.clone(),
        source: game.source.clone(),
    })
}

/// Reads a game in its complete form. The game gets `id`, because the stored id may be in use.
///
/// # Errors
/// [`CompleteError`].
pub fn read(id: GameId, text: &str) -> Result<Game, CompleteError> {
    /// Read first, because another format may lack the rest.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } = serde_json::from_str(text)?;
    if format != FORMAT {
        return Err(CompleteError::Format(format));
    }
    let file: File = serde_json::from_str(text)?;
    file.check()?;
    let mut game =
        Game::new(id, board::read(&file.start)?, file.players, None, Timestamp::default());
    for FileNode { id, parent, text, ms } in file.nodes {
        game.restore(id, parent, &text, ms)?;
    }
    game.node(file.head)?;
    let (mut evals, mut marks) = (file.evals, file.marks);
    evals.retain(|&id, _| game.node(id).is_ok());
    marks.retain(|&id, _| game.node(id).is_ok());
    (game.evals, game.marks) = (evals, marks);
    game.title = file.title;
    game.clock = file.clock;
    game.head = file.head;
    game.state = file.state;
    game.verdict = file.verdict;
    game.summary = file.summary;
    game.begun = file.begun;
    game.changed = file.changed;
    game.source = file.source;
    game.set_spent(file.spent);
    Ok(game)
}

impl File {
    /// Checks lengths and ranges, because the text may come from another person.
    fn check(&self) -> Result<(), CompleteError> {
        let names = self.players.iter().map(|seat| &seat.name).chain([&self.title]);
        if let Some(length) = names.map(|name| name.chars().count()).find(|&n| n > MAX_NAME_LENGTH)
        {
            return Err(CompleteError::Name(length));
        }
        let of_move = |seat: &Seat| match seat.kind {
            SeatKind::Engine { movetime, .. } => movetime,
            SeatKind::Person => None,
        };
        let of_clock = self.clock.into_iter().flat_map(|clock| [clock.ms, clock.inc]);
        let mut times = self.players.iter().filter_map(of_move).chain(of_clock);
        if let Some(ms) = times.find(|&ms| ms > MAX_TIME_MS) {
            return Err(CompleteError::Time(ms));
        }
        let losses = self.marks.values().map(|mark| mark.loss);
        let mut probabilities = self.evals.values().map(|eval| eval.black).chain(losses);
        match probabilities.find(|value| !(0.0..=1.0).contains(value)) {
            Some(value) => Err(CompleteError::Probability(value)),
            None => Ok(()),
        }
    }
}

/// Returns true if a text begins with a complete game, even a truncated one.
pub fn is_at_start_of(text: &str) -> bool {
    /// Keys that distinguish a complete game from a record.
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "the fields are expected, not read")]
    struct Sign {
        format: u32,
        nodes: Vec<IgnoredAny>,
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Sign>();
    match values.next() {
        Some(Ok(_)) => true,
        Some(Err(_)) => text.lines().next().is_some_and(|first| first.contains("\"nodes\":[")),
        None => false,
    }
}

/// Reads all complete games of a text, each with the number of its first line. Anything between
/// them is an error of its own.
pub fn read_all(
    text: &str,
    mut new_id: impl FnMut() -> GameId,
) -> impl Iterator<Item = (usize, Result<Game, CompleteError>)> {
    let (mut rest, mut line) = (text, 1);
    std::iter::from_fn(move || {
        let begin = rest.find(|letter: char| !letter.is_whitespace())?;
        let (blank, value) = rest.split_at(begin);
        line += newlines(blank);
        let at = line;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
        let (length, game) = match values.next()? {
            Ok(_) => {
                let length = values.byte_offset();
                (length, read(new_id(), value.get(..length)?))
            }
            // Resume at the next line that may begin a game.
            Err(error) => {
                let length = value.find("\n{").map_or(value.len(), |end| end + 1);
                (length, Err(error.into()))
            }
        };
        let (passed, next) = value.split_at(length);
        line += newlines(passed);
        rest = next;
        Some((at, game))
    })
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests;
