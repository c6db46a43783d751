//! Tests of import and export of complete games.

use std::time::Duration;

use basho::sheet::GameScore;
use oshi::games::language::Language;
use oshi::games::{Layout, StartPosition, Variant};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::cancel::CancelToken;
use crate::export::{Format, export};
use crate::game::{By, MarkKind, ROOT, ScoreText};
use crate::import::{Import, ImportOptions, import};

/// A fixed time.
const NOW: Timestamp = Timestamp { unix_ms: 1_700_000_000_000, monotonic: Duration::ZERO };

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
        .then(|| (rng.random_range(1..=MAX_TIME_MS), rng.random_range(0..9_000)));
    let seats = [(); 2].map(|()| Seat { kind: random_kind(&mut rng), name: random_name(&mut rng) });
    let mut game = Game::new(GameId::new(seed), board::start(start), seats, clock, NOW);
    game.begun = rng.random_bool(0.8).then(|| rng.random_range(0..2_000_000_000_000));
    for _ in 0..rng.random_range(0..80) {
        act(&mut game, &mut rng);
    }
    let nodes: Vec<NodeId> = game.nodes().into_iter().map(|(id, _)| id).collect();
    for &id in &nodes {
        if rng.random_bool(0.4) {
            let eval = random_eval(&game, id, &mut rng);
            game.record_eval(id, eval);
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
    let movetime = rng.random_bool(0.5).then(|| rng.random_range(1..=MAX_TIME_MS));
    SeatKind::Engine { engine: rng.random_range(0..4), level, movetime }
}

/// Performs a random action of a player or a viewer.
fn act(game: &mut Game, rng: &mut SmallRng) {
    let nodes: Vec<NodeId> = game.nodes().into_iter().map(|(id, _)| id).collect();
    let somewhere = *nodes.choose(rng).unwrap();
    let at = if rng.random_bool(0.8) { game.head } else { somewhere };
    // A refused action changes nothing.
    match rng.random_range(0..100) {
        0 => drop(game.resign(NOW)),
        1 => game.pause(true, NOW),
        2 => game.pause(false, NOW),
        3..6 => drop(game.take_back(NOW)),
        6 => drop(game.resume_from(somewhere, NOW)),
        7..9 => drop(game.promote(somewhere, NOW)),
        9 => drop(game.prune(somewhere, NOW)),
        10 => game.set_clock(Some((60_000, 1_000)), NOW),
        11 => game.seats.reverse(),
        _ => {
            let legal = game.board(at).unwrap().legal();
            let by = *[By::Person, By::Engine, By::Viewer].choose(rng).unwrap();
            game.set_spent(rng.random_range(0..70_000));
            if let Some(text) = legal.choose(rng) {
                game.play(at, text, by, NOW).unwrap();
            }
        }
    }
}

fn random_eval(game: &Game, id: NodeId, rng: &mut SmallRng) -> Eval {
    let number = rng.random_range(-3_000..3_000);
    Eval {
        black: rng.random(),
        score: if rng.random_bool(0.5) { ScoreText::Cp(number) } else { ScoreText::Mate(number) },
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
            game.spent(NOW),
            oshi::game::Player::ALL.map(|player| game.time_left(player, NOW)),
        ),
        game.nodes().into_iter().map(node).collect::<Vec<_>>(),
    )
}

fn exported(game: &Game) -> String {
    export(game, None, Format::Complete, Language::English, None, NOW).unwrap().text
}

fn imported(text: &str) -> Import {
    let options = ImportOptions {
        title: "name",
        variant: Variant::default(),
        room: usize::MAX,
        now: NOW,
        cancel: CancelToken::default(),
    };
    import(text, &options, &mut || GameId::new(0)).unwrap()
}

#[test]
fn exported_games_import_unchanged() {
    for seed in 0..500 {
        let game = random_game(seed);
        let Import { games, errors, omitted } = imported(&exported(&game));
        let [again] = &games[..] else { panic!("{seed}: {errors:?}") };
        assert_eq!((contents(again), errors, omitted), (contents(&game), Vec::new(), 0), "{seed}");
    }
}

#[test]
fn reports_bad_games_with_their_lines() {
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
    let [(at, format), (after, nothing), (last, cut)] = errors[..] else { panic!("{errors:?}") };
    assert_eq!((at, format), (line, "unknown format 2; expected format 1"));
    assert!(after == line + 1 && nothing.ends_with("expected a game of dohyo"), "{nothing}");
    assert!(last == line + 3 && cut.contains("EOF"), "{cut}");
}

#[test]
fn rejects_values_out_of_range() {
    let seat = |kind| [Seat { kind, name: String::new() }, Seat::default()];
    let mut game = Game::new(
        GameId::new(0),
        board::start(StartPosition::default()),
        Default::default(),
        None,
        NOW,
    );
    let mut assert_rejected = |edit: &dyn Fn(&mut Game), words: &str| {
        let mut edited = read(GameId::new(0), &write(&game, NOW).unwrap()).unwrap();
        edit(&mut edited);
        let error = read(GameId::new(0), &write(&edited, NOW).unwrap()).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
        game.changed += 1;
    };
    let long = |time| SeatKind::Engine { engine: 0, level: None, movetime: Some(time) };
    assert_rejected(&|game| game.seats = seat(long(u64::MAX)), "a time of 18446744073709551615 ms");
    assert_rejected(&|game| game.set_clock(Some((u64::MAX, 0)), NOW), "a time of");
    assert_rejected(
        &|game| game.title = "x".repeat(1_001),
        "a name of 1001 characters; expected at most 1000",
    );
    assert_rejected(&|game| game.head = 7, "no position 7 in this game");
    let eval = |black| Eval {
        black,
        score: ScoreText::Cp(0),
        proven: false,
        line: vec![],
        ms: None,
        nodes: None,
    };
    assert_rejected(
        &|game| drop(game.evals.insert(ROOT, eval(1.5))),
        "a win probability of 1.5; expected 0 to 1",
    );
}

#[test]
fn reads_files_of_the_first_version() {
    let text = include_str!("../../tests/data/first-version.json");
    let Import { games, errors, .. } = imported(text);
    assert_eq!(errors, []);
    let [game] = &games[..] else { panic!("one game") };
    assert_eq!((game.begun, game.head, game.nodes().len()), (None, 3, 5));
    let verdict = game.verdict.as_ref().unwrap();
    assert_eq!((verdict.result, verdict.reason.as_str()), (GameScore::BlackWins, "resignation"));
    assert_eq!((game.evals[&1].nodes, game.evals[&1].ms), (Some(4_321), Some(1_001)));
}
