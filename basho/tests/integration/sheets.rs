//! Score sheets: what is printed is read back, and a mistake is found where it is.

use basho::sheet::{GameError, GameScore, Problem, Seat, Sheet, SheetError, parse};
use oshi::game::Player;
use oshi::games::language::Language;
use oshi::games::notation::{Form, Notation};
use oshi::games::{Layout, StartPosition, Variant, Visitor};
use proptest::prelude::*;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A game of random moves from a random start, played out or broken off.
struct Draw<'a, R>(&'a mut R);

impl<R: Rng> Visitor for Draw<'_, R> {
    type Output = Sheet;

    fn visit<G: Notation>(self, start: G) -> Sheet {
        let rng = self.0;
        let start = if rng.random() { start } else { start.random_start(rng) };
        let most = if rng.random() { usize::MAX } else { rng.random_range(0..300) };
        let mut sheet = Sheet::new(start.to_string());
        let mut position = start;
        while let Some(&mv) =
            position.legal_moves().choose(rng).filter(|_| sheet.moves.len() < most)
        {
            position.play(mv);
            sheet.moves.push(mv.to_string());
        }
        // Sometimes from the middle of a game.
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

/// The first sheet in every notation, each other one in the next.
fn assert_read_back(games: usize, seed: u64) {
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
    assert_read_back(2_000, 1);
}

/// What sheets of earlier versions say, and what they say today.
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
    // With a cedilla.
    (Language::Romanian, &[("ş", "ș"), ("ţ", "ț")]),
];

#[test]
fn accepts_words_of_earlier_versions() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (language, words) in OLD_WORDS {
        let mut unseen: Vec<&str> = words.iter().map(|&(_, word)| word).collect();
        for &variant in Variant::ALL.iter().cycle().take(500) {
            let sheet = draw(variant, &mut rng);
            let text = print(&sheet, Form::Words, language);
            unseen.retain(|word| !text.contains(word));
            let old = words.iter().fold(text, |text, (old, word)| text.replace(word, old));
            assert_eq!(read(&old).as_ref(), Ok(&sheet), "{old}");
        }
        // Draws and fourth teeth are rare at random.
        unseen.retain(|word| !["Match nul", "Vierfach-Sumo", "ţ", "ț"].contains(word));
        assert_eq!(unseen, Vec::<&str>::new(), "never tried in {language:?}");
    }
}

#[test]
#[ignore = "10,000 matches of each variant"]
fn round_trips_ten_thousand_sheets_per_variant() {
    assert_read_back(10_000, 2);
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

/// The plies of a sheet: the line each stands on, from 0, and its text.
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

/// The ply with another colour in the place of the one that a tower lands on, or another symbol for the token of Kamon. `at` is
/// which one, where an oshi moves several towers.
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
            // A refill lands nowhere.
            return Ok(());
        };
        let is_second = plies.get(index.wrapping_sub(1)).is_some_and(|(before, _)| before == line);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = if is_second { lines[*line].rfind(ply.as_str()) } else { lines[*line].find(ply.as_str()) };
        lines[*line].replace_range(at.unwrap()..at.unwrap() + ply.len(), &wrong);
        let error = read(&lines.join("\n")).unwrap_err();
        prop_assert_eq!(error.line, line + 1);
        let Problem::Ply { ply: number, found, expected, .. } = &error.problem else { panic!("{error}") };
        prop_assert_eq!((*number, found), (index + 1, &oshi::game::quote(&wrong)));
        prop_assert_eq!(expected, &format!("`{ply}`"), "{}", error);
    }

    #[test]
    fn parses_damaged_sheets_without_illegal_games(
        seed: u64, variant in 0..5usize, (form, language) in notation(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..8),
    ) {
        let mut bytes = print(&draw(Variant::ALL[variant], &mut ChaCha8Rng::seed_from_u64(seed)), form, language).into_bytes();
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

/// The rows and words under the headers of a game from this position.
fn body(start: &str, moves: &str, form: Form) -> String {
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    let sheet = Sheet::of_moves(start.to_owned(), moves).unwrap();
    let text = print(&sheet, form, Language::English);
    assert_eq!(read(&text).as_ref(), Ok(&sheet));
    text.split_once("\n\n").unwrap().1.to_owned()
}

#[test]
fn prints_refill_before_next_round() {
    let line = "3L3B/1v6/6l1/2O5/b3PR1o/1Y1p4/6GV/g1r2y2 w v 0-0 3";
    let left = "\
Round 1, 0-0
    | Black | White
  1 |       | Violet Ahead 1 Orange

White wins the round, far row: Violet, Sumo, +1, 0-1
  2 |       | Refill Left

Round 2, 0-1
Black: G R Y P B O L V
White: B L O R P Y G +V
    | Black | White

To be continued
";
    assert_eq!(body(line, "h2h1 left", Form::Words), left);
    let right = body(line, "h2h1 right", Form::Symbols);
    assert!(
        right.contains(
            "  2 |       | →\n\nRound 2, 0-1\nBlack: V L B O P G R Y\nWhite: +V G Y R P O B L\n"
        ),
        "{right}"
    );
}

#[test]
fn prints_each_pass_of_a_chain() {
    let line = "O1VPYL1B/8/8/8/Gg6/yR6/8/b1r1pvlo b p 0-0 1";
    let expected = "\
Round 1, 0-0
    | Black | White
  1 | P↑1G  | G0Y
  2 | Y0L   | L↑1Y
  3 | Y0L   |

To be continued
";
    assert_eq!(body(line, "e1e2 0000 0000 f8f7 0000", Form::Symbols), expected);
    assert!(
        body(line, "e1e2 0000", Form::Words)
            .contains("  1 | Pink Ahead 1 Green | Green 0 Yellow\n")
    );
}

#[test]
fn prints_tower_that_wins_by_deadlock() {
    let expected = "\
Round 1, 0-0
    | Black             | White
  1 | Green Ahead 1 Red |

White wins the round, deadlock: Red, Sumo, +1, 0-1
";
    assert!(
        body("OLVPY1GB/8/8/8/8/6lR/6o1/b1rypv1g b g 0-0 3", "h1h2", Form::Words)
            .starts_with(expected)
    );
}

#[test]
fn prints_each_pushed_tower_and_extra_turn() {
    let line = "+O+L2YRG1/8/8/6B1/3+V4/3P3+r/3++o4/+bg1ypvl1 b o 5-3 7";
    let expected = "\
Round 1, 5-3
    | Black                                                          | White
  1 | Orange Ahead 1 Violet, Pink Back 1 Brown, Violet Back 1 Orange |
  2 | Orange Ahead 1 Brown, Pink Back 1 Orange, Violet Back 1 Red    |
  3 | Red Ahead 5 Brown                                              |

Black wins the round, far row: Red, Double Sumo, +2, 7-3
Black wins the match, 7-3
";
    assert_eq!(body(line, "d2d3 d3d4 h3h8", Form::Words), expected);
    assert!(body(line, "d2d3", Form::Symbols).contains("  1 | O↑1V,P↓1B,V↓1O |\n"));
}

#[test]
fn prints_fourth_tooth_of_marathon() {
    let line = "OLV1Y+R+GB/3+++g4/8/+++P7/8/8/8/++b1++r+ypvlo b g 14-9 15";
    let expected = "Black wins the round, far row: Green, fourth tooth, +8, 22-9\nBlack wins the match, 22-9\n";
    assert!(body(line, "d7d8", Form::Words).ends_with(expected));
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

const SHEET: &str = "\
Score sheet: kamisado-simple
Black: Anna
White: Ben
Start: OLVPYRGB/8/8/8/8/8/8/bgrypvlo b - 0-0 1
Result: *

Round 1, 0-0
Black: B G R Y P V L O
White: B G R Y P V L O
    | Black               | White
  1 | Brown Ahead 3 Yellow | Yellow Ahead 1 Blue

To be continued
";

fn refused(from: &str, to: &str) -> String {
    assert!(SHEET.contains(from), "{from}");
    read(&SHEET.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn accepts_sheet_without_derived_lines() {
    let whole = read(SHEET).unwrap();
    assert_eq!(whole.moves, ["a1a4", "e8e7"]);
    let short =
        "SCORE SHEET:kamisado-simple\r\nblack:Anna\nWhite:  Ben\n\n1|brown  ahead 3 YELLOW|y↑1l";
    assert_eq!(read(short).as_ref(), Ok(&whole));
    assert_eq!(read(&SHEET.replace("Result: *\n", "")).as_ref(), Ok(&whole));
    let sent_by_phone = SHEET.replace("Yellow Ahead 1 Blue", "Y↑\u{fe0f}1L");
    assert_eq!(read(&sent_by_phone).as_ref(), Ok(&whole));
}

#[test]
fn continues_unfinished_sheet() {
    let text = format!("{SHEET}  2 | L↑5Y |\n");
    assert_eq!(read(&text).unwrap().moves, ["a1a4", "e8e7", "g1g6"]);
}

#[test]
fn rejects_wrong_derived_lines() {
    assert_eq!(
        refused("Black: B G", "Black: G B"),
        "8: `Black: G B R Y P V L O` does not fit; expected `Black: B G R Y P V L O` or a row `NUMBER | BLACK'S PLY | WHITE'S PLY`"
    );
    assert!(
        refused("1, 0-0", "1, 0-1")
            .starts_with("7: `Round 1, 0-1` does not fit; expected `Round 1, 0-0` or a row")
    );
    assert!(refused("To be continued", "White wins the match, 0-1").starts_with(
        "13: `White wins the match, 0-1` does not fit; expected `To be continued` or a row"
    ));
}

#[test]
fn names_wrong_ply_and_expected_one() {
    assert_eq!(
        refused("Yellow Ahead 1 Blue", "Yellow Ahead 1 Pink"),
        "11: ply 2 of White, `Yellow Ahead 1 Pink`, does not fit; expected `Yellow Ahead 1 Blue`"
    );
    assert!(
        refused("Brown Ahead 3", "Brown Ahead 7")
            .starts_with("11: ply 1 of Black, `Brown Ahead 7 Yellow`, does not fit;")
    );
    let nonsense = refused("Brown Ahead 3 Yellow", "1-0");
    assert!(
        nonsense.contains("`1-0`, does not fit; expected `B↑1V`, ")
            && nonsense.ends_with(" or one of 94 others"),
        "{nonsense}"
    );
    assert_eq!(
        refused("Brown Ahead 3 Yellow |", " | Brown Ahead 3 Yellow; "),
        "11: ply 1, `Brown Ahead 3 Yellow;  Yellow Ahead 1 Bl...`, is in White's column; expected a ply of Black"
    );
}

#[test]
fn rejects_malformed_rows() {
    assert!(refused("  1 |", "  x |").starts_with("11: `x | Brown Ahead 3 Yellow"));
    assert!(
        refused("Yellow Ahead 1 Blue", "Yellow Ahead 1 Blue | Y")
            .contains("is not a row of plies; expected a row `NUMBER |")
    );
}

#[test]
fn rejects_ply_after_end_of_game() {
    let won = Sheet::of_moves(
        "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1".to_owned(),
        vec!["e4e8".to_owned()],
    )
    .unwrap();
    let text = format!("{}  2 | | Y↑1P\n", print(&won, Form::Words, Language::English));
    assert_eq!(
        read(&text).unwrap_err().to_string(),
        "13: ply 2, `Y↑1P`, comes after the end of the game"
    );
}

#[test]
fn rejects_invalid_headers() {
    assert!(refused("Score sheet", "Score").starts_with(
        "1: `Score: kamisado-simple` is not a title; expected `Score sheet: VARIANT` or `"
    ));
    assert!(
        refused("sheet: kamisado-simple", "sheet: chess")
            .starts_with("1: unknown variant `chess`; expected one of kamisado-simple")
    );
    assert_eq!(
        refused("kamisado-simple", "kamon"),
        "4: the start is a position of kamisado-simple; expected kamon as in the title"
    );
    assert!(
        refused("Black: Anna", "Blakc: Anna")
            .starts_with("2: `Blakc: Anna` is not a header; expected one of Game, Date, Black")
    );
    assert_eq!(refused("White: Ben", "Black: Ben"), "3: the header `Black` is repeated");
    assert_eq!(
        refused("Result: *", "Result: 2-0"),
        "5: Result: `2-0`; expected 1-0, 0-1, 1/2-1/2 or *"
    );
    assert_eq!(refused("Black: Anna", "Game: one"), "2: Game: `one`; expected a number");
    assert!(
        refused("Black: Anna", "Black: \"Anna")
            .starts_with("2: Black: `\\\"Anna`; expected a text, in quotes")
    );
    assert_eq!(
        refused("0-0 1\n", "0-0 2\n"),
        "4: invalid position: target `2`, expected 1, 3, 7 or 15"
    );
    let open = SHEET.replace("Result: *", "Result: 1-0").replace("To be continued\n", "");
    assert!(
        read(&open)
            .unwrap_err()
            .to_string()
            .starts_with("5: result 1-0 after 2 plies, but the game is not over")
    );
}

#[test]
fn names_line_of_invalid_utf8_and_parses_others() {
    let bad = SHEET.replace("Anna", "An\u{1}na");
    let mut bytes: Vec<u8> = bad.bytes().map(|byte| if byte == 1 { 0xFF } else { byte }).collect();
    bytes.extend_from_slice(b"\n");
    bytes.extend_from_slice(SHEET.as_bytes());
    let sheets = parse(&bytes);
    assert_eq!(sheets.len(), 2);
    assert_eq!(
        sheets[0].1.as_ref().unwrap_err().to_string(),
        "2: invalid UTF-8 at byte 10 of the line; expected a text in UTF-8"
    );
    assert_eq!((sheets[1].0, sheets[1].1.as_ref().unwrap().seats[0].name.as_str()), (15, "Anna"));
}

#[test]
fn rejects_result_against_the_rules() {
    let mut sheet = Sheet::of_moves(
        "OLVP1RGB/8/8/8/4p3/8/4Y3/bgry1vlo b p 0-0 1".to_owned(),
        vec!["e4e8".to_owned()],
    )
    .unwrap();
    assert_eq!(sheet.result.winner(), Some(Player::Black));
    let text = print(&sheet, Form::Words, Language::French);
    assert!(
        text.ends_with("Noir gagne la manche, rangée de base adverse : Rose, Sumo, +1, 1-0\nNoir gagne la partie, 1-0\n"),
        "{text}"
    );
    assert!(read(&text.replace("Résultat: 1-0", "Résultat: 0-1")).is_err());
    sheet.result = GameScore::WhiteWins;
    assert_eq!(
        sheet.check().unwrap_err().to_string(),
        "result 0-1, but by the rules the game ended 1-0"
    );
    assert!(sheet.print(Form::Words, Language::English).is_err());
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
