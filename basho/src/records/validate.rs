//! Validates records: a game must be in the schedule, and its result and reason must follow from
//! its moves.
//!
//! A record may be edited, damaged or in the wrong folder. Times, nodes and the detail sentence
//! cannot be checked and are ignored. Scores are checked only for a resignation.

mod ending;

use std::fmt::Display;

use super::manifest::Manifest;
use crate::config::resign::Resign;
use crate::config::schedule::{Game as ScheduledGame, Schedule};
use crate::config::{ConfigError, Engine};
use crate::openings::{Book, Opening, OpeningError};
use crate::record::{GameRecord, Reason};
use crate::shard::Shard;
use crate::sheet::{GameError, GameScore};
use oshi::game::{Player, Text, quote};
use oshi::games::notation::Notation;

/// Why a record is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ValidationError {
    /// The tournament has no such game.
    #[error("not a game of this tournament; expected a game from 1 to {last}")]
    NoGame {
        /// Number of the last game.
        last: u64,
    },
    /// The game belongs to another shard.
    #[error("not a game of shard {0}, which is played here")]
    OtherShard(Shard),
    /// The record contradicts the schedule.
    #[error("{what} `{found}`; expected `{expected}` by the schedule")]
    Schedule {
        /// Name of the value.
        what: &'static str,
        /// Value in the record, shortened.
        found: String,
        /// Value by the schedule, shortened.
        expected: String,
    },
    /// The schedule has no opening for this game.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Moves or result break the rules.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The moves do not end the game.
    #[error("reason `{reason}` after {plies} plies, but the game is not over")]
    NotOver {
        /// The recorded reason.
        reason: Reason,
        /// Number of plies.
        plies: usize,
    },
    /// The moves contradict the reason.
    #[error("reason `{reason}`, but {but}")]
    Reason {
        /// The recorded reason.
        reason: Reason,
        /// The contradiction.
        but: String,
    },
    /// The reason implies another result.
    #[error("result {found} with the reason `{reason}`; expected {expected}")]
    Score {
        /// The recorded result.
        found: GameScore,
        /// The recorded reason.
        reason: Reason,
        /// The implied result.
        expected: GameScore,
    },
    /// An earlier record has the same game.
    #[error("recorded twice; the first record counts")]
    Duplicate,
}

/// The moves of a valid game.
#[derive(Clone, Debug)]
pub struct Course<G: Text> {
    /// Indices of Black's and White's engine in the tournament file.
    pub engines: [usize; 2],
    /// Start position.
    pub start: G,
    /// All legal moves, including the opening. A last move that lost the game by a fault is left
    /// out.
    pub moves: Vec<G::Move>,
}

/// Validates the records of a tournament, or of the shard in a folder.
#[derive(Debug)]
pub struct Validator<G: Text> {
    schedule: Schedule,
    shard: Shard,
    engines: Vec<Engine>,
    resign: Option<Resign>,
    book: Book<G>,
    start: G,
}

/// Why records cannot be validated.
#[derive(Debug, thiserror::Error)]
pub enum ValidatorError {
    /// The tournament is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Its openings are invalid.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

impl<G: Notation> Validator<G> {
    /// A validator for the records of a folder. `start` is the start of its variant.
    ///
    /// # Errors
    /// [`ValidatorError`] if the tournament or its openings are invalid.
    pub fn new(manifest: &Manifest, start: G) -> Result<Validator<G>, ValidatorError> {
        let tournament = &manifest.tournament;
        let schedule = tournament.schedule();
        let book = Book::new(&tournament.openings, &schedule, start)?;
        Ok(Validator {
            schedule,
            shard: manifest.shard,
            engines: tournament.engines()?,
            resign: tournament.resign,
            book,
            start,
        })
    }
}

impl<G: Text> Validator<G> {
    /// Replays a game and checks it against schedule and rules.
    ///
    /// # Errors
    /// [`ValidationError`] says what is wrong, and what was expected.
    pub fn validate(&self, record: &GameRecord) -> Result<Course<G>, ValidationError> {
        let last = self.schedule.games();
        let game = self.schedule.game(record.game).ok_or(ValidationError::NoGame { last })?;
        if !self.schedule.holds(self.shard, &game.pair) {
            return Err(ValidationError::OtherShard(self.shard));
        }
        let engines = self.check_schedule(record, &game)?;
        let opening = self.book.opening(&self.schedule, game.pair.round)?;
        check_opening(record, &opening)?;
        let margin = |player: Player| {
            engines.get(player.index()).map(|engine| engine.margin).unwrap_or_default()
        };
        let margins = Player::ALL.map(|player| margin(player).as_secs_f64() * 1000.0);
        Ok(Course {
            engines: Player::ALL.map(|player| game.engine_of(player)),
            start: opening.other_start().unwrap_or(self.start),
            moves: ending::replay(record, &opening, margins, self.resign.as_ref())?,
        })
    }

    /// Checks numbers, names and seeds; returns the engines of Black and White.
    fn check_schedule(
        &self,
        record: &GameRecord,
        game: &ScheduledGame,
    ) -> Result<Vec<&Engine>, ValidationError> {
        expect("pair", record.pair, game.pair.number + 1)?;
        expect("round", record.round, game.pair.round + 1)?;
        let mut engines = Vec::with_capacity(2);
        for (player, recorded) in [(Player::Black, &record.black), (Player::White, &record.white)] {
            let [name, seed] = match player {
                Player::Black => ["Black", "Black's seed"],
                Player::White => ["White", "White's seed"],
            };
            if let Some(engine) = self.engines.get(game.engine_of(player)) {
                expect(name, recorded.name.as_str(), engine.name.as_str())?;
                engines.push(engine);
            }
            let found = recorded.seed.map_or_else(|| "none".to_owned(), |seed| seed.to_string());
            expect(seed, found, game.seed_of(player).to_string())?;
        }
        Ok(engines)
    }
}

fn expect<T: PartialEq + Display>(
    what: &'static str,
    found: T,
    expected: T,
) -> Result<(), ValidationError> {
    if found == expected {
        return Ok(());
    }
    Err(ValidationError::Schedule {
        what,
        found: quote(&found.to_string()),
        expected: quote(&expected.to_string()),
    })
}

fn check_opening<G: Text>(
    record: &GameRecord,
    opening: &Opening<G>,
) -> Result<(), ValidationError> {
    expect("opening", record.opening.start.as_str(), &opening.start_line())?;
    let moves: Vec<String> = opening.moves().iter().map(ToString::to_string).collect();
    if moves == record.opening.moves {
        Ok(())
    } else {
        expect("opening moves", record.opening.moves.join(" "), moves.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;
    use serde_json::json;

    use super::*;
    use crate::record::PlayedMove;
    use oshi::game::{Game, Outcome};
    use oshi::games::kamisado::{Match, Target};

    const TOURNAMENT: &str = "shard = '1/2'\n[tournament]\nrounds = 3\n\
        openings = { random_start = true, random_plies = 2 }\n\
        engine = [{ cmd = 'builtin:random', name = 'a' }, \
        { cmd = 'builtin:greedy', name = 'b', timemargin = 50 }]";

    fn validator() -> Validator<Match> {
        Validator::new(&toml::from_str(TOURNAMENT).unwrap(), Match::start(Target::Standard))
            .unwrap()
    }

    fn played(text: &str) -> PlayedMove {
        serde_json::from_value(json!({ "move": text, "ms": 1.0 })).unwrap()
    }

    /// A scheduled game of random moves, to its end or to `most` moves after the opening.
    fn record(validator: &Validator<Match>, number: u64, most: usize) -> GameRecord {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        let game = validator.schedule.game(number).unwrap();
        let opening = validator.book.opening(&validator.schedule, game.pair.round).unwrap();
        let (mut position, mut moves) = (opening.position(), Vec::new());
        while let Some(mv) = position.legal_moves().choose(&mut rng).filter(|_| moves.len() < most)
        {
            moves.push(played(&mv.to_string()));
            position.play(*mv);
        }
        let player = |player: Player| {
            let name = validator.engines[game.engine_of(player)].name.clone();
            json!({ "name": name, "limit": "", "seed": game.seed_of(player), "options": {} })
        };
        let reason = if position.outcome().is_some() { Reason::Normal } else { Reason::Crash };
        let record = json!({
            "game": number,
            "pair": game.pair.number + 1,
            "round": game.pair.round + 1,
            "black": player(Player::Black),
            "white": player(Player::White),
            "opening": {
                "start": opening.start_line(),
                "moves": opening.moves().iter().map(ToString::to_string).collect::<Vec<_>>(),
            },
            "moves": moves,
            "result": GameScore::from(position.outcome().unwrap_or(Outcome::Win(!position.turn()))),
            "reason": reason,
            "detail": "",
        });
        serde_json::from_value(record).unwrap()
    }

    fn refused(validator: &Validator<Match>, record: &GameRecord) -> String {
        validator.validate(record).unwrap_err().to_string()
    }

    #[test]
    fn accepts_games_as_recorded() {
        let validator = validator();
        for number in [1, 2, 5, 6] {
            let record = record(&validator, number, usize::MAX);
            let course = validator.validate(&record).unwrap();
            assert_eq!(course.moves.len(), 2 + record.moves.len());
            assert_eq!(course.engines, if number % 2 == 1 { [0, 1] } else { [1, 0] });
            assert_eq!(course.start.to_string(), record.opening.start);
        }
    }

    #[test]
    fn names_contradictions_of_the_schedule() {
        type Edit = fn(&mut GameRecord);
        let cases: [(Edit, &str); 12] = [
            (|game| game.game = 0, "expected a game from 1 to 6"),
            (|game| game.game = 7, "expected a game from 1 to 6"),
            (|game| game.game = 3, "not a game of shard 1/2"),
            (|game| game.game = 2, "Black `a`; expected `b` by the schedule"),
            (|game| game.game = 5, "pair `1`; expected `3`"),
            (|game| game.round = 2, "round `2`; expected `1`"),
            (|game| game.white.name = "x\n".repeat(99), "White `x\\nx\\n"),
            (|game| std::mem::swap(&mut game.black, &mut game.white), "Black `b`; expected `a`"),
            (|game| game.white.seed = None, "White's seed"),
            (|game| game.opening.start = "startpos".to_owned(), "opening `startpos`; expected `"),
            (|game| drop(game.opening.moves.pop()), "opening moves `"),
            (|game| game.opening.moves.push("a1a2".to_owned()), "opening moves `"),
        ];
        let validator = validator();
        for (edit, expected) in cases {
            let mut record = record(&validator, 1, usize::MAX);
            edit(&mut record);
            let message = refused(&validator, &record);
            assert!(
                message.contains(expected) && !message.contains('\n'),
                "`{expected}` in {message}"
            );
        }
    }

    #[test]
    fn rejects_moves_and_results_against_the_rules() {
        type Edit = fn(&mut GameRecord);
        let cases: [(Edit, &str); 8] = [
            (|game| game.moves[3].text = "a1h8".to_owned(), "ply 6: illegal move `a1h8`"),
            (|game| game.moves[3].text = "?".to_owned(), "ply 6: `?` is not a move"),
            (|game| drop(game.moves.pop()), "but the game is not over"),
            (|game| game.moves.push(played("a1a2")), "illegal move `a1a2`"),
            (
                |game| game.result = Outcome::Win(!game.result.winner().unwrap()).into(),
                "but by the rules the game ended",
            ),
            (|game| game.result = GameScore::Draw, "result 1/2-1/2, but by the rules"),
            (|game| game.reason = Reason::Crash, "reason `crash`, but by the rules the game ended"),
            (
                |game| game.reason = Reason::Interrupted,
                "reason `interrupted`, but by the rules the game ended",
            ),
        ];
        let validator = validator();
        for (edit, expected) in cases {
            let mut record = record(&validator, 1, usize::MAX);
            edit(&mut record);
            let message = refused(&validator, &record);
            assert!(message.contains(expected), "`{expected}` in {message}");
        }
    }

    /// A game that ends for `reason` after 5 moves, then perhaps an invalid answer.
    fn broken_off(
        validator: &Validator<Match>,
        reason: Reason,
        answer: Option<PlayedMove>,
    ) -> GameRecord {
        let mut record = record(validator, 1, 5);
        record.reason = reason;
        record.moves.extend(answer);
        record
    }

    /// A move late by `overrun` milliseconds. The margin of White, who is to move, is 50.
    fn late(text: &str, overrun: f64) -> Option<PlayedMove> {
        Some(PlayedMove { overrun_ms: Some(overrun), ..played(text) })
    }

    #[test]
    fn accepts_only_faults_that_follow_from_moves() {
        let validator = validator();
        let legal = validator.validate(&record(&validator, 1, 6)).unwrap().moves[7].to_string();
        assert_eq!(validator.validate(&record(&validator, 1, 5)).unwrap().moves.len(), 7);
        let believed = [
            (Reason::IllegalMove, Some(played("a1a1"))),
            (Reason::Garbled, Some(played("?"))),
            (Reason::Garbled, None),
            (Reason::Timeout, late(&legal, 50.0)),
            (Reason::Timeout, late("?", 1000.0)),
            (Reason::Crash, None),
            (Reason::Stall, None),
        ];
        for (reason, answer) in believed {
            let record = broken_off(&validator, reason, answer);
            assert_eq!(validator.validate(&record).unwrap().moves.len(), 7, "{reason}");
            let winner = record.result.winner().unwrap();
            let other = GameRecord { result: Outcome::Win(!winner).into(), ..record };
            assert!(
                refused(&validator, &other)
                    .contains(&format!("with the reason `{reason}`; expected")),
                "{reason}"
            );
        }
        let refused_answers = [
            (Reason::IllegalMove, Some(played(&legal)), "is legal"),
            (Reason::IllegalMove, Some(played("?")), "is not a move"),
            (Reason::Timeout, Some(played(&legal)), "did not overrun"),
            (Reason::Timeout, late(&legal, 49.9), "by more than 50 ms"),
            (Reason::Garbled, Some(played("a1a1")), "illegal move"),
            (Reason::Crash, Some(played("a1a1")), "illegal move"),
        ];
        for (reason, answer, expected) in refused_answers {
            let message = refused(&validator, &broken_off(&validator, reason, answer));
            assert!(message.contains(expected), "`{expected}` in {message}");
        }
        for reason in [Reason::IllegalMove, Reason::Timeout] {
            let nothing = GameRecord { reason, ..record(&validator, 1, 0) };
            assert!(refused(&validator, &nothing).contains("there is no move"));
        }
    }

    #[test]
    fn accepts_only_resignations_that_follow_from_scores() {
        let tournament = format!("{TOURNAMENT}\n[tournament.resign]\nmovecount = 2\nscore = 600");
        let validator: Validator<Match> =
            Validator::new(&toml::from_str(&tournament).unwrap(), Match::start(Target::Standard))
                .unwrap();
        let score = |game: &mut GameRecord, own: &str, other: &str| {
            game.moves.iter_mut().rev().enumerate().for_each(|(index, played)| {
                played.score = Some(if index % 2 == 0 { own } else { other }.to_owned());
            });
        };
        let mut resigned = record(&validator, 1, 5);
        // No move is a pass, so the players alternate.
        let mut position = validator.book.opening(&validator.schedule, 0).unwrap().position();
        let movers = resigned.moves.iter().map(|played| {
            let mover = position.turn();
            position.play(position.parse_move(&played.text).unwrap());
            mover
        });
        let movers: Vec<Player> = movers.collect();
        assert!(movers.windows(2).all(|pair| pair[0] != pair[1]));
        let loser = movers[4];
        resigned.reason = Reason::Resignation;
        resigned.result = Outcome::Win(!loser).into();
        for own in ["cp -600", "cp -5000", "mate -2"] {
            score(&mut resigned, own, "cp 0");
            assert_eq!(validator.validate(&resigned).unwrap().moves.len(), 7, "{own}");
        }
        let other = GameRecord { result: Outcome::Win(loser).into(), ..resigned.clone() };
        assert!(refused(&validator, &other).contains("with the reason `resignation`; expected"));
        score(&mut resigned, "cp -599", "cp -900");
        assert!(
            refused(&validator, &resigned)
                .contains("the last scores do not meet the rule for resignation")
        );
        let nothing = GameRecord { moves: Vec::new(), ..resigned.clone() };
        assert!(refused(&validator, &nothing).contains("there is no move"));
        score(&mut resigned, "cp -900", "cp 0");
        assert!(
            refused(&self::validator(), &resigned)
                .contains("this tournament has no rule for resignation")
        );
    }

    #[test]
    fn either_player_may_fail_before_the_first_move() {
        let validator = validator();
        let at_once = record(&validator, 1, 0);
        for result in [GameScore::BlackWins, GameScore::WhiteWins] {
            assert!(validator.validate(&GameRecord { result, ..at_once.clone() }).is_ok());
        }
        for result in [GameScore::Draw, GameScore::Unfinished] {
            assert!(
                refused(&validator, &GameRecord { result, ..at_once.clone() })
                    .contains("with the reason `crash`")
            );
        }
        let mut interrupted = broken_off(&validator, Reason::Interrupted, None);
        assert!(refused(&validator, &interrupted).contains("expected *"));
        interrupted.result = GameScore::Unfinished;
        assert!(validator.validate(&interrupted).is_ok());
    }
}
