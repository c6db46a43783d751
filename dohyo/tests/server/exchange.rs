//! Import and export: games survive unchanged, and errors name their line.

use std::collections::BTreeMap;

use basho::record::{GameRecord, OpeningRecord, PlayedMove, PlayerRecord, Reason, RecordFormat};
use basho::records::convert::{Target, print};
use basho::sheet::{Seat, Sheet};
use oshi::games::language::Language;
use oshi::games::notation::Form;
use oshi::games::notation::Notation;
use oshi::games::{Layout, StartPosition, Variant, Visitor};
use serde_json::{Value, json};

use crate::move_lists;
use crate::support::{Rng, Server, Tab, person};

/// Plays random moves from a start. Some games stop before their end.
struct RandomGame<'a>(&'a mut Rng);

impl Visitor for RandomGame<'_> {
    type Output = Sheet;

    fn visit<G: Notation>(self, start: G) -> Sheet {
        let (mut position, mut moves) = (start, Vec::new());
        while position.outcome().is_none() && (moves.len() < 20 || !self.0.below(40).eq(&0)) {
            let legal = position.legal_moves();
            let mv = legal[self.0.below(legal.len())];
            moves.push(mv.to_string());
            position.play(mv);
        }
        Sheet::of_moves(start.to_string(), moves).unwrap()
    }
}

/// Returns random game `number`, of all variants and layouts in turn.
fn sheet(number: u64, rng: &mut Rng) -> Sheet {
    let index = number as usize;
    let variant = Variant::ALL[index % Variant::ALL.len()];
    let layout = Layout::ALL[index / Variant::ALL.len() % Layout::ALL.len()];
    let start = StartPosition { variant, layout, seed: Some(number) };
    let mut sheet = start.visit(RandomGame(rng));
    sheet.game = Some(number);
    sheet.date = Some("2026-11-22".to_owned());
    sheet.seats = ["<b>Ann</b>", "Böb & \"Co\""]
        .map(|name| Seat { name: name.to_owned(), limit: "8+0.08".to_owned() });
    sheet
}

/// Returns a record with every field that basho writes.
fn record(sheet: &Sheet, number: u64) -> String {
    let player = |seat: &Seat| PlayerRecord {
        name: seat.name.clone(),
        limit: seat.limit.clone(),
        seed: Some(number),
        options: BTreeMap::from([("Hash".to_owned(), "16".to_owned())]),
    };
    let played = |text: &String| PlayedMove {
        text: text.clone(),
        ms: Some(12.5),
        nodes: Some(321),
        score: Some("cp -17".to_owned()),
        overrun_ms: None,
        cpu_ms: Some(11.0),
    };
    let (opening, moves) = sheet.moves.split_at(sheet.moves.len().min(4));
    let is_over = sheet.result != basho::sheet::GameScore::Unfinished;
    serde_json::to_string(&GameRecord {
        format: RecordFormat,
        game: number,
        pair: number.div_ceil(2),
        round: number.div_ceil(2),
        black: player(&sheet.seats[0]),
        white: player(&sheet.seats[1]),
        date: None,
        opening: OpeningRecord { start: sheet.start.clone(), moves: opening.to_vec() },
        moves: moves.iter().map(played).collect(),
        result: sheet.result,
        reason: if is_over { Reason::Normal } else { Reason::Interrupted },
        detail: "as it happened".to_owned(),
        stderr_tail: Default::default(),
        replayed: vec![],
    })
    .unwrap()
}

/// Imports a text and exports every game in a form.
fn round_trip(tab: &mut Tab, text: &str, form: &str) -> Vec<String> {
    let imported = tab.ask(json!({"do": "import", "text": text, "name": "archive"}));
    assert_eq!((&imported["is"], &imported["errors"]), (&json!("imported"), &json!([])));
    let export = |id: &Value| {
        let exported = tab.ask(json!({"do": "export", "game": id, "as": form}));
        exported["text"].as_str().unwrap().trim_end().to_owned()
    };
    imported["games"].as_array().unwrap().iter().map(export).collect()
}

#[test]
fn exports_a_thousand_imported_games_unchanged() {
    let server = Server::start(&[]);
    let mut rng = Rng(3);
    let sheets: Vec<Sheet> = (1..=100).map(|number| sheet(number, &mut rng)).collect();
    let print_all = |target| -> Vec<String> {
        (1..).zip(&sheets).map(|(number, sheet)| print(sheet, number, target).unwrap()).collect()
    };
    let mut count = 0;
    for &language in Language::ALL {
        let mut tab = server.tab_in(language.code());
        for (form, name) in [(Form::Words, "sheet"), (Form::Symbols, "symbols")] {
            let texts = print_all(Target::Sheet(form, language));
            assert_eq!(
                round_trip(&mut tab, &(texts.join("\n\n") + "\n"), name),
                texts,
                "{language:?} {form:?}"
            );
            count += texts.len();
        }
    }
    let mut tab = server.tab();
    let texts: Vec<String> =
        (1..).zip(&sheets).map(|(number, sheet)| record(sheet, number)).collect();
    assert_eq!(round_trip(&mut tab, &texts.join("\n"), "record"), texts);
    let moves = print_all(Target::Moves);
    assert_eq!(round_trip(&mut tab, &moves.join("\n"), "moves"), moves);
    count += texts.len() + moves.len();
    assert_eq!(count, 1000);
    // Imported games are stored.
    let server = Server::start_in(server.kill(), &[]);
    assert_eq!(server.tab().games["games"].as_array().unwrap().len(), 1000);
}

#[test]
fn record_without_start_gets_a_variant_that_fits() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    for &variant in Variant::ALL {
        // Some random games reach their end.
        let mut sheets = (0..).map(|seed| variant.start().visit(RandomGame(&mut Rng(seed))));
        let mut played =
            sheets.find(|sheet| sheet.result != basho::sheet::GameScore::Unfinished).unwrap();
        played.start = "startpos".to_owned();
        let imported = tab.ask(json!({"do": "import", "text": record(&played, 1)}));
        assert_eq!(imported["errors"], json!([]), "{variant:?}");
        let game = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
        assert_eq!(game["variant"], variant.name());
    }
}

#[test]
fn import_reports_line_and_reason_of_faulty_games() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-standard", [person(), person()]);
    let text = "position startpos moves a1a5\n\n# a remark\nposition startpos moves a1a5 a5a1\n\
        position fen 8/8 b - 0-0 3\nb1b6\nposition random 7\n";
    let imported = tab.ask(json!({"do": "import", "text": text}));
    // The plies before the fault of the second game are kept.
    assert_eq!(imported["games"].as_array().unwrap().len(), 3);
    let errors = imported["errors"].as_array().unwrap();
    let lines: Vec<&Value> = errors.iter().map(|error| &error["line"]).collect();
    assert_eq!(lines, [4, 5, 7]);
    for (error, words) in errors.iter().zip([
        "ply 2: illegal move `a5a1`",
        "ranks, expected 8",
        "is not reproducible",
    ]) {
        assert!(error["text"].as_str().unwrap().contains(words), "{error}");
    }
    let record = record(&sheet(1, &mut Rng(1)), 1);
    for (text, words) in [
        (record[..record.len() / 2].to_owned(), "the record is cut short"),
        (record.replace("\"format\":1", "\"format\":9"), "unknown format 9; expected format 1"),
        ("Score sheet: go\n".to_owned(), "unknown variant `go`"),
        ("\u{1}\u{2}".repeat(50), "this is binary data; expected"),
    ] {
        let imported = tab.ask(json!({"do": "import", "text": text}));
        assert_eq!(
            (&imported["games"], &imported["errors"][0]["line"]),
            (&json!([]), &json!(1)),
            "{imported}"
        );
        assert!(imported["errors"][0]["text"].as_str().unwrap().contains(words), "{imported}");
    }
    let (node, _) = tab.play(&game, &game["nodes"][0], "a1a5");
    assert_eq!(node["id"], 1, "the game on the board is unchanged");
    let imported = tab.ask(json!({"do": "import", "text": "x y z\n".repeat(1_234)}));
    assert_eq!(
        (imported["errors"].as_array().unwrap().len(), &imported["untold"]),
        (1_000, &json!(234))
    );
}

#[test]
fn every_format_keeps_a_resignation() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamisado-standard", [person(), person()]);
    tab.play(&game, &game["nodes"][0], "a1a5");
    tab.ask(json!({"do": "resign", "game": game["id"]}));
    for form in ["record", "sheet", "symbols"] {
        let text = tab.ask(json!({"do": "export", "game": game["id"], "as": form}))["text"].clone();
        let imported = tab.ask(json!({"do": "import", "text": text}));
        assert_eq!(imported["errors"], json!([]), "{form}: {text}");
        let again = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
        let end = [&again["state"], &again["result"], &again["reason"], &again["nodes"][1]["move"]];
        assert_eq!(end, ["over", "1-0", "resignation", "a1a5"], "{form}: {text}");
        assert_eq!(tab.ask(json!({"do": "export", "game": again["id"], "as": form}))["text"], text);
    }
}

#[test]
fn resumed_import_forgets_its_source() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let mut unfinished = sheet(1, &mut Rng(1));
    (unfinished.moves, unfinished.result) =
        (unfinished.moves[..2].to_vec(), basho::sheet::GameScore::Unfinished);
    let text = record(&unfinished, 1);
    let imported = tab.ask(json!({"do": "import", "text": text}));
    let game = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
    let id = &game["id"];
    assert_eq!((&imported["errors"], &game["head"]), (&json!([]), &json!(2)));
    tab.ask(json!({"do": "goon", "game": id, "node": 2}));
    tab.ask(json!({"do": "resign", "game": id}));
    for form in ["record", "sheet", "symbols"] {
        let text = tab.ask(json!({"do": "export", "game": id, "as": form}))["text"].clone();
        let imported = tab.ask(json!({"do": "import", "text": text}));
        assert_eq!(imported["errors"], json!([]), "{form}: {text}");
        let again = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
        assert_eq!(
            [&again["state"], &again["reason"], &again["head"]],
            [&json!("over"), &json!("resignation"), &json!(2)],
            "{form}"
        );
    }
}

#[test]
fn ending_is_named_in_the_language_of_the_tab() {
    let server = Server::start(&[]);
    // One game for each kind of ending by the rules.
    let ended = |variant: Variant| {
        let start = StartPosition { variant, ..Variant::default().start() };
        let sheet = (1..).map(|seed| start.visit(RandomGame(&mut Rng(seed))));
        sheet.into_iter().find(|sheet| sheet.result != basho::sheet::GameScore::Unfinished).unwrap()
    };
    let [kamisado, kamon] = ["kamisado-simple", "kamon"].map(|name| ended(name.parse().unwrap()));
    for &language in Language::ALL {
        let mut tab = server.tab_in(language.code());
        let terms = language.terms();
        for (sheet, hows) in [(&kamisado, &terms.kamisado.hows[..]), (&kamon, &terms.kamon.hows)] {
            let text = print(sheet, 1, Target::Moves).unwrap();
            tab.send(json!({"do": "import", "text": text}));
            let game = tab.until(|message| message["is"] == "game");
            let how = game["nodes"].as_array().unwrap().last().unwrap()["end"]["how"].clone();
            assert!(hows.iter().any(|known| how == *known), "{language:?}: {how}");
        }
    }
}

#[test]
fn import_shortens_long_names() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let mut sheet = sheet(1, &mut Rng(1));
    sheet.seats[0].name = "Ö".repeat(100_000);
    let text = print(&sheet, 1, Target::Sheet(Form::Words, Language::English)).unwrap();
    tab.send(json!({"do": "import", "text": text, "name": "n".repeat(100_000)}));
    let game = tab.until(|message| message["is"] == "game");
    assert_eq!(game["players"][0]["name"], "Ö".repeat(200) + "…");
    assert_eq!(game["title"], "n".repeat(200) + "… 1");
}

#[test]
fn import_keeps_times_and_scores_of_a_record() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let text = record(&sheet(2, &mut Rng(5)), 2);
    tab.send(json!({"do": "import", "text": text, "name": "match"}));
    let game = tab.until(|message| message["is"] == "game");
    assert_eq!([&game["title"], &game["players"][0]["name"]], ["match 2", "<b>Ann</b>"]);
    assert_eq!(
        (&game["nodes"][5]["ms"], &game["nodes"][4].get("ms")),
        (&json!(12), &None),
        "the opening took no time"
    );
    let eval = &game["evals"]["4"];
    assert_eq!((&eval["score"], &eval["nodes"]), (&json!({"cp": -17}), &json!(321)));
    let mover_is_black = game["nodes"][4]["turn"] == 0;
    assert_eq!(eval["black"].as_f64().unwrap() < 0.5, mover_is_black);
}

#[test]
fn exports_a_position_as_line_and_picture() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let game = tab.new_game("kamon", [person(), person()]);
    let (node, _) = tab.play(&game, &game["nodes"][0], "g2");
    let mut export =
        |form: &str| tab.ask(json!({"do": "export", "game": game["id"], "node": 1, "as": form}));
    let line = export("position");
    assert_eq!(line["text"].as_str().unwrap().trim_end(), node["line"]);
    let picture = export("svg");
    assert_eq!(picture["mime"], "image/svg+xml");
    assert!(picture["text"].as_str().unwrap().starts_with("<svg"));
    let imported = tab.ask(json!({"do": "import", "text": line["text"]}));
    let again = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
    assert_eq!(again["start"], node["line"]);
}

#[test]
fn imports_move_lists_and_names_their_faults() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    for case in move_lists::cases() {
        let imported =
            tab.ask(json!({"do": "import", "text": case.text, "variant": case.variant.name()}));
        let errors = imported["errors"].as_array().unwrap();
        assert_eq!(errors.len(), case.faults.len(), "{}: {imported}", case.name);
        for (error, (line, message)) in errors.iter().zip(&case.faults) {
            assert_eq!(&error["line"], line, "{}: {imported}", case.name);
            assert!(
                error["text"].as_str().unwrap().contains(message.as_str()),
                "{}: {imported}",
                case.name
            );
        }
        let games = imported["games"].as_array().unwrap();
        assert_eq!(games.len(), case.games.len(), "{}: {imported}", case.name);
        for (game, plies) in games.iter().zip(&case.games) {
            let text = tab.ask(json!({"do": "export", "game": game, "as": "moves"}))["text"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(text.trim_end().ends_with(plies.as_str()), "{}: {text}", case.name);
        }
    }
}

#[test]
fn imports_boardspace_games_with_names_and_results() {
    let server = Server::start(&[]);
    let mut tab = server.tab();
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../basho/tests/data/boardspace");
    for (name, moves, result, reason) in [
        ("sample", "a1a5 d8d4", "1-0", "Game won by alpha"),
        ("resignation", "a1a5", "1-0", "resignation"),
        ("time", "a1a5 d8d4", "0-1", "time"),
        ("bare-done-passes", "b1h7 c8h3 0000 h3h2 c1c8", "1-0", "rules"),
    ] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("sgf")).unwrap();
        let imported = tab.ask(json!({"do": "import", "text": text, "name": name}));
        assert_eq!(imported["errors"], json!([]), "{name}");
        let game = tab.ask(json!({"do": "open", "game": imported["games"][0]}));
        let names = [&game["players"][0]["name"], &game["players"][1]["name"]];
        assert_eq!(
            (names, &game["variant"]),
            ([&json!("alpha"), &json!("beta")], &json!("kamisado-simple")),
            "{name}"
        );
        assert_eq!([&game["result"], &game["reason"]], [result, reason], "{name}");
        let text = tab.ask(json!({"do": "export", "game": game["id"], "as": "moves"}))["text"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(text.trim_end().ends_with(moves), "{text}");
    }
}
