//! Reports on the standings, in the format of fastchess, so that its parsers read them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use super::cells::{n_a, name_width, number, padded, percent};
use super::ratings;
use crate::config::{Engine, Program};
use crate::printable::{self, one_line};
use crate::record::{GameRecord, Reason};
use crate::records::standings::{FaultyGame, SprtState, Standings, against, ranking};
use crate::statistics::calibration::Calibration;
use crate::statistics::sprt::{Decision, Sprt};
use crate::statistics::stats::{Estimate, Pentanomial, Tally};

const RULE: &str = "--------------------------------------------------\n";

/// The standings between two lines: of two engines in detail, of more as a table with joint ratings.
pub fn standings(standings: &Standings, engines: &[Engine], openings: &str) -> String {
    // Readers of these lines expect that games and pairs fit: one game of a pair does not count yet.
    let tallies = standings
        .tallies()
        .iter()
        .map(|(&pairing, tally)| (pairing, tally.in_pairs()))
        .collect::<BTreeMap<_, _>>();
    let mut text = RULE.to_owned();
    match engines {
        [first, second] => {
            let tally = tallies.get(&[0, 1]).copied().unwrap_or_default();
            text += &head_to_head(first, second, openings, &tally);
        }
        _ => {
            let names = printable_names(standings);
            text += &table(&names, &tallies);
            text += &standings
                .ratings()
                .map(|found| ratings::joint(&names, &found))
                .unwrap_or_default();
        }
    }
    if let Some(state) = standings.sprt() {
        text += &llr_line(&state.sprt, state.llr);
    }
    for (name, reason, kind) in standings.faults() {
        let (name, count) = (printable::name(name), kind.count);
        let _ = writeln!(text, "Faults of {name}: {count} ({})", as_title(reason));
    }
    if standings.replayed() > 0 {
        let _ = writeln!(
            text,
            "Games played again: {} (the machine stood still, or an engine was ended from outside)",
            standings.replayed()
        );
    }
    text + RULE
}

/// With a capital: readers of these lines count `timeout` and `stall` wherever they stand.
fn as_title(reason: Reason) -> String {
    let mut title = reason.to_string();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// The last line of a tournament, as fastchess prints it.
pub fn total_time(time: Duration) -> String {
    let seconds = time.as_secs();
    format!(
        "Total Time: {:02}:{:02}:{:02} (hours:minutes:seconds)",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// What the games say of every engine and of every two of them: joint ratings, unless the standings have them; for more than two, also
/// the likelihoods that one is stronger than the other, and the results by opponent. Each table ends with a newline.
pub fn strengths(standings: &Standings) -> Vec<String> {
    let (names, tallies) = (printable_names(standings), standings.tallies());
    let Some(found) = standings.ratings() else { return Vec::new() };
    match names.len() {
        ..=2 => vec![ratings::joint(&names, &found)],
        _ => vec![
            ratings::superiority(&names, &found),
            ratings::by_opponent(&names, &found, |first, second| against(tallies, first, second)),
        ],
    }
}

fn printable_names(standings: &Standings) -> Vec<String> {
    standings.names().iter().map(|name| printable::name(name).into_owned()).collect()
}

/// Whether the chances that the engines said came true, as a table; `None` if none said any. Both lists are in the order of the
/// tournament file.
pub fn calibration(names: &[String], calibration: &[Calibration]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| printable::name(name).into_owned()).collect();
    let width = name_width(&names);
    let share = |value: Option<f64>| value.map_or_else(n_a, |value| format!("{value:.3}"));
    let mut text = format!(
        "Chances said and come true (Brier score: 0 perfect, 0.25 one half always)\n\
         {} {:>10} {:>8} {:>8} {:>8} {:>8} {:>8} {:>18}\n",
        padded("Name", width),
        "Moves",
        "Brier",
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "Calibration error"
    );
    let mut said =
        names.iter().zip(calibration).filter(|(_, engine)| engine.forecasts() > 0).peekable();
    said.peek()?;
    for (name, engine) in said {
        let [q1, q2, q3, q4] = engine.by_quarter().map(share);
        let (moves, brier, error) =
            (engine.forecasts(), share(engine.brier()), share(engine.calibration_error()));
        let name = padded(name, width);
        let _ = writeln!(
            text,
            "{name} {moves:>10} {brier:>8} {q1:>8} {q2:>8} {q3:>8} {q4:>8} {error:>18}"
        );
    }
    Some(text)
}

/// The line for a game that was begun.
pub fn started(number: u64, games: u64, black: &str, white: &str) -> String {
    format!(
        "Started game {number} of {games} ({} vs {})",
        printable::name(black),
        printable::name(white)
    )
}

/// The line for a game that ended; `1-0` is a win of the player named first, who opened.
pub fn finished(record: &GameRecord) -> String {
    let GameRecord { game, black, white, result, detail, .. } = record;
    let [black, white] = [black, white].map(|player| printable::name(&player.name));
    format!("Finished game {game} ({black} vs {white}): {result} {{{}}}", one_line(detail))
}

/// The verdict of a sequential test with its number of faults; `None` while games are missing.
pub fn verdict(standings: &Standings) -> Option<String> {
    let state = standings.sprt().filter(|_| standings.is_complete())?;
    let end = match state.decision {
        Decision::Continue => "undecided after all games".to_owned(),
        Decision::AcceptH0 => "completed - H0 was accepted".to_owned(),
        Decision::AcceptH1 => "completed - H1 was accepted".to_owned(),
        Decision::Void => {
            format!("ended without a verdict, {} tolerated", state.sprt.tolerate_faults)
        }
    };
    Some(format!("SPRT ({}) {end}, {}", hypotheses(&state.sprt), faults(state.faults)))
}

/// How to continue a sequential test that a fault has ended; `None` for any other tournament.
pub fn remedy(standings: &Standings, dir: &Path) -> Option<String> {
    standings.excess_fault()?;
    let (dir, faults) = (dir.display(), standings.fault_count());
    let advice = format!(
        "`basho resume {dir} --tolerate-faults {faults}` counts such games as lost and continues"
    );
    Some(format!("Ended at a fault; {advice}"))
}

/// A number of faults in words: `1 fault`.
pub fn faults(count: u64) -> String {
    format!("{count} {}", if count == 1 { "fault" } else { "faults" })
}

/// A game lost by a fault: the game, the engine, the fault, and the engine's last lines on stderr.
pub fn fault(fault: &FaultyGame) -> String {
    let FaultyGame { game, engine, players, detail, stderr_tail } = fault;
    let [engine, black, white] =
        [engine, &players[0], &players[1]].map(|name| printable::name(name));
    let detail = one_line(detail);
    format!("game {game} ({black} vs {white}): {engine} is at fault: {detail}{stderr_tail}")
}

/// The last lines on stderr of an engine that was at fault in a game; `None` without any.
///
/// The fault itself is left out: readers of these lines count the words for it wherever they stand.
pub fn stderr_tail(fault: &FaultyGame) -> Option<String> {
    let FaultyGame { game, engine, stderr_tail, .. } = fault;
    let line = format!("game {game}: {engine} was at fault");
    (!stderr_tail.is_empty()).then(|| format!("{}{stderr_tail}", one_line(&line)))
}

/// The progress of a sequential test: the ratio, the share of the way to the nearer bound, bounds, hypotheses.
pub fn llr_line(sprt: &Sprt, llr: f64) -> String {
    let (lower, upper) = sprt.bounds();
    let share = if llr >= 0.0 { llr / upper } else { -llr / lower };
    format!("LLR: {llr:.2} ({:.1}%) ({lower:.2}, {upper:.2}) {}\n", share * 100.0, hypotheses(sprt))
}

/// The progress of a sequential test over games that are played in several places: how many pairs count, of how many games.
pub fn sprt_progress(standings: &Standings, state: &SprtState) -> String {
    let line = llr_line(&state.sprt, state.llr);
    format!(
        "{} after {} pairs, {} games are played",
        line.trim_end(),
        state.pairs(),
        standings.played()
    )
}

fn hypotheses(sprt: &Sprt) -> String {
    format!("[{:.2}, {:.2}]", sprt.elo0, sprt.elo1)
}

fn head_to_head(first: &Engine, second: &Engine, openings: &str, tally: &Tally) -> String {
    let limit =
        |engine: &Engine| engine.limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    let option = |engine: &Engine, name: &str, unit: &str| {
        let value = engine.options.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        // A built-in player has no options at all.
        let none = if matches!(engine.program, Program::Child(_)) { "NULL" } else { "-" };
        value.map_or_else(|| none.to_owned(), |(_, value)| format!("{value}{unit}"))
    };
    let both = |of: &dyn Fn(&Engine) -> String| {
        let (first, second) = (of(first), of(second));
        if first == second { first } else { format!("{first} - {second}") }
    };
    let threads = both(&|engine| option(engine, "Threads", "t"));
    let hash = both(&|engine| option(engine, "Hash", "MB"));
    let openings = if openings.is_empty() { String::new() } else { format!(", {openings}") };
    let names = format!("{} vs {}", printable::name(&first.name), printable::name(&second.name));
    let title = format!("Results of {names} ({}, {threads}, {hash}{openings}):", both(&limit));
    format!("{}\n{}", one_line(&title), estimates(tally))
}

/// The statistics of one tally, from the line `Elo: …` on.
fn estimates(tally: &Tally) -> String {
    let mut text = strength(&tally.pairs);
    let _ = writeln!(
        text,
        "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({} %)",
        tally.games(),
        tally.wins,
        tally.losses,
        tally.draws,
        tally.points(),
        number(percent(tally.points(), tally.games())),
    );
    let win_loss_ratio = number(ratio(tally.win_loss_pairs, tally.draw_draw_pairs));
    let _ = writeln!(text, "{}, WL/DD Ratio: {win_loss_ratio}", counts(&tally.pairs));
    text + &wilson(&tally.pairs)
}

/// The statistics of counts of pairs, and the state of the sequential test, if there is one.
pub fn calculation(pairs: &Pentanomial, sprt: Option<&Sprt>) -> String {
    let mut text = strength(pairs);
    let points = pairs.score().map(|score| 2.0 * score * pairs.pairs() as f64);
    let share = number(pairs.score().map(|score| score * 100.0));
    let _ = writeln!(
        text,
        "Pairs: {}, Points: {:.1} ({share} %)",
        pairs.pairs(),
        points.unwrap_or(0.0)
    );
    text += &format!("{}\n{}", counts(pairs), wilson(pairs));
    if let Some(sprt) = sprt {
        text += &llr_line(sprt, sprt.llr(pairs));
    }
    text
}

fn strength(pairs: &Pentanomial) -> String {
    let [ll, ld, even, wd, ww] = pairs.0;
    format!(
        "Elo: {}, nElo: {}\nLOS: {} %, DrawRatio: {} %, PairsRatio: {}\n",
        with_error(pairs.elo()),
        with_error(pairs.normalized_elo()),
        number(pairs.likelihood_of_superiority().map(|los| los * 100.0)),
        number(percent(even as f64, pairs.pairs())),
        number(ratio(ww + wd, ld + ll)),
    )
}

fn counts(pairs: &Pentanomial) -> String {
    let [ll, ld, even, wd, ww] = pairs.0;
    format!("Ptnml(0-2): [{ll}, {ld}, {even}, {wd}, {ww}]")
}

/// The interval of the score, if the errors above are not those of a normal distribution.
fn wilson(pairs: &Pentanomial) -> String {
    let interval = pairs.score_interval().filter(|interval| !interval.is_normal);
    interval.map_or_else(String::new, |interval| {
        let (low, high) = (interval.low * 100.0, interval.high * 100.0);
        format!("Score: 95 % interval {low:.2} % to {high:.2} % (Wilson)\n")
    })
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Every engine against all others, best first.
fn table(names: &[String], tallies: &BTreeMap<[usize; 2], Tally>) -> String {
    let ranking = ranking(names.len(), tallies);
    let rows = ranking.iter().filter_map(|(engine, tally)| Some((names.get(*engine)?, tally)));
    let width = name_width(names);
    let mut text = format!(
        "{:<4} {} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>20}\n",
        "Rank",
        padded("Name", width),
        "Elo",
        "+/-",
        "nElo",
        "+/-",
        "Games",
        "Score",
        "Draw",
        "Ptnml(0-2)"
    );
    for (index, (name, tally)) in rows.enumerate() {
        let (elo, normalized) = (tally.pairs.elo(), tally.pairs.normalized_elo());
        let [ll, ld, even, wd, ww] = tally.pairs.0;
        let percent =
            |part, whole| percent(part, whole).map_or_else(n_a, |share| format!("{share:.1}%"));
        let _ = writeln!(
            text,
            "{:>4} {} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>20}",
            index + 1,
            padded(name, width),
            number(elo.map(|elo| elo.value)),
            number(elo.map(|elo| elo.error)),
            number(normalized.map(|elo| elo.value)),
            number(normalized.map(|elo| elo.error)),
            tally.games(),
            percent(tally.points(), tally.games()),
            percent(even as f64, tally.pairs.pairs()),
            format!("[{ll}, {ld}, {even}, {wd}, {ww}]"),
        );
    }
    text
}

fn with_error(estimate: Option<Estimate>) -> String {
    format!("{} +/- {}", number(estimate.map(|it| it.value)), number(estimate.map(|it| it.error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Tournament;
    use crate::record::tests::{first_game, player};
    use crate::shard::Shard;
    use crate::sheet::GameScore;

    fn tournament(text: &str) -> Tournament {
        let mut tournament: Tournament = toml::from_str(text).unwrap();
        tournament.resolve().unwrap();
        tournament
    }

    fn record(standings: &Standings, game: u64, result: GameScore) -> GameRecord {
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

    #[test]
    fn a_match_is_reported_in_the_lines_of_fastchess() {
        let tournament = tournament(
            "rounds = 100\nsprt = { elo0 = -50, elo1 = 0 }\n[each]\ntc = '8+0.08'\noption = { Hash = 16 }\n\
             [[engine]]\ncmd = 'dev'\noption = { Threads = 1 }\n[[engine]]\ncmd = 'base'\noption = { Threads = 2 }",
        );
        let mut table = Standings::new(&tournament, Shard::WHOLE);
        let results = [
            GameScore::BlackWins,
            GameScore::WhiteWins,
            GameScore::BlackWins,
            GameScore::BlackWins,
        ];
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
            matches!(strengths(&table).as_slice(), [ratings] if ratings.starts_with("Rank Joint rating"))
        );
        // A fifth game counts when its partner has ended.
        let half = record(&table, 5, GameScore::WhiteWins);
        assert!(table.add(&half) && table.finished_pairs() == 2);
        assert!(
            standings(&table, &tournament.engines().unwrap(), "book.txt").starts_with(expected)
        );
    }

    /// A test that the first engine has won, and one game more, lost by a fault.
    fn fault_after_decision(tolerance: &str) -> Standings {
        let players = "engine = [{ cmd = 'builtin:random', name = 'a' }, { cmd = 'builtin:random', name = 'b' }]";
        let text = format!("rounds = 1000\nsprt = {{ elo0 = 0, elo1 = 50{tolerance} }}\n{players}");
        let mut standings = Standings::new(&tournament(&text), Shard::WHOLE);
        let mut games = 1..;
        while standings.decision() == Decision::Continue {
            let game = games.next().unwrap();
            let first_wins =
                if game % 2 == 1 { GameScore::BlackWins } else { GameScore::WhiteWins };
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
    fn a_recorded_fault_beyond_the_tolerance_leaves_no_verdict() {
        let void = fault_after_decision("");
        assert_eq!((void.decision(), void.is_complete()), (Decision::Void, true));
        assert_eq!(
            verdict(&void).unwrap(),
            "SPRT ([0.00, 50.00]) ended without a verdict, 0 tolerated, 1 fault"
        );
        let said = fault(void.excess_fault().unwrap());
        assert!(
            said.ends_with(
                "b is at fault: Black wins by deadlock; its last lines on stderr:\n    boom"
            ),
            "{said}"
        );
        let tolerant = fault_after_decision(", tolerate-faults = 1");
        assert_eq!(
            verdict(&tolerant).unwrap(),
            "SPRT ([0.00, 50.00]) completed - H1 was accepted, 1 fault"
        );
        assert_eq!(tolerant.excess_fault(), None);
    }

    /// The lines that fastchess prints for these counts.
    #[test]
    fn estimates_are_printed_with_two_decimals() {
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
    fn nothing_is_ever_nan_or_inf() {
        for pairs in [[0; 5], [5, 0, 0, 0, 0], [0, 0, 0, 0, 5], [0, 0, 5, 0, 0], [0, 1, 0, 0, 0]] {
            let text =
                estimates(&Tally { pairs: Pentanomial(pairs), ..Tally::default() }).to_lowercase();
            assert!(!text.contains("nan") && !text.contains("inf"), "{text}");
        }
        let tournament = tournament(
            "engine = [{ cmd = 'builtin:random' }, { cmd = 'builtin:random' }, { cmd = 'builtin:greedy' }]",
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
    fn chances_are_shown_of_the_engines_that_said_any() {
        let names = ["dev\n".to_owned(), "silent".to_owned()];
        let mut engines = [Calibration::default(); 2];
        assert_eq!(calibration(&names, &engines), None);
        engines[0].add(0, 0.5, 1.0);
        engines[0].add(3, 0.9, 1.0);
        let expected = "\
Chances said and come true (Brier score: 0 perfect, 0.25 one half always)
Name                           Moves    Brier       Q1       Q2       Q3       Q4  Calibration error
dev\\n                              2    0.130    0.250      n/a      n/a    0.010              0.300
";
        assert_eq!(calibration(&names, &engines).unwrap(), expected);
    }

    #[test]
    fn who_has_not_played_has_no_shares() {
        let text = table(&["a".to_owned(), "b".to_owned(), "c".to_owned()], &BTreeMap::new());
        assert!(text.contains(" n/a ") && !text.contains('%'), "{text}");
    }

    #[test]
    fn several_engines_are_ranked_by_their_score() {
        let tournament = tournament(
            "rounds = 1\nengine = [{ cmd = 'builtin:random', name = 'low' }, { cmd = 'builtin:random', name = 'mid' }, \
             { cmd = 'builtin:greedy', name = 'top' }]",
        );
        let mut table = Standings::new(&tournament, Shard::WHOLE);
        // low–mid, low–top, mid–top: the later one wins both games, except that low beats top once.
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
        let order: Vec<usize> = ["   1 top", "   2 mid", "   3 low"]
            .iter()
            .map(|row| text.find(row).unwrap())
            .collect();
        assert!(order.is_sorted(), "{text}");
        let header = "Rank Name                             Elo        +/-       nElo        +/-      Games      Score       Draw           Ptnml(0-2)";
        assert!(text.contains(header), "{text}");
        assert!(text.contains("Rank Joint rating (mean 0) "), "{text}");
        let [superiority, by_opponent] = strengths(&table).try_into().unwrap();
        assert!(
            superiority.starts_with("Rank LOS in % against rank")
                && superiority.contains("   1 top "),
            "{superiority}"
        );
        assert!(
            by_opponent.contains("Performance") && by_opponent.lines().count() == 7,
            "{by_opponent}"
        );
    }
}
