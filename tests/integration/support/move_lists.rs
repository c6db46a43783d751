//! Cases of `tests/data/move-lists.txt`, shared by the tests of the engine, basho and dohyo.

use oshi::games::Variant;

pub struct Case {
    pub name: String,
    pub variant: Variant,
    /// Plies of each game, after its start position unless that is the usual one.
    pub games: Vec<String>,
    /// Line number and part of the message of each fault.
    pub faults: Vec<(usize, String)>,
    pub text: String,
}

pub fn cases() -> Vec<Case> {
    let file = include_str!("../../data/move-lists.txt");
    file.split("\n=== ").skip(1).map(read_case).collect()
}

fn read_case(case: &str) -> Case {
    let (head, text) = case.split_once("\n---\n").unwrap();
    let mut lines = head.lines();
    let name = lines.next().unwrap().to_owned();
    let text = text.strip_suffix("\n").unwrap_or(text).to_owned();
    let mut case =
        Case { name, variant: Variant::KamisadoSimple, games: vec![], faults: vec![], text };
    for line in lines {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "variant" => case.variant = value.parse().unwrap(),
            "game" => case.games.push(value.to_owned()),
            "fault" => {
                let (line, message) = value.split_once(' ').unwrap();
                case.faults.push((line.parse().unwrap(), message.to_owned()));
            }
            _ => panic!("unknown line {line}"),
        }
    }
    case
}
