//! Ratings of `UCI_Elo` in games between levels.

use basho::sheet::GameScore;

use crate::support::program::oshi;
use crate::support::runner::{arguments, basho, games};

#[test]
fn stronger_rating_wins_most_games() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let engine = format!("cmd={oshi}", oshi = oshi());
    let [low, high] = [1000, 1900].map(|elo| format!("option.UCI_Elo={elo}"));
    let words =
        ["match", "--engine", &engine, "name=low", &low, "--engine", &engine, "name=high", &high];
    let each = ["--each", "option.UCI_LimitStrength=true", "nodes=1000000"];
    let more =
        arguments("--variant kamisado-simple --rounds 10 --seed 1 --openings random_start=true");
    assert_eq!(basho(&[words.as_slice(), &each, &more].concat(), &dir).status.code(), Some(0));
    let games = games(&dir);
    let high_wins = games.iter().filter(|game| match game.result {
        GameScore::BlackWins => game.black.name == "high",
        GameScore::WhiteWins => game.white.name == "high",
        GameScore::Draw | GameScore::Unfinished => false,
    });
    assert_eq!(games.len(), 20);
    let won = high_wins.count();
    assert!(won >= 15, "{won} of 20");
}
