//! The result of a tournament in one sentence.

use schemars::JsonSchema;
use serde::Serialize;

use super::cells::signed;
use super::report::{faults, games};
use crate::printable;
use crate::records::standings::{Standings, against, ranking};
use crate::statistics::sprt::Decision;
use crate::statistics::stats::{Pentanomial, Tally};

/// Strength of the first engine, compared with the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is stronger.
    Stronger,
    /// It is weaker.
    Weaker,
    /// A test of non-regression has passed.
    NotWeaker,
    /// A test of a gain has failed.
    NotStronger,
    /// The results do not decide.
    Undecided,
    /// Too many games were lost by faults, so nothing was measured.
    Faulty,
    /// More than two engines have played: there is no single comparison.
    Several,
    /// No pair of games is finished.
    Nothing,
}

/// The result of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// Strength of the first engine.
    pub outcome: Outcome,
    /// The same in a sentence, with the difference in Elo, games and faults. Its names are
    /// printable.
    pub text: String,
}

impl Verdict {
    /// The verdict on the games so far.
    ///
    /// A sequential test decides by its own bounds. Otherwise a difference counts as shown if its
    /// 95 % interval excludes 0.
    pub fn of(standings: &Standings) -> Verdict {
        let names: Vec<_> =
            standings.names().iter().map(|name| printable::name(name).into_owned()).collect();
        match &names[..] {
            [first, second] => {
                let tally = against(standings.tallies(), 0, 1);
                let outcome = compare(standings, &tally);
                Verdict { outcome, text: sentence(standings, outcome, [first, second], &tally) }
            }
            _ => Verdict { outcome: Outcome::Several, text: leader(standings, &names) },
        }
    }

    /// The sentence for a text report. Parsers of fastchess's output expect ASCII.
    pub fn line(&self) -> String {
        self.text.replace('±', "+/-")
    }
}

fn compare(standings: &Standings, tally: &Tally) -> Outcome {
    let hypotheses = standings.sprt().map(|state| (state.sprt.elo0, state.sprt.elo1));
    match (standings.decision(), hypotheses) {
        (Decision::Void, _) => Outcome::Faulty,
        (Decision::AcceptH1, Some((elo0, _))) if elo0 >= 0.0 => Outcome::Stronger,
        (Decision::AcceptH1, _) => Outcome::NotWeaker,
        (Decision::AcceptH0, Some((_, elo1))) if elo1 <= 0.0 => Outcome::Weaker,
        (Decision::AcceptH0, _) => Outcome::NotStronger,
        (Decision::Continue, _) if tally.pairs.pairs() == 0 => Outcome::Nothing,
        (Decision::Continue, Some(_)) => Outcome::Undecided,
        (Decision::Continue, None) => match tally.pairs.score_interval() {
            Some(interval) if interval.low > 0.5 => Outcome::Stronger,
            Some(interval) if interval.high < 0.5 => Outcome::Weaker,
            _ => Outcome::Undecided,
        },
    }
}

fn sentence(
    standings: &Standings,
    outcome: Outcome,
    [first, second]: [&str; 2],
    tally: &Tally,
) -> String {
    let claim = match outcome {
        Outcome::Stronger => format!("{first} is stronger than {second}"),
        Outcome::Weaker => format!("{first} is weaker than {second}"),
        Outcome::NotWeaker => format!("{first} is not weaker than {second}"),
        Outcome::NotStronger => format!("{first} is not stronger than {second}"),
        Outcome::Faulty => format!("No verdict on {first} and {second}, because of faults"),
        Outcome::Undecided | Outcome::Several => {
            format!("Undecided between {first} and {second}")
        }
        Outcome::Nothing => format!("{first} and {second} have finished no pair of games"),
    };
    let games = games(tally.games());
    let faults = faults(standings.fault_count());
    match difference(&tally.pairs) {
        Some(difference) => format!("{claim}: {difference}, {games}, {faults}"),
        None => format!("{claim}: {games}, {faults}"),
    }
}

/// The difference in Elo with its 95 % error, or the score if all pairs scored the same. `None` without
/// pairs.
fn difference(pairs: &Pentanomial) -> Option<String> {
    let score = pairs.score()?;
    Some(match pairs.elo() {
        Some(elo) => format!("{} ± {:.0} Elo", signed(elo.value, 0), elo.error),
        None => format!("{:.0} % of the points", score * 100.0),
    })
}

fn leader(standings: &Standings, names: &[String]) -> String {
    let best = ranking(names.len(), standings.tallies()).into_iter().next();
    let best = best.filter(|(_, tally)| tally.games() > 0);
    let faults = faults(standings.fault_count());
    match best.and_then(|(engine, tally)| Some((names.get(engine)?, tally))) {
        Some((name, tally)) => format!(
            "{name} leads {} engines: {:.1} % of the points in {}, {faults}",
            names.len(),
            100.0 * tally.points() / tally.games() as f64,
            games(tally.games()),
        ),
        None => format!("{} engines have finished no game, {faults}", names.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{head_against_base, record, tournament};
    use crate::record::{GameRecord, Reason};
    use crate::shard::Shard;
    use crate::sheet::GameScore;

    const GAIN: &str = "sprt = { elo0 = 0, elo1 = 50 }";
    const NON_REGRESSION: &str = "sprt = { elo0 = -50, elo1 = 0 }";

    fn of(settings: &str, results: &str) -> (Outcome, String) {
        let Verdict { outcome, text } = Verdict::of(&head_against_base(settings, results).1);
        (outcome, text)
    }

    #[test]
    fn sequential_test_decides_by_its_hypotheses() {
        let (wins, losses) = ("ww".repeat(100), "ll".repeat(100));
        assert_eq!(of(GAIN, &wins).0, Outcome::Stronger);
        assert_eq!(of(GAIN, &losses).0, Outcome::NotStronger);
        assert_eq!(of(NON_REGRESSION, &wins).0, Outcome::NotWeaker);
        assert_eq!(of(NON_REGRESSION, &losses).0, Outcome::Weaker);
        assert_eq!(of(GAIN, "wwll").0, Outcome::Undecided);
    }

    #[test]
    fn interval_decides_without_a_test() {
        let (outcome, text) = of("", &"wwwl".repeat(20));
        assert_eq!(outcome, Outcome::Stronger);
        assert_eq!(text, "head is stronger than base: +191 ± 74 Elo, 80 games, 0 faults");
        let (outcome, text) = of("", &"wwlllw".repeat(2));
        assert_eq!(outcome, Outcome::Undecided);
        assert_eq!(text, "Undecided between head and base: +0 ± 271 Elo, 12 games, 0 faults");
        assert_eq!(of("", &"lllw".repeat(20)).0, Outcome::Weaker);
    }

    #[test]
    fn names_the_score_when_elo_is_infinite() {
        let (outcome, text) = of("", &"w".repeat(20));
        assert_eq!(outcome, Outcome::Stronger);
        assert_eq!(text, "head is stronger than base: 100 % of the points, 20 games, 0 faults");
    }

    #[test]
    fn one_game_is_nothing() {
        let (outcome, text) = of("", "w");
        assert_eq!(outcome, Outcome::Nothing);
        assert_eq!(text, "head and base have finished no pair of games: 1 game, 0 faults");
    }

    #[test]
    fn faults_leave_nothing_to_compare() {
        let (_, mut standings) = head_against_base(GAIN, "ww");
        let crash =
            GameRecord { reason: Reason::Crash, ..record(&standings, 3, GameScore::BlackWins) };
        standings.add(&crash);
        let Verdict { outcome, text } = Verdict::of(&standings);
        assert_eq!(outcome, Outcome::Faulty);
        assert!(text.starts_with("No verdict on head and base, because of faults"), "{text}");
        assert!(text.ends_with("1 fault"), "{text}");
    }

    #[test]
    fn several_engines_have_a_leader() {
        let tournament = tournament(
            "engine = [{ cmd = 'builtin:random', name = 'a' }, \
             { cmd = 'builtin:random', name = 'b' }, { cmd = 'builtin:greedy', name = 'c' }]",
        );
        let mut standings = Standings::new(&tournament, Shard::WHOLE);
        assert_eq!(Verdict::of(&standings).text, "3 engines have finished no game, 0 faults");
        let won = record(&standings, 1, GameScore::BlackWins);
        standings.add(&won);
        let Verdict { outcome, text } = Verdict::of(&standings);
        assert_eq!(outcome, Outcome::Several);
        assert_eq!(text, "a leads 3 engines: 100.0 % of the points in 1 game, 0 faults");
    }
}
