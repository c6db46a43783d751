//! Tournaments for tests.

use crate::config::Tournament;
use crate::record::GameRecord;
use crate::record::tests::{first_game, player};
use crate::records::standings::Standings;
use crate::shard::Shard;
use crate::sheet::GameScore;

/// A resolved tournament from the text of its file.
pub(super) fn tournament(text: &str) -> Tournament {
    let mut tournament: Tournament = toml::from_str(text).unwrap();
    tournament.resolve().unwrap();
    tournament
}

/// A record of this game of the schedule.
pub(super) fn record(standings: &Standings, game: u64, result: GameScore) -> GameRecord {
    let scheduled = standings.schedule().game(game).unwrap();
    let player = |side: usize| player(&standings.names()[scheduled.pair.engines[side]]);
    GameRecord {
        game,
        black: player(scheduled.opener),
        white: player(1 - scheduled.opener),
        detail: "Black wins by deadlock".to_owned(),
        ..first_game(result)
    }
}

/// The standings of `head` against `base` with these settings, after one result for each letter:
/// `w`, `d` or `l` as `head` won, drew or lost.
pub(super) fn head_against_base(settings: &str, results: &str) -> (Tournament, Standings) {
    let tournament = tournament(&format!(
        "rounds = 1000\n{settings}\n[each]\nnodes = 1\n\
         [[engine]]\ncmd = 'a'\nname = 'head'\n[[engine]]\ncmd = 'b'\nname = 'base'"
    ));
    let mut standings = Standings::new(&tournament, Shard::WHOLE);
    for (game, result) in (1..).zip(results.chars()) {
        // `head` opens the games of odd numbers.
        let result = match (result, game % 2) {
            ('d', _) => GameScore::Draw,
            ('w', 1) | ('l', 0) => GameScore::BlackWins,
            _ => GameScore::WhiteWins,
        };
        let record = record(&standings, game, result);
        standings.add(&record);
    }
    (tournament, standings)
}
