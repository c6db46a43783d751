//! One recorded game, replayed by the rules: its data for the page and its statistics.
//!
//! The page knows no rules. It receives the pieces that change with every ply.

use serde::{Serialize, Serializer};

use super::openings::{GameStart, Opening};
use super::places::{BoardEvent, EventKind};
use super::reported_scores::{self, ReportedScore, ScoreDrop, drops};
use crate::record::{GameRecord, Reason};
use crate::records::transcript::to_sheet;
use crate::records::validate::Course;
use crate::sheet::GameScore;
use oshi::draw::{Draw, Scene};
use oshi::game::{Game, Player, RoundEnd};
use oshi::games::Variant;
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};

/// A game as the page reads it, alongside its record.
#[derive(Debug, Serialize)]
pub struct Replay {
    /// Index of Black's engine in the tournament file.
    pub black: usize,
    /// Index of White's engine in the tournament file.
    pub white: usize,
    /// Index of the game's board among those of the page.
    pub stage: usize,
    /// First scene, as a change from the empty board.
    #[serde(serialize_with = "as_text")]
    pub start: Change,
    /// Change of each move.
    #[serde(serialize_with = "as_texts")]
    pub plies: Vec<Change>,
    /// Number of moves that belong to the opening.
    pub opening: usize,
    /// Score sheet in symbols.
    pub sheet: String,
    /// Score reported with each move after the opening.
    #[serde(rename = "said", serialize_with = "reported_scores::as_text")]
    pub scores: Vec<Option<ReportedScore>>,
    /// Moves after which a win probability dropped.
    #[serde(rename = "falls")]
    pub drops: Vec<ScoreDrop>,
    /// For each change of the points: number of moves before it, and the points of Black and White
    /// after it.
    pub points: Vec<(usize, [u8; 2])>,
    /// Rounds, for the statistics.
    #[serde(skip)]
    pub rounds: Vec<PlayedRound>,
    /// Events on the board, for the statistics.
    #[serde(skip)]
    pub events: Vec<BoardEvent>,
    /// Start of the game, for the statistics.
    #[serde(skip)]
    pub game_start: GameStart,
}

/// The difference between two scenes.
///
/// It holds the turn (0 Black, 1 White, 2 game over), the called place, the origin and target of
/// the move (-1 for none), then piece, place and level of each changed piece. No number exceeds 73.
///
/// The page stores each number as one character, and a space between plies, to keep long matches
/// small.
pub type Change = Vec<i8>;

/// The character of 0.
const ZERO: i8 = 41;

fn text(change: &Change) -> String {
    change.iter().map(|&number| char::from(number.saturating_add(ZERO).cast_unsigned())).collect()
}

fn as_text<S: Serializer>(change: &Change, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(change))
}

fn as_texts<S: Serializer>(changes: &[Change], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&changes.iter().map(text).collect::<Vec<_>>().join(" "))
}

/// A finished round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedRound {
    /// Number in its game, from 1.
    pub number: usize,
    /// The opener, if the record begins early enough to tell.
    pub opener: Option<Player>,
    /// How the round ended.
    pub end: RoundEnd,
}

impl Replay {
    /// Replays a recorded game. `stage_of` returns the index of the board for a position.
    pub fn new<G: Draw + Notation>(
        record: &GameRecord,
        course: &Course<G>,
        variant: Variant,
        stage_of: impl FnOnce(&G) -> usize,
    ) -> Replay {
        let mut position = course.start;
        let [black, white] = course.engines;
        let opening = record.opening.moves.len();
        let start = if record.opening.start == "startpos" {
            String::new()
        } else {
            record.opening.start.clone()
        };
        let sheet = to_sheet(record, variant)
            .and_then(|sheet| sheet.print(Form::Symbols, Language::English));
        let mut scene = position.scene(None);
        let mut replay = Replay {
            black,
            white,
            stage: stage_of(&position),
            start: change(None, &scene, &position),
            plies: Vec::new(),
            opening,
            // A validated record always has a sheet.
            sheet: sheet.unwrap_or_default(),
            scores: Vec::new(),
            drops: Vec::new(),
            points: Vec::new(),
            rounds: Vec::new(),
            events: Vec::new(),
            game_start: GameStart {
                opening: Opening { start, moves: String::new() },
                first: String::new(),
            },
        };
        let mut names = Vec::new();
        let mut scores = Vec::new();
        let first = position.turn();
        let mut opener = position.round().is_opening().then_some(first);
        for (number, &mv) in (1..).zip(&course.moves) {
            let before = position;
            let mover = before.turn();
            position.play(mv);
            let next = position.scene(Some(mv));
            replay.plies.push(change(Some(&scene), &next, &position));
            if number <= opening + 1 {
                names.push(before.name_move(mv, Form::Symbols, Language::English));
            }
            if let Some(played) =
                number.checked_sub(opening + 1).and_then(|index| record.moves.get(index))
            {
                scores.push((
                    number,
                    mover,
                    played.score.as_deref().and_then(|score| ReportedScore::read(score, mover)),
                ));
                let event =
                    |place| BoardEvent { kind: EventKind::Move, player: mover, piece: 0, place };
                replay.events.extend(next.to.map(event));
            }
            if let Some(end) = position.round_end(&before) {
                // In a game without points, the whole game is one round, opened by its first
                // player.
                let opener = opener.or(end.points.is_none().then_some(first));
                replay.rounds.push(PlayedRound { number: replay.rounds.len() + 1, opener, end });
                replay.points.extend(end.points.map(|points| (number, points)));
                replay
                    .events
                    .extend(end.winner.and_then(|winner| BoardEvent::win(winner, &scene, &next)));
            }
            if position.round().is_opening() {
                opener = Some(position.turn());
            }
            scene = next;
        }
        replay.game_start.first = names.get(opening).cloned().unwrap_or_default();
        names.truncate(opening);
        replay.game_start.opening.moves = names.join(" ");
        replay.drops = drops(&scores, blacks_result(record));
        replay.scores = scores.into_iter().map(|(_, _, scores)| scores).collect();
        replay
    }

    /// The turn before the ply with this index: 0 Black, 1 White; `None` past the end.
    pub fn turn_before(&self, ply: usize) -> Option<i8> {
        let change = if ply == 0 { Some(&self.start) } else { self.plies.get(ply - 1) };
        change.and_then(|change| change.first()).copied()
    }
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

/// Black's result in permille, if the rules ended the game.
fn blacks_result(record: &GameRecord) -> Option<u16> {
    let result = match record.result {
        GameScore::BlackWins => 1000,
        GameScore::Draw => 500,
        GameScore::WhiteWins => 0,
        GameScore::Unfinished => return None,
    };
    (record.reason == Reason::Normal).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::OpeningRecord;
    use crate::record::tests::{first_game, played};
    use oshi::draw::Piece;
    use oshi::game::{Outcome, Text};
    use oshi::games::kamisado::{Layout, Match, Target};
    use oshi::games::kamon::Kamon;
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;

    /// A game of random moves from a random start, two of them as its opening; its replay data and
    /// last position.
    fn random_game<G: Draw + Notation>(start: G, seed: u64) -> (GameRecord, Course<G>, G) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = start.random_start(&mut rng);
        let (mut position, mut moves) = (start, Vec::new());
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            position.play(mv);
            moves.push(mv);
        }
        let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
        let record = GameRecord {
            opening: OpeningRecord { start: start.to_string(), moves: texts[..2].to_vec() },
            moves: texts[2..].iter().map(|text| played(text)).collect(),
            ..first_game(position.outcome().unwrap().into())
        };
        (record, Course { engines: [1, 0], start, moves }, position)
    }

    fn replay_of<G: Draw + Notation>(record: &GameRecord, course: &Course<G>) -> Replay {
        Replay::new(record, course, course.start.variant_name().parse().unwrap(), |_| 0)
    }

    /// Does the same as the page's script.
    fn apply(scene: &mut Scene, change: &Change) {
        let place = |number: i8| u8::try_from(number).ok();
        [scene.called, scene.from, scene.to] = [change[1], change[2], change[3]].map(place);
        for piece in change[4..].chunks(3) {
            scene.pieces[piece[0] as usize] =
                Piece { place: piece[1] as u8, level: piece[2] as u8 };
        }
    }

    fn changes_add_up<G: Draw + Notation>(start: G) {
        for seed in 0..30 {
            let (record, course, end) = random_game(start, seed);
            let replay = replay_of(&record, &course);
            assert_eq!((replay.black, replay.white), (1, 0));
            let mut scene = end.scene(course.moves.last().copied());
            let expected = scene.clone();
            scene.pieces.fill(Piece { place: 99, level: 99 });
            std::iter::once(&replay.start)
                .chain(&replay.plies)
                .for_each(|change| apply(&mut scene, change));
            assert_eq!(scene, expected);
            assert_eq!(replay.plies.last().unwrap()[0], 2, "no turn after the end");
            let texts: Vec<String> = replay.plies.iter().map(text).collect();
            assert!(
                texts.iter().flat_map(|text| text.bytes()).all(|byte| (40..=114).contains(&byte))
            );
        }
    }

    #[test]
    fn changes_lead_to_the_last_scene() {
        changes_add_up(Match::start(Target::Marathon).with_layout(Layout::Turned));
        changes_add_up(Kamon::start());
    }

    #[test]
    fn rounds_add_up_to_the_points() {
        for seed in 0..100 {
            let start = Match::start(Target::Long);
            let (record, course, end) = random_game(start, seed);
            let replay = replay_of(&record, &course);
            assert_eq!(replay.points.last().unwrap().1, end.points());
            assert_eq!(replay.points.len(), replay.rounds.len());
            assert_eq!(replay.rounds[0].opener, Some(Player::Black));
            for (number, pair) in (1..).zip(replay.rounds.windows(2)) {
                assert_eq!(pair[0].number, number);
                assert_eq!(
                    pair[1].opener,
                    pair[0].end.winner.map(|winner| !winner),
                    "the loser opens the next round"
                );
            }
            assert_eq!(
                replay.rounds.last().unwrap().end.winner,
                end.outcome().and_then(Outcome::winner)
            );
            let wins = replay.events.iter().filter(|event| event.kind == EventKind::Win);
            let winners: Vec<Player> = wins.map(|win| win.player).collect();
            let expected: Vec<Player> =
                replay.rounds.iter().filter_map(|round| round.end.winner).collect();
            assert_eq!(winners, expected, "a tower took a tooth in every round");
        }
    }

    #[test]
    fn has_sheet_of_all_plies_and_names_opening() {
        let (record, course, _) = random_game(Match::start(Target::Standard), 5);
        let replay = replay_of(&record, &course);
        let read = crate::sheet::parse(replay.sheet.as_bytes()).remove(0).1.unwrap();
        assert_eq!(read.moves.len(), course.moves.len());
        assert_eq!(
            (replay.plies.len(), replay.scores.len()),
            (course.moves.len(), record.moves.len())
        );
        assert_eq!(replay.game_start.opening.moves.split(' ').count(), 2);
        assert!(replay.sheet.contains(&replay.game_start.first));
    }

    #[test]
    fn game_without_points_is_one_round() {
        let (record, course, end) = random_game(Kamon::start(), 3);
        let replay = replay_of(&record, &course);
        assert!(matches!(&replay.rounds[..], [round]
                if round.opener == Some(Player::Black) && round.end.how == end.ending()));
        assert_eq!(replay.points, []);
    }
}
