//! Conversion between records and score sheets.

use std::collections::BTreeMap;

use crate::record::{
    GameRecord, OpeningRecord, PlayedMove, PlayerRecord, Reason, RecordFormat, outcome_sentence,
};
use crate::sheet::{GameError, GameScore, Seat, Sheet};
use crate::stderr_tail::StderrTail;
use oshi::games::notation::Notation;
use oshi::games::{Variant, Visitor, visit_position};

/// Why a sheet cannot become a record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The game breaks the rules.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Records have no reason for this ending.
    #[error(
        "unknown ending `{found}`; expected `REASON: WHAT HAPPENED` with a reason of {reasons}",
        reasons = early_names()
    )]
    Ending {
        /// The ending on the sheet.
        found: String,
    },
}

fn early_names() -> String {
    let reasons = Reason::ALL.iter().copied().filter(|reason| reason.decides_early());
    reasons.map(|reason| format!("`{reason}`")).collect::<Vec<_>>().join(", ")
}

/// Position line of a variant's own start.
pub fn start_line(variant: Variant) -> String {
    struct Line;
    impl Visitor for Line {
        type Output = String;
        fn visit<G: Notation>(self, start: G) -> String {
            start.to_string()
        }
    }
    variant.start().visit(Line)
}

/// The sheet of a recorded game. `variant` is the one whose start `startpos` means.
///
/// A last move that was illegal or late is left out; the ending mentions it.
///
/// # Errors
/// [`GameError`] if the record breaks the rules.
pub fn to_sheet(record: &GameRecord, variant: Variant) -> Result<Sheet, GameError> {
    let start = match record.opening.start.as_str() {
        "startpos" => start_line(variant),
        line => line.to_owned(),
    };
    let mut moves = record.opening.moves.clone();
    moves.extend(record.moves.iter().map(|played| played.text.clone()));
    let seat =
        |player: &PlayerRecord| Seat { name: player.name.clone(), limit: player.limit.clone() };
    let ending =
        record.reason.decides_early().then(|| format!("{}: {}", record.reason, record.detail));
    let mut sheet = Sheet {
        game: Some(record.game),
        date: record.date.clone(),
        seats: [seat(&record.black), seat(&record.white)],
        start,
        moves,
        result: record.result,
        ending,
    };
    if record.reason == Reason::Timeout {
        sheet.moves.pop();
    }
    match sheet.check() {
        Err(GameError::Move { ply, .. })
            if ply == sheet.moves.len()
                && matches!(record.reason, Reason::IllegalMove | Reason::Garbled) =>
        {
            sheet.moves.pop();
            sheet.check()?;
        }
        checked => drop(checked?),
    }
    Ok(sheet)
}

/// The record of a sheet's game. It gets `number` if the sheet has no number.
///
/// A sheet holds no times, nodes, scores and seeds, so these stay empty.
///
/// # Errors
/// [`TranscriptError`] if the sheet breaks the rules, or its ending is unknown.
pub fn to_record(sheet: &Sheet, number: u64) -> Result<GameRecord, TranscriptError> {
    let by_the_rules =
        visit_position(&sheet.start, OutcomeSentence(sheet)).map_err(GameError::from)??;
    let unfinished = || (Reason::Interrupted, "Game interrupted".to_owned());
    let (reason, detail) = match (by_the_rules, &sheet.ending) {
        (Some(detail), _) => (Reason::Normal, detail),
        (None, Some(ending)) if sheet.result != GameScore::Unfinished => {
            read_ending(ending).ok_or_else(|| TranscriptError::Ending { found: ending.clone() })?
        }
        (None, _) => unfinished(),
    };
    let [black, white] = &sheet.seats;
    let player = |seat: &Seat| PlayerRecord {
        name: seat.name.clone(),
        limit: seat.limit.clone(),
        seed: None,
        options: BTreeMap::new(),
    };
    let played = |text: &String| PlayedMove {
        text: text.clone(),
        ms: None,
        nodes: None,
        score: None,
        overrun_ms: None,
        cpu_ms: None,
    };
    let game = sheet.game.unwrap_or(number);
    Ok(GameRecord {
        format: RecordFormat,
        game,
        pair: game.div_ceil(2),
        round: game.div_ceil(2),
        black: player(black),
        white: player(white),
        date: sheet.date.clone(),
        opening: OpeningRecord { start: sheet.start.clone(), moves: Vec::new() },
        moves: sheet.moves.iter().map(played).collect(),
        result: sheet.result,
        reason,
        detail,
        stderr_tail: StderrTail::default(),
        replayed: Vec::new(),
    })
}

/// Reads an ending before the rules ended the game: its reason and detail.
fn read_ending(ending: &str) -> Option<(Reason, String)> {
    let (name, detail) = ending.split_once(": ")?;
    let reason = Reason::ALL
        .iter()
        .copied()
        .find(|reason| reason.decides_early() && reason.to_string() == name)?;
    Some((reason, detail.to_owned()))
}

/// Visitor that returns the sentence for a game ended by the rules.
struct OutcomeSentence<'a>(&'a Sheet);

impl Visitor for OutcomeSentence<'_> {
    type Output = Result<Option<String>, GameError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let (_, end) = self.0.replay(start)?;
        Ok(end.outcome().map(|outcome| outcome_sentence(&end, outcome)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_has_date_and_no_figures_of_sheet() {
        let moves = ["a1a5", "d8d4"].map(str::to_owned).to_vec();
        let mut sheet = Sheet::of_moves(start_line(Variant::default()), moves).unwrap();
        let record = serde_json::to_value(to_record(&sheet, 7).unwrap()).unwrap();
        assert_eq!(record["moves"], serde_json::json!([{ "move": "a1a5" }, { "move": "d8d4" }]));
        assert_eq!((record.get("date"), record["black"].get("seed")), (None, None));
        sheet.date = Some("22 November".to_owned());
        let dated = to_record(&sheet, 7).unwrap();
        assert_eq!(to_sheet(&dated, Variant::default()).unwrap().date, sheet.date);
    }
}
