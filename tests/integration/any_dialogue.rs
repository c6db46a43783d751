//! Random dialogues: commands in any order, stops at any moment, all variants.
//!
//! The test does not know when a search ends. It checks the transcript alone: the engine executes
//! lines in order and must not change the position during a search.
//!
//! `PROPTEST_CASES=10000 cargo test --release any_dialogue` runs more dialogues.

use std::thread;
use std::time::Duration;

use oshi::draw::Draw;
use oshi::games::notation::Notation;
use oshi::games::{Variant, Visitor, visit_position};
use oshi::protocol::{Command, Reply};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::dialogue::Dialogue;

/// A step of a dialogue.
#[derive(Clone, Debug)]
enum Step {
    /// Sends a line, after `d` if it is a `go`.
    Line(String),
    /// Plays one of the legal moves listed by the last `d`, or searches it alone.
    Legal(&'static str, Index),
    /// Waits for some microseconds, so that the next line may arrive at any time of a search.
    Wait(u64),
    /// Waits until all earlier lines are executed.
    Ready,
    /// Starts a search or count on an idle engine, and sets up another position right after the
    /// last line, which begins with the second text.
    Prompt(&'static str, &'static str),
}

fn line<T: ToString>(text: T) -> Step {
    Step::Line(text.to_string())
}

fn go() -> impl Strategy<Value = Step> {
    let limited = prop_oneof![
        (1u32..400).prop_map(|nodes| format!("nodes {nodes}")),
        (0u32..30).prop_map(|ms| format!("movetime {ms}")),
        (1u32..4).prop_map(|depth| format!("depth {depth}")),
        (0u32..500, 0u32..500).prop_map(|(black, white)| format!(
            "btime {black} wtime {white} binc 1 winc 1 movestogo 20"
        )),
        (1u32..3).prop_map(|moves| format!("mate {moves} nodes 200")),
    ];
    prop_oneof![
        4 => limited.clone().prop_map(|limit| line(format!("go {limit}"))),
        2 => limited.prop_map(|limit| line(format!("go ponder {limit}"))),
        2 => Just(line("go infinite")),
        1 => Just(line("go")),
        1 => (1u32..4).prop_map(|depth| line(format!("go perft {depth}"))),
        2 => any::<Index>().prop_map(|index| Step::Legal("go nodes 50 searchmoves", index)),
    ]
}

fn set_up() -> impl Strategy<Value = Step> {
    let fens: Vec<&str> = include_str!("../data/kamisado-perft.txt")
        .lines()
        .chain(include_str!("../data/kamisado-layouts.txt").lines())
        .chain(include_str!("../data/kamon-perft.txt").lines())
        .map(|line| line.split(" ;").next().unwrap())
        .collect();
    prop_oneof![
        Just(line("position startpos")),
        any::<u64>().prop_map(|seed| line(format!("position random {seed}"))),
        select(fens).prop_map(|fen| line(format!("position fen {fen}"))),
        select(Variant::ALL.to_vec()).prop_map(|variant| line(format!(
            "setoption name UCI_Variant value {}",
            variant.name()
        ))),
        select(vec!["standard", "mirrored", "turned", "turned-mirrored"])
            .prop_map(|name| line(format!("setoption name Layout value {name}"))),
    ]
}

fn option() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0u32..4).prop_map(|mib| line(format!("setoption name Hash value {mib}"))),
        (0u32..4).prop_map(|threads| line(format!("setoption name Threads value {threads}"))),
        (0u32..130).prop_map(|lines| line(format!("setoption name MultiPV value {lines}"))),
        (-1i64..9).prop_map(|seed| line(format!("setoption name Seed value {seed}"))),
        (0u32..20).prop_map(|ms| line(format!("setoption name MoveOverhead value {ms}"))),
        any::<bool>().prop_map(|on| line(format!("setoption name Ponder value {on}"))),
        Just(line("setoption name Clear Hash")),
    ]
}

fn other() -> impl Strategy<Value = Step> {
    let words = vec![
        "",
        "uci",
        "ugi",
        "ucinewgame",
        "uginewgame",
        "ponderhit",
        "query gameover",
        "query p1turn",
        "query result",
        "d",
        "svg",
        "legal",
        "undo",
        "undo 3",
        "eval",
        "help",
        "debug off",
        "# a comment",
        "refill left",
        "refill right",
        "moves 0000",
        "moves a1a5",
        "moves b1",
        "moves xyzzy",
        "position startpos moves h1h6 b8c7 e1e5 h8g7 a1a3 c7a5 e5b8 right",
        "position startpos moves a1a5 a1a5",
        "position fen nonsense",
        "go nodes 0",
        "go perft 0",
        "setoption name Depth value 1",
        "\u{7f}\u{9b}",
        "bench\nstop",
    ];
    select(words).prop_map(line)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => go(),
        4 => Just(line("stop")),
        2 => set_up(),
        4 => any::<Index>().prop_map(|index| Step::Legal("moves", index)),
        2 => option(),
        3 => other(),
        2 => (0u64..20_000).prop_map(Step::Wait),
        2 => Just(Step::Ready),
        2 => select(vec![
            ("go nodes 20", "bestmove"),
            ("go depth 1", "bestmove"),
            ("go movetime 1", "bestmove"),
            ("go wtime 10", "bestmove"),
            ("go nodes 0", "bestmove"),
            ("go perft 1", "Nodes searched"),
            ("bench 20", "Nodes/second"),
        ])
        .prop_map(|(command, last)| Step::Prompt(command, last)),
    ]
}

/// Checker of a transcript.
#[derive(Default)]
struct Checker {
    /// Contents of the last `Fen:` and `Legal moves:` lines.
    fen: String,
    legal: Vec<String>,
    /// Whether a score came after the last `bestmove`.
    scored: bool,
    /// Whether the last line was an error.
    erred: bool,
    best_moves: usize,
    rejected_during_search: usize,
    counts: usize,
}

impl Checker {
    fn check(&mut self, line: &str) {
        let reply = Reply::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        if let Some(fen) = line.strip_prefix("Fen: ") {
            fen.clone_into(&mut self.fen);
        }
        if let Some(moves) = line.strip_prefix("Legal moves:") {
            self.legal = moves.split_whitespace().map(str::to_owned).collect();
        }
        // A count of leaves ends with the total, or with a note that it was stopped.
        self.counts += usize::from(
            line.starts_with("Nodes searched: ") || line == "info string perft stopped",
        );
        if let Some(moves) = line.strip_prefix("legal") {
            moves.split_whitespace().for_each(|mv| assert!(mv.len() >= 2, "{line}"));
        }
        match &reply {
            Reply::Info(info) => {
                self.scored |= info.score.is_some();
                self.check_playable(&info.pv);
                let error = info.string.as_deref().and_then(|text| text.strip_prefix("error: "));
                self.rejected_during_search +=
                    usize::from(error == Some("`go` during a search: expected `stop` first"));
            }
            Reply::BestMove { best: Some(best), ponder } => {
                assert!(self.legal.contains(best), "{best} in {}", self.fen);
                assert!(self.scored, "a best move without a score before it");
                self.check_playable(&[best].into_iter().chain(ponder).cloned().collect::<Vec<_>>());
            }
            Reply::BestMove { best: None, .. } => {
                assert!(
                    self.erred || self.legal.is_empty() && self.scored,
                    "no best move in {}",
                    self.fen
                );
            }
            _ => {}
        }
        if matches!(reply, Reply::BestMove { .. }) {
            self.best_moves += 1;
            self.scored = false;
        }
        self.erred = line.starts_with("info string error: ");
    }

    /// Checks that the moves can be played from the position shown last.
    fn check_playable(&self, moves: &[String]) {
        if !moves.is_empty() {
            visit_position(&self.fen, Play(moves)).unwrap();
        }
    }
}

struct Play<'a>(&'a [String]);

impl Visitor for Play<'_> {
    type Output = ();

    fn visit<G: Notation + Draw>(self, mut position: G) {
        for text in self.0 {
            let mv = position
                .parse_move(text)
                .unwrap_or_else(|error| panic!("{:?} cannot be played: {error}", self.0));
            position.play(mv);
        }
    }
}

fn run_dialogue(steps: &[Step]) {
    let mut dialogue = Dialogue::begin();
    let mut checker = Checker::default();
    let (mut started, mut malformed) = (0, 0);
    dialogue.say("setoption name Hash value 1");
    for step in steps {
        let words = match step {
            Step::Wait(microseconds) => {
                thread::sleep(Duration::from_micros(*microseconds));
                continue;
            }
            Step::Ready => {
                dialogue.say("isready");
                dialogue.lines_to("readyok").iter().for_each(|line| checker.check(line));
                continue;
            }
            Step::Prompt(command, last) => {
                dialogue.say("stop");
                dialogue.say("d");
                dialogue.say("isready");
                dialogue.lines_to("readyok").iter().for_each(|line| checker.check(line));
                started += usize::from(!command.starts_with("bench"));
                dialogue.say(command);
                dialogue.lines_to(last).iter().for_each(|line| checker.check(line));
                assert_eq!(
                    dialogue.answers_to("position startpos"),
                    Vec::<String>::new(),
                    "after the answer to `{command}`"
                );
                continue;
            }
            Step::Line(line) => line.clone(),
            Step::Legal(words, index) => {
                dialogue.say("d");
                dialogue.say("isready");
                dialogue.lines_to("readyok").iter().for_each(|line| checker.check(line));
                match checker.legal.as_slice() {
                    [] => continue,
                    legal => format!("{words} {}", index.get(legal)),
                }
            }
        };
        if matches!(Command::parse(&words), Ok(Some(Command::Go(_) | Command::Perft(_)))) {
            dialogue.say("d");
            started += 1;
        } else if words.starts_with("go") {
            // An idle engine answers it with `bestmove (none)`.
            malformed += 1;
        }
        dialogue.say(&words);
    }
    let (lines, status, errors) = dialogue.end_with_errors();
    lines.iter().for_each(|line| checker.check(line));
    assert_eq!(errors, "");
    assert!(status.success(), "{status}");
    let answered = checker.best_moves + checker.rejected_during_search + checker.counts;
    assert!(
        (started..=started + malformed).contains(&answered),
        "{started} times `go`, {answered} answers and rejections"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn any_dialogue_follows_the_protocol(steps in vec(step(), 1..40)) {
        run_dialogue(&steps);
    }
}

/// Number of dialogues: `PROPTEST_CASES` if set. The default is low, because dialogues are slow.
fn cases() -> u32 {
    if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 60 }
}
