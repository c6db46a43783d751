//! Score sheets: round trips of random games, and damaged sheets.

mod booklet;
mod errors;

use basho::sheet::{GameError, GameScore, Problem, Seat, Sheet, SheetError, parse};
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};
use oshi::games::{Layout, StartPosition, Variant, Visitor};
use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws a game of random moves from a random start, finished or unfinished.
struct Draw<'a, R>(&'a mut R);

impl<R: Rng> Visitor for Draw<'_, R> {
    type Output = Sheet;

    fn visit<G: Notation>(self, start: G) -> Sheet {
        let rng = self.0;
        let start = if rng.random() { start } else { start.random_start(rng) };
        let max_plies = if rng.random() { usize::MAX } else { rng.random_range(0..300) };
        let mut sheet = Sheet::new(start.to_string());
        let mut position = start;
        while let Some(&mv) =
            position.legal_moves().choose(rng).filter(|_| sheet.moves.len() < max_plies)
        {
            position.play(mv);
            sheet.moves.push(mv.to_string());
        }
        // Sometimes start in the middle of the game.
        if rng.random_range(0..4) == 0 {
            let dropped = rng.random_range(0..=sheet.moves.len());
            let mut position = start;
            for text in sheet.moves.drain(..dropped) {
                position.play(position.parse_move(&text).unwrap());
            }
            sheet.start = position.to_string();
        }
        sheet.result = position.outcome().map_or(GameScore::Unfinished, GameScore::from);
        if sheet.result == GameScore::Unfinished && rng.random() {
            sheet.result = *[GameScore::BlackWins, GameScore::WhiteWins].choose(rng).unwrap();
            sheet.ending = Some("timeout: loses on time: | 0:01 \"late\"".to_owned());
        }
        sheet
    }
}

fn draw(variant: Variant, rng: &mut impl Rng) -> Sheet {
    let mut sheet =
        StartPosition { variant, layout: *Layout::ALL.choose(rng).unwrap(), seed: None }
            .visit(Draw(rng));
    let names = [
        "",
        "oshi-dev",
        "Élodie | \"Black: White\"",
        "\"quoted\"",
        " edge ",
        "two\nlines\\",
        "Score sheet: kamon",
    ];
    sheet.seats = [(); 2].map(|()| Seat {
        name: (*names.choose(rng).unwrap()).to_owned(),
        limit: (*["", "10+0.1", "nodes 2000"].choose(rng).unwrap()).to_owned(),
    });
    sheet.game = rng.random::<bool>().then(|| rng.random());
    sheet.date = rng.random::<bool>().then(|| "2031-05-17".to_owned());
    sheet
}

fn notations() -> impl Iterator<Item = (Form, Language)> + Clone {
    Form::ALL
        .iter()
        .copied()
        .flat_map(|form| Language::ALL.iter().map(move |&language| (form, language)))
}

fn print(sheet: &Sheet, form: Form, language: Language) -> String {
    sheet.print(form, language).unwrap_or_else(|error| panic!("{error} in {sheet:?}"))
}

fn read(text: &str) -> Result<Sheet, SheetError> {
    let mut sheets = parse(text.as_bytes());
    assert_eq!(sheets.len(), 1, "{text}");
    sheets.remove(0).1
}

/// Round-trips the first sheet of each variant in every notation, and each other one in the next
/// notation.
fn assert_round_trips(games: usize, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut notation = notations().cycle();
    for &variant in Variant::ALL {
        for game in 0..games {
            let sheet = draw(variant, &mut rng);
            for (form, language) in
                notation.by_ref().take(if game == 0 { notations().count() } else { 1 })
            {
                let text = print(&sheet, form, language);
                assert_eq!(read(&text).as_ref(), Ok(&sheet), "{text}");
            }
        }
    }
}

#[test]
fn round_trips_every_sheet() {
    assert_round_trips(400, 1);
}

/// Pairs of the words of earlier versions and the present words.
const OLD_WORDS: [(Language, &[(&str, &str)]); 3] = [
    (
        Language::French,
        &[
            ("blocage", "impasse totale"),
            ("Double Sumo", "Double-Sumo"),
            ("Triple Sumo", "Triple-Sumo"),
            ("Placement Gauche", "Placement de gauche à droite"),
            ("Placement Droite", "Placement de droite à gauche"),
            ("gagne le match", "gagne la partie"),
            ("gagne par connexion", "gagne : deux bords rejoints"),
            ("Égalité", "Match nul"),
        ],
    ),
    (
        Language::German,
        &[
            ("Violett", "Lila"),
            ("Blockade", "Stillstand"),
            ("vierter Zahn", "Vierfach-Sumo"),
            ("Aufstellung Links", "Von links besetzen"),
            ("Aufstellung Rechts", "Von rechts besetzen"),
        ],
    ),
    // With a cedilla instead of a comma below.
    (Language::Romanian, &[("ş", "ș"), ("ţ", "ț")]),
];

#[test]
fn accepts_words_of_earlier_versions() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (language, words) in OLD_WORDS {
        let mut untried: Vec<&str> = words.iter().map(|&(_, word)| word).collect();
        for &variant in Variant::ALL.iter().cycle().take(100) {
            let sheet = draw(variant, &mut rng);
            let text = print(&sheet, Form::Words, language);
            untried.retain(|word| !text.contains(word));
            let old = words.iter().fold(text, |text, (old, word)| text.replace(word, old));
            assert_eq!(read(&old).as_ref(), Ok(&sheet), "{old}");
        }
        // Draws and fourth teeth are too rare in random games.
        untried.retain(|word| !["Match nul", "Vierfach-Sumo", "ţ", "ț"].contains(word));
        assert_eq!(untried, Vec::<&str>::new(), "not tried in {language:?}");
    }
}

#[test]
#[ignore = "10,000 matches per variant"]
fn round_trips_ten_thousand_sheets_per_variant() {
    assert_round_trips(10_000, 2);
}

#[test]
fn parses_many_sheets_in_mixed_languages() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let sheets: Vec<Sheet> = Variant::ALL
        .iter()
        .copied()
        .cycle()
        .take(20)
        .map(|variant| draw(variant, &mut rng))
        .collect();
    let texts = sheets
        .iter()
        .zip(notations().cycle())
        .map(|(sheet, (form, language))| print(sheet, form, language));
    let text = texts.collect::<Vec<_>>().join("\n\n");
    let read: Vec<Sheet> =
        parse(text.as_bytes()).into_iter().map(|(_, sheet)| sheet.unwrap()).collect();
    assert_eq!(read, sheets);
}

/// The plies of a sheet, with their lines counted from 0.
fn plies(text: &str) -> Vec<(usize, String)> {
    let rows = text.lines().enumerate().filter_map(|(line, row)| {
        let (number, cells) = row.split_once('|')?;
        number.trim().parse::<u32>().ok()?;
        Some(
            cells
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .filter(|cell| !cell.is_empty())
                .map(move |cell| (line, cell)),
        )
    });
    rows.flatten().collect()
}

/// The ply with another landing colour, or another symbol of the token in Kamon. `at` chooses the
/// tower if an oshi moves several.
fn with_other_landing(
    ply: &str,
    game: Variant,
    form: Form,
    language: Language,
    at: prop::sample::Index,
    by: usize,
) -> Option<String> {
    let letters = |letters: &str| letters.chars().map(String::from).collect::<Vec<_>>();
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let landings = match (game, form) {
        (Variant::Kamon, Form::Words) => texts(&language.terms().kamon.symbols),
        (Variant::Kamon, Form::Symbols) => letters("123456"),
        (_, Form::Words) => texts(&language.terms().kamisado.colours),
        (_, Form::Symbols) => letters("BGRYPVLO"),
    };
    let mut parts: Vec<String> = ply.split(',').map(str::to_owned).collect();
    let at = at.index(parts.len());
    let landing = landings.iter().position(|landing| parts[at].ends_with(landing.as_str()))?;
    let stem = parts[at].strip_suffix(landings[landing].as_str())?;
    parts[at] = format!("{stem}{}", landings[(landing + by) % landings.len()]);
    Some(parts.join(","))
}

fn notation() -> impl Strategy<Value = (Form, Language)> {
    prop::sample::select(notations().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn names_ply_of_wrong_landing_colour(
        seed: u64, variant in prop::sample::select(Variant::ALL), (form, language) in notation(),
        at: prop::sample::Index, by in 1..6usize,
    ) {
        let sheet = draw(variant, &mut ChaCha8Rng::seed_from_u64(seed));
        let text = print(&sheet, form, language);
        let plies = plies(&text);
        prop_assume!(!plies.is_empty());
        let index = at.index(plies.len());
        let (line, ply) = &plies[index];
        let Some(wrong) = with_other_landing(ply, variant, form, language, at, by) else {
            // A refill has no landing colour.
            return Ok(());
        };
        let is_second = plies.get(index.wrapping_sub(1)).is_some_and(|(before, _)| before == line);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let row = &lines[*line];
        let at = if is_second { row.rfind(ply.as_str()) } else { row.find(ply.as_str()) };
        lines[*line].replace_range(at.unwrap()..at.unwrap() + ply.len(), &wrong);
        let error = read(&lines.join("\n")).unwrap_err();
        prop_assert_eq!(error.line, line + 1);
        let Problem::Ply { ply: number, found, expected, .. } = &error.problem else {
            panic!("{error}")
        };
        prop_assert_eq!((*number, found), (index + 1, &oshi::game::quote(&wrong)));
        prop_assert_eq!(expected, &format!("`{ply}`"), "{}", error);
    }

    #[test]
    fn parses_damaged_sheets_without_illegal_games(
        seed: u64, variant in 0..5usize, (form, language) in notation(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..8),
    ) {
        let sheet = draw(Variant::ALL[variant], &mut ChaCha8Rng::seed_from_u64(seed));
        let mut bytes = print(&sheet, form, language).into_bytes();
        for (at, byte, edit) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        for (_, sheet) in parse(&bytes) {
            match sheet {
                Ok(sheet) => prop_assert!(sheet.check().is_ok()),
                Err(error) => prop_assert!(error.line >= 1 && !error.to_string().contains('\n')),
            }
        }
    }

    #[test]
    fn parses_prefix_as_shorter_game(seed: u64, variant in 0..5usize, at: prop::sample::Index) {
        let sheet = draw(Variant::ALL[variant], &mut ChaCha8Rng::seed_from_u64(seed));
        let text = print(&sheet, Form::Words, Language::English);
        let lines: Vec<&str> = text.lines().collect();
        let cut = lines[..at.index(lines.len()) + 1].join("\n");
        match read(&cut) {
            Ok(read) => prop_assert!(sheet.moves.starts_with(&read.moves)),
            Err(SheetError { problem: Problem::Game(GameError::NotOver { plies, .. }), .. }) => {
                prop_assert!(plies <= sheet.moves.len());
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn prints_kamon_by_cells_and_tokens() {
    let start = oshi::games::kamon::Kamon::START.to_owned();
    let sheet = Sheet::of_moves(start, vec!["b1".to_owned()]).unwrap();
    let words = print(&sheet, Form::Words, Language::German);
    assert!(words.contains("  1 | b1 Blau Fächer |"), "{words}");
    assert!(print(&sheet, Form::Symbols, Language::German).contains("  1 | b1l4"));
    let wrong = words.replacen("Blau Fächer", "Blau Tor", 1);
    assert_eq!(
        read(&wrong).unwrap_err().to_string(),
        "8: ply 1 of Black, `b1 Blau Tor`, does not fit; expected `b1 Blau Fächer`"
    );
}

#[test]
fn parses_sheet_of_the_document() {
    let document = include_str!("../../../docs/tournaments.md");
    let example =
        document.split("```").find(|block| block.starts_with("text\nScore sheet")).unwrap();
    let example = example.trim_start_matches("text\n");
    let sheet = read(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&sheet, Form::Words, Language::English), example);
    let moves = format!("position fen {} moves {}\n", sheet.start, sheet.moves.join(" "));
    assert!(document.contains(&moves), "{moves}");
}
