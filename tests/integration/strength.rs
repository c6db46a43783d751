//! `UCI_LimitStrength`: weaker play that is reproducible on any machine, with unchanged commands.

use oshi::protocol::{OptionKind, Reply};

use crate::support::dialogue::Dialogue;

/// Only b4b8 wins at once for Black. Two of the other moves lose.
const WON_AT_ONCE: &str = "position fen 5G2/5R2/4rLy1/Y1Pl2B1/O+p6/8/1bo3V1/3g2v1 b p 1-0 3";

/// Minimum and maximum of the option `UCI_Elo`.
fn elo_range(dialogue: &mut Dialogue) -> (i64, i64) {
    let ranges = dialogue.answers_to("uci").iter().find_map(|line| match Reply::parse(line) {
        Ok(Reply::Option(option)) if option.name == "UCI_Elo" => Some(option.kind),
        _ => None,
    });
    let Some(OptionKind::Spin { min, max, default }) = ranges else {
        panic!("no spin option UCI_Elo")
    };
    assert!((min..=max).contains(&default));
    (min, max)
}

/// The commands that limit the strength to a rating.
fn limit_commands(elo: i64) -> [String; 2] {
    [
        "setoption name UCI_LimitStrength value true".to_owned(),
        format!("setoption name UCI_Elo value {elo}"),
    ]
}

/// Starts an engine with a rating that depends on the range of `UCI_Elo`.
fn begin(elo: impl Fn((i64, i64)) -> i64) -> Dialogue {
    let mut dialogue = Dialogue::begin();
    let range = elo_range(&mut dialogue);
    for line in limit_commands(elo(range)) {
        assert_eq!(dialogue.answers_to(&line), Vec::<String>::new());
    }
    dialogue
}

const fn weakest((min, _): (i64, i64)) -> i64 {
    min
}

const fn strongest((_, max): (i64, i64)) -> i64 {
    max
}

/// Number of nodes in the last `info` line.
fn nodes(lines: &[String]) -> u64 {
    let line = lines.iter().rfind(|line| line.contains(" nodes ")).unwrap();
    line.split(' ').skip_while(|&word| word != "nodes").nth(1).unwrap().parse().unwrap()
}

#[test]
fn rejects_ratings_out_of_range() {
    let mut dialogue = Dialogue::begin();
    let (min, max) = elo_range(&mut dialogue);
    for (elo, errors) in [(min - 1, 1), (min, 0), (max, 0), (max + 1, 1)] {
        assert_eq!(
            dialogue.answers_to(&format!("setoption name UCI_Elo value {elo}")).len(),
            errors,
            "{elo}"
        );
    }
}

#[test]
fn ignores_rating_without_limited_strength() {
    let answers = |lines: &[&str]| {
        let mut dialogue = Dialogue::begin();
        lines.iter().for_each(|line| dialogue.say(line));
        dialogue.say("go nodes 2000");
        (nodes(&dialogue.lines_to("bestmove")), lines.len())
    };
    let (unlimited, _) = answers(&[]);
    let (rated, _) = answers(&["setoption name UCI_Elo value 1500"]);
    let (limited, _) = answers(&[
        "setoption name UCI_Elo value 1500",
        "setoption name UCI_LimitStrength value true",
    ]);
    assert_eq!(unlimited, rated);
    assert!(limited < rated);
}

#[test]
fn searches_fewer_nodes_at_lower_rating() {
    let mut dialogue = Dialogue::begin();
    let (min, max) = elo_range(&mut dialogue);
    dialogue.say("setoption name UCI_LimitStrength value true");
    let mut last = 0;
    for elo in [min, (min + max) / 2, (min + 3 * max) / 4, max] {
        dialogue.say(&format!("setoption name UCI_Elo value {elo}"));
        dialogue.say("go");
        let searched = nodes(&dialogue.lines_to("bestmove"));
        assert!(searched > last, "{elo}: {searched} nodes are no more than {last}");
        last = searched;
    }
}

#[test]
fn obeys_limits_of_go_below_those_of_rating() {
    let mut dialogue = begin(strongest);
    dialogue.say("go nodes 100");
    assert_eq!(nodes(&dialogue.lines_to("bestmove")), 100);
    dialogue.say("go searchmoves h1h2 c1c2");
    let best = dialogue.line("bestmove");
    assert!(best.starts_with("bestmove h1h2") || best.starts_with("bestmove c1c2"), "{best}");
}

#[test]
fn plays_by_position_rating_and_seed_alone() {
    let play = |before: &[&str]| {
        let mut dialogue = begin(|(min, max)| (min + max) / 2);
        for line in before {
            dialogue.say(line);
            if line.starts_with("go ") {
                dialogue.line("bestmove");
            }
        }
        let line = |seed: u64| {
            dialogue.say(&format!("position random {seed}"));
            let play_on = |_| {
                dialogue.say("go");
                let best = dialogue.line("bestmove");
                dialogue.say(&format!("moves {}", best.split(' ').nth(1).unwrap()));
                best
            };
            (0..6).map(play_on).collect::<Vec<_>>()
        };
        (0..3).map(line).collect::<Vec<_>>()
    };
    let first = play(&[]);
    assert_eq!(first, play(&["setoption name Hash value 1", "setoption name Threads value 4"]));
    let toggles = ["UCI_LimitStrength value false", "UCI_LimitStrength value true"]
        .map(|option| format!("setoption name {option}"));
    assert_eq!(first, play(&[&toggles[0], "position random 0", "go nodes 50000", &toggles[1]]));
    assert_ne!(first, play(&["setoption name Seed value 8"]));
}

#[test]
fn misses_most_wins_at_lowest_rating_only() {
    let wins = |mut dialogue: Dialogue| {
        let is_won = |seed: &u32| {
            dialogue.say(&format!("setoption name Seed value {seed}"));
            dialogue.say(WON_AT_ONCE);
            dialogue.say("go");
            dialogue.line("bestmove").starts_with("bestmove b4b8")
        };
        (0..50).filter(is_won).count()
    };
    let found = wins(begin(weakest));
    assert!((1..25).contains(&found), "{found} of 50");
    assert_eq!(wins(begin(strongest)), 50);
}

#[test]
fn plays_every_game_to_its_end_at_lowest_rating() {
    for variant in
        ["kamisado-simple", "kamisado-standard", "kamisado-long", "kamisado-marathon", "kamon"]
    {
        let mut dialogue = begin(weakest);
        dialogue.say(&format!("setoption name UCI_Variant value {variant}"));
        loop {
            dialogue.say("go wtime 1000 btime 1000");
            let best = dialogue.line("bestmove");
            let mv = best.split(' ').nth(1).unwrap();
            if mv == "(none)" {
                break;
            }
            assert_eq!(
                dialogue.answers_to(&format!("moves {mv}")),
                Vec::<String>::new(),
                "{variant}"
            );
        }
        assert_eq!(dialogue.answers_to("query gameover"), ["response true"], "{variant}");
    }
}

#[test]
fn withholds_bestmove_while_pondering_at_any_rating() {
    for elo in [weakest, strongest] {
        let mut dialogue = begin(elo);
        for (go, release) in [
            ("go infinite", "stop"),
            ("go ponder wtime 1000 btime 1000", "ponderhit"),
            ("go ponder", "stop"),
        ] {
            dialogue.say("position startpos");
            dialogue.say(go);
            assert!(!dialogue.answers().iter().any(|line| line.starts_with("bestmove")), "{go}");
            dialogue.say(release);
            assert_ne!(dialogue.line("bestmove"), "bestmove (none)", "{go}");
        }
    }
}
