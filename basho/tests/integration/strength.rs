//! What `UCI_LimitStrength` promises: weaker play that does not depend on the machine, and otherwise the same behaviour.

use basho::sheet::GameScore;
use oshi::protocol::{OptionKind, Reply};

use crate::support::dialogue::Dialogue;
use crate::support::program::oshi;
use crate::support::runner::{basho, games};

/// Black wins at once with b4b8 alone; two of the other moves give the win away.
const WON_AT_ONCE: &str = "position fen 5G2/5R2/4rLy1/Y1Pl2B1/O+p6/8/1bo3V1/3g2v1 b p 1-0 3";

/// The least and the greatest `UCI_Elo`.
fn range(dialogue: &mut Dialogue) -> (i64, i64) {
    let ranges = dialogue.answers_to("uci").iter().find_map(|line| match Reply::parse(line) {
        Ok(Reply::Option(option)) if option.name == "UCI_Elo" => Some(option.kind),
        _ => None,
    });
    let Some(OptionKind::Spin { min, max, default }) = ranges else {
        panic!("no spin is called UCI_Elo")
    };
    assert!((min..=max).contains(&default));
    (min, max)
}

fn limited(elo: i64) -> [String; 2] {
    [
        "setoption name UCI_LimitStrength value true".to_owned(),
        format!("setoption name UCI_Elo value {elo}"),
    ]
}

/// An engine of this rating.
fn begin(elo: impl Fn((i64, i64)) -> i64) -> Dialogue {
    let mut dialogue = Dialogue::begin();
    let range = range(&mut dialogue);
    for line in limited(elo(range)) {
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

/// The number of nodes that the last line before the answer tells.
fn nodes(lines: &[String]) -> u64 {
    let line = lines.iter().rfind(|line| line.contains(" nodes ")).unwrap();
    line.split(' ').skip_while(|&word| word != "nodes").nth(1).unwrap().parse().unwrap()
}

#[test]
fn ratings_beyond_the_range_are_refused() {
    let mut dialogue = Dialogue::begin();
    let (min, max) = range(&mut dialogue);
    for (elo, errors) in [(min - 1, 1), (min, 0), (max, 0), (max + 1, 1)] {
        assert_eq!(
            dialogue.answers_to(&format!("setoption name UCI_Elo value {elo}")).len(),
            errors,
            "{elo}"
        );
    }
}

#[test]
fn a_rating_says_nothing_until_the_strength_is_limited() {
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
fn a_weaker_level_searches_fewer_nodes() {
    let mut dialogue = Dialogue::begin();
    let (min, max) = range(&mut dialogue);
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
fn the_limits_of_go_hold_below_those_of_the_rating() {
    let mut dialogue = begin(strongest);
    dialogue.say("go nodes 100");
    assert_eq!(nodes(&dialogue.lines_to("bestmove")), 100);
    dialogue.say("go searchmoves h1h2 c1c2");
    let best = dialogue.line("bestmove");
    assert!(best.starts_with("bestmove h1h2") || best.starts_with("bestmove c1c2"), "{best}");
}

#[test]
fn the_answer_depends_on_the_position_the_rating_and_the_seed_alone() {
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
    let learnt = ["UCI_LimitStrength value false", "UCI_LimitStrength value true"]
        .map(|option| format!("setoption name {option}"));
    assert_eq!(first, play(&[&learnt[0], "position random 0", "go nodes 50000", &learnt[1]]));
    assert_ne!(first, play(&["setoption name Seed value 8"]));
}

#[test]
fn a_beginner_overlooks_most_wins_and_sees_some_and_a_master_sees_all() {
    let wins = |mut dialogue: Dialogue| {
        let is_won = |seed: &u32| {
            dialogue.say(&format!("setoption name Seed value {seed}"));
            dialogue.say(WON_AT_ONCE);
            dialogue.say("go");
            dialogue.line("bestmove").starts_with("bestmove b4b8")
        };
        (0..50).filter(is_won).count()
    };
    let seen = wins(begin(weakest));
    assert!((1..25).contains(&seen), "{seen} of 50");
    assert_eq!(wins(begin(strongest)), 50);
}

#[test]
fn every_game_is_played_to_its_end_by_a_beginner() {
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
fn a_weak_engine_holds_its_answer_back_as_a_strong_one_does() {
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

#[test]
fn a_higher_rating_wins_clearly() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("run");
    let engine = format!("cmd={oshi}", oshi = oshi());
    let [low, high] = [1000, 1900].map(|elo| format!("option.UCI_Elo={elo}"));
    let words =
        ["match", "--engine", &engine, "name=low", &low, "--engine", &engine, "name=high", &high];
    let each = ["--each", "option.UCI_LimitStrength=true", "nodes=1000000"];
    let more = [
        "--variant",
        "kamisado-simple",
        "--rounds",
        "10",
        "--seed",
        "1",
        "--openings",
        "random_start=true",
    ];
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
