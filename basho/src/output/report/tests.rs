use super::*;
use crate::output::fixture::{record, tournament};
use crate::shard::Shard;
use crate::sheet::GameScore;

#[test]
fn reports_match_in_lines_of_fastchess() {
    let tournament = tournament(
        "rounds = 100\nsprt = { elo0 = -50, elo1 = 0 }\n\
         [each]\ntc = '8+0.08'\noption = { Hash = 16 }\n\
         [[engine]]\ncmd = 'dev'\noption = { Threads = 1 }\n\
         [[engine]]\ncmd = 'base'\noption = { Threads = 2 }",
    );
    let mut table = Standings::new(&tournament, Shard::WHOLE);
    let results =
        [GameScore::BlackWins, GameScore::WhiteWins, GameScore::BlackWins, GameScore::BlackWins];
    for (game, result) in (1..).zip(results) {
        let record = record(&table, game, result);
        assert!(table.add(&record));
    }
    let text = standings(&table, &tournament.engines().unwrap(), "book.txt");
    let expected = "\
--------------------------------------------------
Results of dev vs base (8+0.08, 1t - 2t, 16MB, book.txt):
Elo: 190.85 +/- 434.00, nElo: 245.67 +/- 340.48
LOS: 92.14 %, DrawRatio: 50.00 %, PairsRatio: n/a
Games: 4, Wins: 3, Losses: 1, Draws: 0, Points: 3.0 (75.00 %)
Ptnml(0-2): [0, 0, 1, 0, 1], WL/DD Ratio: n/a
Score: 95 % interval 19.79 % to 97.33 % (Wilson)
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("(-2.94, 2.94) [-50.00, 0.00]\n--"), "{text}");
    let line = finished(&record(&table, 1, GameScore::BlackWins));
    assert_eq!(line, "Finished game 1 (dev vs base): 1-0 {Black wins by deadlock}");
    assert_eq!(started(1, 200, "dev", "base"), "Started game 1 of 200 (dev vs base)");
    assert_eq!(
        total_time(Duration::from_millis(10_862_999)),
        "Total Time: 03:01:02 (hours:minutes:seconds)"
    );
    assert!(
        matches!(&strengths(&table)[..], [ratings] if ratings.starts_with("Rank Joint rating"))
    );
    // A fifth game counts once its partner has ended.
    let half = record(&table, 5, GameScore::WhiteWins);
    assert!(table.add(&half) && table.finished_pairs() == 2);
    assert!(standings(&table, &tournament.engines().unwrap(), "book.txt").starts_with(expected));
}

/// A test decided for the first engine, and one more game lost by a fault.
fn fault_after_decision(tolerance: &str) -> Standings {
    let players = "engine = [{ cmd = 'builtin:random', name = 'a' }, \
        { cmd = 'builtin:random', name = 'b' }]";
    let text = format!("rounds = 1000\nsprt = {{ elo0 = 0, elo1 = 50{tolerance} }}\n{players}");
    let mut standings = Standings::new(&tournament(&text), Shard::WHOLE);
    let mut games = 1..;
    while standings.decision() == Decision::Continue {
        let game = games.next().unwrap();
        let first_wins = if game % 2 == 1 { GameScore::BlackWins } else { GameScore::WhiteWins };
        standings.add(&record(&standings.clone(), game, first_wins));
    }
    assert_eq!(standings.decision(), Decision::AcceptH1);
    let crash = GameRecord {
        reason: Reason::Crash,
        stderr_tail: vec!["boom".to_owned()].into(),
        ..record(&standings, games.next().unwrap(), GameScore::BlackWins)
    };
    standings.add(&crash);
    standings
}

#[test]
fn fault_beyond_tolerance_voids_verdict() {
    let void = fault_after_decision("");
    assert_eq!((void.decision(), void.is_complete()), (Decision::Void, true));
    assert_eq!(
        verdict(&void).unwrap(),
        "SPRT ([0.00, 50.00]) ended without a verdict, 0 tolerated, 1 fault"
    );
    let text = fault(void.excess_fault().unwrap());
    assert!(
        text.ends_with(
            "b is at fault: Black wins by deadlock; its last lines on stderr:\n    boom"
        ),
        "{text}"
    );
    let tolerant = fault_after_decision(", tolerate-faults = 1");
    assert_eq!(
        verdict(&tolerant).unwrap(),
        "SPRT ([0.00, 50.00]) completed - H1 was accepted, 1 fault"
    );
    assert_eq!(tolerant.excess_fault(), None);
}

/// The expected lines are those of fastchess.
#[test]
fn prints_estimates_with_two_decimals() {
    let tally = Tally {
        wins: 300,
        losses: 186,
        draws: 94,
        pairs: Pentanomial([34, 54, 63, 64, 75]),
        win_loss_pairs: 31,
        draw_draw_pairs: 32,
    };
    let text = estimates(&tally);
    let expected = "\
Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28
LOS: 100.00 %, DrawRatio: 21.72 %, PairsRatio: 1.58
Games: 580, Wins: 300, Losses: 186, Draws: 94, Points: 347.0 (59.83 %)
Ptnml(0-2): [34, 54, 63, 64, 75], WL/DD Ratio: 0.97
";
    assert_eq!(text, expected);
}

#[test]
fn never_prints_nan_or_inf() {
    for pairs in [[0; 5], [5, 0, 0, 0, 0], [0, 0, 0, 0, 5], [0, 0, 5, 0, 0], [0, 1, 0, 0, 0]] {
        let text =
            estimates(&Tally { pairs: Pentanomial(pairs), ..Tally::default() }).to_lowercase();
        assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
    }
    let tournament = tournament(
        "engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:random' }, \
         { cmd = 'builtin:greedy' }]",
    );
    let mut table = Standings::new(&tournament, Shard::WHOLE);
    let engines = tournament.engines().unwrap();
    for game in 0..=6 {
        if game > 0 {
            let record = record(&table, game, GameScore::BlackWins);
            table.add(&record);
        }
        let text = standings(&table, &engines, "").to_lowercase();
        assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
    }
}

#[test]
fn prints_calibration_of_engines_with_scores() {
    let names = ["dev\n".to_owned(), "silent".to_owned()];
    let mut engines = [Calibration::default(); 2];
    assert_eq!(calibration(&names, &engines), None);
    engines[0].add(0, 0.5, 1.0);
    engines[0].add(3, 0.9, 1.0);
    let expected = "\
Calibration of win probabilities (Brier score: 0 perfect, 0.25 always one half)
Name                           Moves    Brier       Q1       Q2       Q3       Q4  Calibration error
dev\\n                              2    0.130    0.250      n/a      n/a    0.010              0.300
";
    assert_eq!(calibration(&names, &engines).unwrap(), expected);
}

#[test]
fn prints_no_shares_without_games() {
    let text = table(&["a".to_owned(), "b".to_owned(), "c".to_owned()], &BTreeMap::new());
    assert!(text.contains(" n/a ") && !text.contains('%'), "{text}");
}

#[test]
fn ranks_several_engines_by_score() {
    let tournament = tournament(
        "rounds = 1\nengine = [{ cmd = 'builtin:random', name = 'low' }, \
         { cmd = 'builtin:random', name = 'mid' }, \
         { cmd = 'builtin:greedy', name = 'top' }]",
    );
    let mut table = Standings::new(&tournament, Shard::WHOLE);
    // Pairings low–mid, low–top, mid–top: the second engine wins both games, except that low
    // beats top once.
    let results = [
        GameScore::WhiteWins,
        GameScore::BlackWins,
        GameScore::BlackWins,
        GameScore::BlackWins,
        GameScore::WhiteWins,
        GameScore::BlackWins,
    ];
    for (game, result) in (1..).zip(results) {
        let record = record(&table, game, result);
        table.add(&record);
    }
    let text = standings(&table, &tournament.engines().unwrap(), "");
    let order: Vec<usize> =
        ["   1 top", "   2 mid", "   3 low"].iter().map(|row| text.find(row).unwrap()).collect();
    assert!(order.is_sorted(), "{text}");
    let header = "Rank Name                             Elo        +/-       nElo        +/-      \
                  Games      Score       Draw           Ptnml(0-2)";
    assert!(text.contains(header), "{text}");
    assert!(text.contains("Rank Joint rating (mean 0) "), "{text}");
    let [superiority, by_opponent] = strengths(&table).try_into().unwrap();
    assert!(
        superiority.starts_with("Rank LOS in % against rank") && superiority.contains("   1 top "),
        "{superiority}"
    );
    assert!(
        by_opponent.contains("Performance") && by_opponent.lines().count() == 7,
        "{by_opponent}"
    );
}
