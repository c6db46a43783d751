//! A UCI parser that others wrote, for chess, reads all that the engine says.

use oshi::protocol::{Info, OptionKind, Reply, Score};
use vampirc_uci::{UciInfoAttribute, UciMessage, UciOptionConfig, parse_one};

use crate::support::dialogue::Dialogue;

/// Whether the words of chess can say the move: it goes from a square to a square, and is no pass, refill or cell.
fn is_chess(mv: &str) -> bool {
    mv.len() == 4 && mv != "0000" && mv != "left"
}

/// Reads a line with the crate, and compares what it understood with what was meant.
fn read(line: &str) {
    match (parse_one(line), Reply::parse(line).unwrap()) {
        (UciMessage::Id { name: Some(name), .. }, Reply::Name(meant)) => assert_eq!(name, meant),
        (UciMessage::Id { author: Some(author), .. }, Reply::Author(meant)) => {
            assert_eq!(author, meant)
        }
        (UciMessage::UciOk, Reply::UciOk) | (UciMessage::ReadyOk, Reply::ReadyOk) => {}
        (UciMessage::Option(option), Reply::Option(meant)) => {
            let (name, kind) = match option {
                UciOptionConfig::Check { name, default } => {
                    (name, OptionKind::Check { default: default.unwrap() })
                }
                UciOptionConfig::Spin { name, default, min, max } => (
                    name,
                    OptionKind::Spin {
                        default: default.unwrap(),
                        min: min.unwrap(),
                        max: max.unwrap(),
                    },
                ),
                UciOptionConfig::Combo { name, default, var } => {
                    (name, OptionKind::Combo { default: default.unwrap(), choices: var })
                }
                UciOptionConfig::String { name, default } => (
                    name,
                    OptionKind::Text {
                        default: default.filter(|text| text != "<empty>").unwrap_or_default(),
                    },
                ),
                UciOptionConfig::Button { name } => (name, OptionKind::Button),
            };
            assert_eq!((name, kind), (meant.name, meant.kind));
        }
        (_, Reply::BestMove { best, ponder })
            if best.is_none() || !best.iter().chain(&ponder).all(|mv| is_chess(mv)) => {}
        (UciMessage::BestMove { best_move, ponder }, Reply::BestMove { best, ponder: meant }) => {
            assert_eq!(Some(best_move.to_string()), best);
            assert_eq!(ponder.map(|mv| mv.to_string()), meant);
        }
        (UciMessage::Info(attributes), Reply::Info(meant)) => {
            attributes.into_iter().for_each(|attribute| read_attribute(attribute, &meant));
            if let Some(line) = without_wdl(line).filter(|_| meant.pv.iter().all(|mv| is_chess(mv)))
            {
                read(&line);
            }
        }
        (understood, meant) => panic!("{line}\nread as {understood:?}\nmeant as {meant:?}"),
    }
}

fn read_attribute(attribute: UciInfoAttribute, meant: &Info) {
    match attribute {
        UciInfoAttribute::Depth(depth) => assert_eq!(Some(u32::from(depth)), meant.depth),
        UciInfoAttribute::SelDepth(depth) => assert_eq!(Some(u32::from(depth)), meant.seldepth),
        UciInfoAttribute::MultiPv(number) => assert_eq!(Some(u32::from(number)), meant.multipv),
        UciInfoAttribute::Score { cp, mate, .. } => {
            assert_eq!(
                cp.map(Score::Cp).or(mate.map(|moves| Score::Mate(i32::from(moves)))),
                meant.score
            );
        }
        UciInfoAttribute::Nodes(nodes) => assert_eq!(Some(nodes), meant.nodes),
        UciInfoAttribute::Nps(nps) => assert_eq!(Some(nps), meant.nps),
        UciInfoAttribute::HashFull(permille) => {
            assert_eq!(Some(u32::from(permille)), meant.hashfull)
        }
        UciInfoAttribute::Time(time) => {
            assert_eq!(
                u128::try_from(time.num_milliseconds()).ok(),
                meant.time.map(|t| t.as_millis())
            )
        }
        UciInfoAttribute::Pv(moves) => {
            assert_eq!(moves.iter().map(ToString::to_string).collect::<Vec<_>>(), meant.pv)
        }
        UciInfoAttribute::String(text) => assert_eq!(Some(text), meant.string),
        // The crate takes all that follows a word it does not know as the value of that word.
        UciInfoAttribute::Any(word, _) => assert_eq!(word, "wdl"),
        other => panic!("{other:?}, but meant is {meant:?}"),
    }
}

/// The line without its chances, so that what follows them is read too.
fn without_wdl(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let at = words.iter().position(|&word| word == "wdl")?;
    Some([&words[..at], &words[at + 4..]].concat().join(" "))
}

#[test]
fn all_that_a_uci_engine_says_is_read_by_the_crate() {
    let mut dialogue = Dialogue::begin();
    dialogue.say("uci");
    dialogue.lines_to("uciok").iter().for_each(|line| read(line));
    dialogue.say("setoption name MultiPV value 3");
    for &variant in oshi::games::Variant::ALL {
        dialogue.say(&format!("setoption name UCI_Variant value {}", variant.name()));
        let mut moves = String::new();
        loop {
            dialogue.say(&format!("position startpos{moves}"));
            dialogue.say("isready");
            read(&dialogue.line("readyok"));
            dialogue.say("go nodes 60");
            let lines = dialogue.lines_to("bestmove");
            lines.iter().for_each(|line| read(line));
            match lines.last().unwrap().split(' ').nth(1).unwrap() {
                "(none)" => break,
                best if moves.is_empty() => moves = format!(" moves {best}"),
                best => moves.extend([" ", best]),
            }
        }
    }
    for line in ["joho", "go depth nothing", "eval", "stop"] {
        dialogue.answers_to(line).iter().for_each(|line| read(line));
    }
}
