//! Reports on the standings, in the format of fastchess, so that its parsers can read them.

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

/// The standings between two rules: details of two engines, or a table and joint ratings of more.
pub fn standings(standings: &Standings, engines: &[Engine], openings: &str) -> String {
    // Parsers expect the number of games to match the pairs, so leave out games without a partner.
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

/// Capitalized: parsers count the words `timeout` and `stall` anywhere.
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

/// Tables on the strength of all engines, each ending with a newline.
///
/// For two engines: joint ratings. For more: likelihoods of superiority, and results by opponent.
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

/// A table on how well reported win probabilities predict results; `None` if no engine reported
/// any. Both lists are in the order of the tournament file.
pub fn calibration(names: &[String], calibration: &[Calibration]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| printable::name(name).into_owned()).collect();
    let width = name_width(&names);
    let share = |value: Option<f64>| value.map_or_else(n_a, |value| format!("{value:.3}"));
    let mut text = format!(
        "Calibration of win probabilities (Brier score: 0 perfect, 0.25 always one half)\n\
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
    let mut engines =
        names.iter().zip(calibration).filter(|(_, engine)| engine.forecasts() > 0).peekable();
    engines.peek()?;
    for (name, engine) in engines {
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

/// The line for the start of a game.
pub fn started(number: u64, games: u64, black: &str, white: &str) -> String {
    format!(
        "Started game {number} of {games} ({} vs {})",
        printable::name(black),
        printable::name(white)
    )
}

/// The line for the end of a game. `1-0` is a win of the first player, who opened.
pub fn finished(record: &GameRecord) -> String {
    let GameRecord { game, black, white, result, detail, .. } = record;
    let [black, white] = [black, white].map(|player| printable::name(&player.name));
    format!("Finished game {game} ({black} vs {white}): {result} {{{}}}", one_line(detail))
}

/// Verdict of a sequential test with its number of faults; `None` while games are missing.
pub fn verdict(standings: &Standings) -> Option<String> {
    let state = standings.sprt().filter(|_| standings.is_complete())?;
    let end = match standings.decision() {
        Decision::Continue => "undecided after all games".to_owned(),
        Decision::AcceptH0 => "completed - H0 was accepted".to_owned(),
        Decision::AcceptH1 => "completed - H1 was accepted".to_owned(),
        Decision::Void => {
            format!("ended without a verdict, {} tolerated", state.sprt.tolerate_faults)
        }
    };
    Some(format!("SPRT ({}) {end}, {}", hypotheses(&state.sprt), faults(standings.fault_count())))
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

/// A number of faults in words, such as `1 fault`.
pub fn faults(count: u64) -> String {
    format!("{count} {}", if count == 1 { "fault" } else { "faults" })
}

/// A number of games in words, such as `1 game`.
pub fn games(count: u64) -> String {
    format!("{count} {}", if count == 1 { "game" } else { "games" })
}

/// A game lost by a fault: game, engine, fault, and the engine's last lines on stderr.
pub fn fault(fault: &FaultyGame) -> String {
    let FaultyGame { game, engine, players, detail, stderr_tail } = fault;
    let [engine, black, white] =
        [engine, &players[0], &players[1]].map(|name| printable::name(name));
    let detail = one_line(detail);
    format!("game {game} ({black} vs {white}): {engine} is at fault: {detail}{stderr_tail}")
}

/// Last lines on stderr of an engine that was at fault in a game; `None` without any.
///
/// Leaves out the fault itself, since parsers count the words for it anywhere.
pub fn stderr_tail(fault: &FaultyGame) -> Option<String> {
    let FaultyGame { game, engine, stderr_tail, .. } = fault;
    let line = format!("game {game}: {engine} was at fault");
    (!stderr_tail.is_empty()).then(|| format!("{}{stderr_tail}", one_line(&line)))
}

/// State of a sequential test: ratio, share of the way to the nearer bound, bounds, hypotheses.
pub fn llr_line(sprt: &Sprt, llr: f64) -> String {
    let (lower, upper) = sprt.bounds();
    let share = if llr >= 0.0 { llr / upper } else { -llr / lower };
    format!("LLR: {llr:.2} ({:.1}%) ({lower:.2}, {upper:.2}) {}\n", share * 100.0, hypotheses(sprt))
}

/// State of a sequential test over several shards, with the numbers of counted pairs and played
/// games.
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

/// Statistics of one tally, from the line `Elo: …` on.
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

/// Statistics of counts of pairs, and the state of the sequential test if there is one.
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

/// Wilson's interval of the score, if the normal approximation does not apply.
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
            percent(tally.draws as f64, tally.games()),
            format!("[{ll}, {ld}, {even}, {wd}, {ww}]"),
        );
    }
    text
}

fn with_error(estimate: Option<Estimate>) -> String {
    format!("{} +/- {}", number(estimate.map(|it| it.value)), number(estimate.map(|it| it.error)))
}

#[cfg(test)]
mod tests;
