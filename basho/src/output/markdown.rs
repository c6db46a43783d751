//! The report for a reviewer: `basho report --format markdown`. It fits into the summary of a CI
//! job and into a comment.

use std::fmt::Write;

use super::cells::signed;
use super::report;
use super::summary::{FaultResult, Games, MeetingResult, SprtResult, Summary, Value};
use crate::printable::one_line;

/// The report as Markdown with the tables of GitHub.
pub fn render(summary: &Summary) -> String {
    let mut text = format!("**{}**\n\n", escaped(&summary.verdict.text));
    text += &engines(summary);
    if let [meeting] = &summary.meetings[..] {
        text += &pairs(meeting);
    }
    if let Some(sprt) = &summary.sprt {
        text += &test(sprt);
    }
    text += &games(&summary.games);
    for fault in &summary.faults {
        text += &describe(fault);
    }
    text
}

fn engines(summary: &Summary) -> String {
    let mut text = format!(
        "| {} | won | drawn | lost | score | rating |\n|---|--:|--:|--:|--:|--:|\n",
        summary.variant
    );
    for engine in &summary.engines {
        let (wins, draws, losses) = (engine.wins, engine.draws, engine.losses);
        let games = wins + draws + losses;
        let points = wins as f64 + draws as f64 / 2.0;
        let score = match games {
            0 => "–".to_owned(),
            games => format!("{:.1} %", 100.0 * points / games as f64),
        };
        let (name, rating) = (escaped(&engine.name), with_error(engine.rating));
        let _ = writeln!(text, "| {name} | {wins} | {draws} | {losses} | {score} | {rating} |");
    }
    text + "\n"
}

fn with_error(value: Option<Value>) -> String {
    value.map_or_else(
        || "–".to_owned(),
        |Value { value, error }| format!("{} ± {error:.0}", signed(value, 0)),
    )
}

fn pairs(meeting: &MeetingResult) -> String {
    let [both_lost, worse, even, better, both_won] = meeting.pairs;
    let first = escaped(&meeting.first);
    format!(
        "Pairs by the points of {first}: {both_lost} with 0, {worse} with ½, {even} with 1, \
         {better} with 1½, {both_won} with 2.\n\n"
    )
}

fn test(sprt: &SprtResult) -> String {
    let [low, high] = sprt.bounds;
    format!(
        "Sequential test of {} against {} Elo ({}): log-likelihood ratio {:.2} after {} pairs, \
         bounds {low:.2} and {high:.2}.\n\n",
        sprt.elo1, sprt.elo0, sprt.model, sprt.llr, sprt.pairs
    )
}

fn games(games: &Games) -> String {
    let mut text = String::new();
    if !games.complete {
        let _ = writeln!(text, "{} of {} games are missing.\n", missing(games), games.planned);
    }
    if games.replayed > 0 {
        let _ = writeln!(
            text,
            "Games played again, because the machine stood still or an engine was ended from \
             outside: {}.\n",
            games.replayed
        );
    }
    text
}

const fn missing(games: &Games) -> u64 {
    games.planned.saturating_sub(games.played)
}

fn describe(fault: &FaultResult) -> String {
    let mut text = format!(
        "**{}** was at fault in {} ({}). Game {}: {}\n\n",
        escaped(&fault.engine),
        report::games(fault.games),
        fault.reason,
        fault.first_game,
        escaped(&fault.detail)
    );
    for line in &fault.stderr {
        // An indented line is code: nothing in it has a meaning.
        let _ = writeln!(text, "    {}", one_line(line));
    }
    if !fault.stderr.is_empty() {
        text.push('\n');
    }
    text
}

/// A text from outside in one line, without meaning in Markdown or HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, ',' | '.' | ':' | '%' | '+' | '-' | '/' | '\'')
        {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::head_against_base;
    use crate::statistics::calibration::Calibration;

    fn rendered(settings: &str, results: &str) -> String {
        let (tournament, standings) = head_against_base(settings, results);
        let calibration = [Calibration::default(); 2];
        render(&Summary::new(&tournament, &standings, &calibration).unwrap())
    }

    #[test]
    fn begins_with_the_verdict() {
        let text = rendered("sprt = { elo0 = 0, elo1 = 50 }", "wwwlwd");
        let expected = "\
**Undecided between head and base: +191 ± 336 Elo, 6 games, 0 faults**

| kamisado-standard | won | drawn | lost | score | rating |
|---|--:|--:|--:|--:|--:|
| head | 4 | 1 | 1 | 75.0 % | +79 ± 141 |
| base | 1 | 1 | 4 | 25.0 % | -79 ± 141 |

Pairs by the points of head: 0 with 0, 0 with ½, 1 with 1, 1 with 1½, 1 with 2.

Sequential test of 50 against 0 Elo (normalized): log-likelihood ratio ";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("1994 of 2000 games are missing.\n\n"), "{text}");
    }

    #[test]
    fn names_from_outside_have_no_meaning() {
        assert_eq!(escaped("a|b <i>*c*\n[x](y) `z` \\"), r"a\|b \<i\>\*c\*\\n\[x\]\(y\) \`z\` \\");
        assert_eq!(escaped("1.5 % of new-2, +3"), "1.5 % of new-2, +3");
    }
}
