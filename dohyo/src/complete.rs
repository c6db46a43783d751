//! The complete form of a game: JSON that is stored, exported and imported without loss.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::board;
use crate::game::{
    Clock, Eval, Game, GameFault, GameId, LONGEST_TIME, Mark, Node, NodeId, Seat, SeatKind, Source,
    State, Summary, Verdict,
};

/// Number of the form. Newer ones are refused rather than misread.
const FORMAT: u32 = 1;

/// Maximum length of a name or a title in characters: every list of games contains them.
const LONGEST_NAME: usize = 1_000;

/// Why a text is not a complete game.
#[derive(Debug, thiserror::Error)]
pub enum CompleteError {
    /// It is not JSON of this form.
    #[error("{0}; expected a game of dohyo")]
    Text(#[from] serde_json::Error),
    /// It is of a newer version.
    #[error("unknown format {0}; expected format {FORMAT}")]
    Format(u32),
    /// Its start is not a position.
    #[error(transparent)]
    Start(#[from] oshi::games::PositionError),
    /// Its tree has a move that is not legal.
    #[error(transparent)]
    Tree(#[from] GameFault),
    /// A name or a title is too long.
    #[error("a name of {0} characters; expected at most {LONGEST_NAME}")]
    Name(usize),
    /// A time of a clock or for a move is too long.
    #[error("a time of {0} ms; expected at most {LONGEST_TIME}")]
    Time(u64),
    /// A win probability, or a loss of it, is out of range.
    #[error("a win probability of {0}; expected 0 to 1")]
    Probability(f64),
}

/// A game as JSON holds it.
#[derive(Serialize, Deserialize)]
struct File {
    format: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<GameId>,
    title: String,
    start: String,
    players: [Seat; 2],
    clock: Option<Clock>,
    head: NodeId,
    state: State,
    verdict: Option<Verdict>,
    /// The time of the turn so far, in milliseconds.
    spent: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<u64>,
    changed: u64,
    /// All positions but the start, each after the one before it, the main line's first.
    nodes: Vec<FileNode>,
    evals: BTreeMap<NodeId, Eval>,
    marks: BTreeMap<NodeId, Mark>,
    summary: Option<[Summary; 2]>,
    source: Option<Source>,
}

#[derive(Serialize, Deserialize)]
struct FileNode {
    id: NodeId,
    parent: NodeId,
    #[serde(rename = "move")]
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// Returns the complete form of a game, on one line without a line break.
///
/// # Errors
/// A number that JSON cannot hold, such as infinity.
pub fn write(game: &Game) -> serde_json::Result<String> {
    let node = |(id, node): (NodeId, &Node)| {
        Some(FileNode { id, parent: node.parent?, text: node.text.clone(), ms: node.ms })
    };
    serde_json::to_string(&File {
        format: FORMAT,
        id: Some(game.id.clone()),
        title: game.title.clone(),
        start: game.start().line(),
        players: game.seats.clone(),
        clock: game.clock,
        head: game.head,
        state: game.state,
        verdict: game.verdict.clone(),
        spent: game.spent(),
        begun: game.begun,
        changed: game.changed,
        nodes: game.nodes().into_iter().filter_map(node).collect(),
        evals: game.evals.clone(),
        marks: game.marks.clone(),
        summary: game.summary.clone(),
        source: game.source.clone(),
    })
}

/// Reads a game in its complete form. It gets this `id`: the one in the text may be taken.
///
/// # Errors
/// [`CompleteError`].
pub fn read(id: GameId, text: &str) -> Result<Game, CompleteError> {
    /// Read first: another format may lack the rest.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } = serde_json::from_str(text)?;
    if format != FORMAT {
        return Err(CompleteError::Format(format));
    }
    let file: File = serde_json::from_str(text)?;
    file.check()?;
    let mut game = Game::new(id, board::read(&file.start)?, file.players, None);
    for FileNode { id, parent, text, ms } in file.nodes {
        game.restore(id, parent, &text, ms)?;
    }
    game.node(file.head)?;
    let (mut evals, mut marks) = (file.evals, file.marks);
    evals.retain(|&id, _| game.node(id).is_ok());
    marks.retain(|&id, _| game.node(id).is_ok());
    (game.evals, game.marks) = (evals, marks);
    game.title = file.title;
    game.clock = file.clock;
    game.head = file.head;
    game.state = file.state;
    game.verdict = file.verdict;
    game.summary = file.summary;
    game.begun = file.begun;
    game.changed = file.changed;
    game.source = file.source;
    game.set_spent(file.spent);
    Ok(game)
}

impl File {
    /// Checks lengths and ranges: the text may come from a stranger.
    fn check(&self) -> Result<(), CompleteError> {
        let names = self.players.iter().map(|seat| &seat.name).chain([&self.title]);
        if let Some(length) = names.map(|name| name.chars().count()).find(|&n| n > LONGEST_NAME) {
            return Err(CompleteError::Name(length));
        }
        let of_move = |seat: &Seat| match seat.kind {
            SeatKind::Engine { movetime, .. } => movetime,
            SeatKind::Person => None,
        };
        let of_clock = self.clock.into_iter().flat_map(|clock| [clock.ms, clock.inc]);
        let mut times = self.players.iter().filter_map(of_move).chain(of_clock);
        if let Some(ms) = times.find(|&ms| ms > LONGEST_TIME) {
            return Err(CompleteError::Time(ms));
        }
        let losses = self.marks.values().map(|mark| mark.loss);
        let mut probabilities = self.evals.values().map(|eval| eval.black).chain(losses);
        match probabilities.find(|value| !(0.0..=1.0).contains(value)) {
            Some(value) => Err(CompleteError::Probability(value)),
            None => Ok(()),
        }
    }
}

/// Returns true if a text begins with a complete game, even a truncated one.
pub fn is_at_start_of(text: &str) -> bool {
    /// The keys that tell a complete game from a record.
    #[derive(Deserialize)]
    #[expect(dead_code, reason = "the fields are expected, not read")]
    struct Sign {
        format: u32,
        nodes: Vec<IgnoredAny>,
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Sign>();
    match values.next() {
        Some(Ok(_)) => true,
        Some(Err(_)) => text.lines().next().is_some_and(|first| first.contains("\"nodes\":[")),
        None => false,
    }
}

/// Reads all complete games of a text, each with its first line, counted from 1. Anything else
/// between them is an error of its own.
pub fn read_all(text: &str) -> impl Iterator<Item = (usize, Result<Game, CompleteError>)> {
    let (mut rest, mut line) = (text, 1);
    std::iter::from_fn(move || {
        let begin = rest.find(|letter: char| !letter.is_whitespace())?;
        let (blank, value) = rest.split_at(begin);
        line += newlines(blank);
        let at = line;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
        let (length, game) = match values.next()? {
            Ok(_) => {
                let length = values.byte_offset();
                (length, read(GameId::unused(), value.get(..length)?))
            }
            // Resume at the next line that may begin a game.
            Err(error) => {
                let length = value.find("\n{").map_or(value.len(), |end| end + 1);
                (length, Err(error.into()))
            }
        };
        let (passed, next) = value.split_at(length);
        line += newlines(passed);
        rest = next;
        Some((at, game))
    })
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use basho::sheet::GameScore;
    use oshi::games::language::Language;
    use oshi::games::{Layout, StartPosition, Variant};
    use rand::rngs::SmallRng;
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::driver::Stop;
    use crate::exchange::{Import, import};
    use crate::export::{As, export};
    use crate::game::{By, MarkKind, ROOT, ScoreText};

    const NAMES: [&str; 5] = ["", "oshi (club)", "Böb & \"Co\"\\", "\u{202e}<b>\n\u{0}", "名前"];

    /// A random game that uses every field.
    fn random_game(seed: u64) -> Game {
        let mut rng = SmallRng::seed_from_u64(seed);
        let pick = |rng: &mut SmallRng, of: usize| rng.random_range(0..of);
        let variant = Variant::ALL[pick(&mut rng, Variant::ALL.len())];
        let layout = Layout::ALL[pick(&mut rng, Layout::ALL.len())];
        let start = StartPosition { variant, layout, seed: rng.random_bool(0.5).then_some(seed) };
        let clock = rng
            .random_bool(0.5)
            .then(|| (rng.random_range(1..=LONGEST_TIME), rng.random_range(0..9_000)));
        let seats =
            [(); 2].map(|()| Seat { kind: random_kind(&mut rng), name: random_name(&mut rng) });
        let mut game = Game::new(GameId::unused(), board::start(start), seats, clock);
        game.begun = rng.random_bool(0.8).then(|| rng.random_range(0..2_000_000_000_000));
        for _ in 0..rng.random_range(0..80) {
            act(&mut game, &mut rng);
        }
        let nodes: Vec<NodeId> = game.nodes().into_iter().map(|(id, _)| id).collect();
        for &id in &nodes {
            if rng.random_bool(0.4) {
                let eval = random_eval(&game, id, &mut rng);
                game.learn(id, eval);
            }
            if id != ROOT && rng.random_bool(0.2) {
                game.marks.insert(id, random_mark(&game, id, &mut rng));
            }
        }
        let summary = |rng: &mut SmallRng| Summary {
            accuracy: 100.0 * rng.random::<f64>(),
            thrown: rng.random_range(0..3),
            missed: rng.random_range(0..3),
            mistakes: rng.random_range(0..3),
            dubious: rng.random_range(0..3),
        };
        game.summary = rng.random_bool(0.4).then(|| [summary(&mut rng), summary(&mut rng)]);
        game.title = random_name(&mut rng);
        game.changed = rng.random_range(0..2_000_000_000_000);
        game.set_spent(rng.random_range(0..100_000));
        game.source = rng.random_bool(0.3).then(|| Source {
            game: rng.random_bool(0.5).then_some(seed),
            date: rng.random_bool(0.5).then(|| "22. November 2026".to_owned()),
            limits: ["8+0.08".to_owned(), random_name(&mut rng)],
            ending: rng.random_bool(0.5).then(|| random_name(&mut rng)),
            moves: game.moves_to(game.head),
            record: rng.random_bool(0.5).then(|| "{\"game\":1}".to_owned()),
        });
        game
    }

    fn random_name(rng: &mut SmallRng) -> String {
        NAMES.choose(rng).copied().unwrap_or_default().to_owned()
    }

    fn random_kind(rng: &mut SmallRng) -> SeatKind {
        if rng.random_bool(0.6) {
            return SeatKind::Person;
        }
        let level = rng.random_bool(0.5).then(|| "club".to_owned());
        let movetime = rng.random_bool(0.5).then(|| rng.random_range(1..=LONGEST_TIME));
        SeatKind::Engine { engine: rng.random_range(0..4), level, movetime }
    }

    /// Performs a random action of a player or a viewer.
    fn act(game: &mut Game, rng: &mut SmallRng) {
        let nodes: Vec<NodeId> = game.nodes().into_iter().map(|(id, _)| id).collect();
        let somewhere = *nodes.choose(rng).unwrap();
        let at = if rng.random_bool(0.8) { game.head } else { somewhere };
        // A refused action changes nothing.
        match rng.random_range(0..100) {
            0 => drop(game.resign()),
            1 => game.pause(true),
            2 => game.pause(false),
            3..6 => drop(game.take_back()),
            6 => drop(game.go_on(somewhere)),
            7..9 => drop(game.promote(somewhere)),
            9 => drop(game.prune(somewhere)),
            10 => game.set_clock(Some((60_000, 1_000))),
            11 => game.seats.reverse(),
            _ => {
                let legal = game.board(at).unwrap().legal();
                let by = *[By::Person, By::Engine, By::Nobody].choose(rng).unwrap();
                game.set_spent(rng.random_range(0..70_000));
                if let Some(text) = legal.choose(rng) {
                    game.play(at, text, by).unwrap();
                }
            }
        }
    }

    fn random_eval(game: &Game, id: NodeId, rng: &mut SmallRng) -> Eval {
        let number = rng.random_range(-3_000..3_000);
        Eval {
            black: rng.random(),
            score: if rng.random_bool(0.5) {
                ScoreText::Cp(number)
            } else {
                ScoreText::Mate(number)
            },
            proven: rng.random(),
            line: game.board(id).unwrap().legal().choose(rng).into_iter().cloned().collect(),
            ms: rng.random_bool(0.7).then(|| rng.random_range(0..1_000_000)),
            nodes: rng.random_bool(0.7).then(|| rng.random()),
        }
    }

    fn random_mark(game: &Game, id: NodeId, rng: &mut SmallRng) -> Mark {
        let kinds = [MarkKind::Thrown, MarkKind::Missed, MarkKind::Mistake, MarkKind::Dubious];
        let before = game.board(game.node(id).unwrap().parent.unwrap()).unwrap();
        Mark {
            kind: *kinds.choose(rng).unwrap(),
            better: before.legal().choose(rng).unwrap().clone(),
            why: "chance".to_owned(),
            loss: rng.random(),
            proven: rng.random(),
        }
    }

    /// Every observable value of a game, without its id.
    fn contents(game: &Game) -> impl PartialEq + std::fmt::Debug + use<> {
        let node = |(id, node): (NodeId, &Node)| {
            (
                id,
                node.parent,
                node.text.clone(),
                node.children.clone(),
                node.ms,
                node.board.view(Language::English),
            )
        };
        (
            (
                game.title.clone(),
                game.seats.clone(),
                game.clock,
                game.head,
                game.state,
                game.verdict.clone(),
            ),
            (game.evals.clone(), game.marks.clone(), game.summary.clone(), game.source.clone()),
            (
                game.begun,
                game.changed,
                game.spent(),
                oshi::game::Player::ALL.map(|player| game.left(player)),
            ),
            game.nodes().into_iter().map(node).collect::<Vec<_>>(),
        )
    }

    fn exported(game: &Game) -> String {
        export(game, None, As::Complete, Language::English).unwrap().text
    }

    fn imported(text: &str) -> Import {
        import(text, "name", Variant::default(), usize::MAX, &Stop::default()).unwrap()
    }

    #[test]
    fn import_of_export_equals_five_hundred_random_games() {
        for seed in 0..500 {
            let game = random_game(seed);
            let Import { games, errors, untold } = imported(&exported(&game));
            let [again] = &games[..] else { panic!("{seed}: {errors:?}") };
            assert_eq!(
                (contents(again), errors, untold),
                (contents(&game), Vec::new(), 0),
                "{seed}"
            );
        }
    }

    #[test]
    fn reads_several_games_and_reports_bad_ones_with_their_lines() {
        let games = [1, 2, 3, 4].map(|seed| {
            let mut game = random_game(seed);
            game.title = format!("game {seed}");
            game
        });
        let [first, second, third, fourth] =
            games.each_ref().map(|game| exported(game).trim().to_owned());
        let value: serde_json::Value = serde_json::from_str(&third).unwrap();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let newer = second.replacen("\"format\":1", "\"format\":2", 1);
        let text = format!(
            "\u{feff}{first}{second}\n\n{pretty}\n{newer}\nnothing\n{fourth}\n{}",
            &first[..first.len() / 2]
        );
        let import = imported(&text);
        let titles: Vec<&str> = import.games.iter().map(|game| game.title.as_str()).collect();
        assert_eq!(titles, ["game 1", "game 2", "game 3", "game 4"]);
        let line = 3 + pretty.lines().count();
        let errors: Vec<(usize, &str)> =
            import.errors.iter().map(|error| (error.line, error.text.as_str())).collect();
        let [(at, format), (after, nothing), (last, cut)] = errors[..] else {
            panic!("{errors:?}")
        };
        assert_eq!((at, format), (line, "unknown format 2; expected format 1"));
        assert!(after == line + 1 && nothing.ends_with("expected a game of dohyo"), "{nothing}");
        assert!(last == line + 3 && cut.contains("EOF"), "{cut}");
    }

    #[test]
    fn refuses_values_out_of_range() {
        let seat = |kind| [Seat { kind, name: String::new() }, Seat::default()];
        let mut game = Game::new(
            GameId::unused(),
            board::start(StartPosition::default()),
            Default::default(),
            None,
        );
        let mut refused = |edit: &dyn Fn(&mut Game), words: &str| {
            let mut edited = read(GameId::unused(), &write(&game).unwrap()).unwrap();
            edit(&mut edited);
            let error = read(GameId::unused(), &write(&edited).unwrap()).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
            game.changed += 1;
        };
        let long = |time| SeatKind::Engine { engine: 0, level: None, movetime: Some(time) };
        refused(&|game| game.seats = seat(long(u64::MAX)), "a time of 18446744073709551615 ms");
        refused(&|game| game.set_clock(Some((u64::MAX, 0))), "a time of");
        refused(
            &|game| game.title = "x".repeat(1_001),
            "a name of 1001 characters; expected at most 1000",
        );
        refused(&|game| game.head = 7, "no position 7 in this game");
        let eval = |black| Eval {
            black,
            score: ScoreText::Cp(0),
            proven: false,
            line: vec![],
            ms: None,
            nodes: None,
        };
        refused(
            &|game| drop(game.evals.insert(ROOT, eval(1.5))),
            "a win probability of 1.5; expected 0 to 1",
        );
    }

    #[test]
    fn reads_files_of_the_first_version() {
        let text = include_str!("../tests/data/first-version.json");
        let Import { games, errors, .. } = imported(text);
        assert_eq!(errors, []);
        let [game] = &games[..] else { panic!("one game") };
        assert_eq!((game.begun, game.head, game.nodes().len()), (None, 3, 5));
        let verdict = game.verdict.as_ref().unwrap();
        assert_eq!(
            (verdict.result, verdict.reason.as_str()),
            (GameScore::BlackWins, "resignation")
        );
        assert_eq!((game.evals[&1].nodes, game.evals[&1].ms), (Some(4_321), Some(1_001)));
    }
}
