//! Pictures of positions are well-formed, show the position, and differ between positions.

use std::collections::HashMap;

use oshi::draw::Draw;
use oshi::game::Game;
use oshi::games::kamisado::{Layout, Match, Square, Target};
use oshi::games::kamon::{Cell, Kamon};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use roxmltree::{Document, Node};

/// All positions of a random game, each with the move that led to it.
fn random_game<G: Game>(start: G, seed: u64) -> Vec<(G, Option<G::Move>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = vec![(start, None)];
    let mut position = start;
    while let Some(&mv) = position.legal_moves().choose(&mut rng) {
        position.play(mv);
        positions.push((position, Some(mv)));
    }
    positions
}

/// Elements with an attribute, by its value.
fn by_attribute<'a>(document: &'a Document<'_>, name: &str) -> HashMap<&'a str, Node<'a, 'a>> {
    document.descendants().filter_map(|node| Some((node.attribute(name)?, node))).collect()
}

fn count(document: &Document<'_>, name: &str) -> usize {
    document.descendants().filter(|node| node.has_attribute(name)).count()
}

/// The picture without its description, which contains the position line.
fn drawn(svg: &str) -> String {
    let (before, rest) = svg.split_once("<desc>").unwrap();
    format!("{before}{}", rest.split_once("</desc>").unwrap().1)
}

/// Compares places, levels and marks of the picture with the scene.
fn check_against_scene<G: Draw>(position: &G, last: Option<G::Move>) {
    let svg = position.svg(last);
    let document = Document::parse(&svg).unwrap();
    let (places, pieces) =
        (by_attribute(&document, "data-place"), by_attribute(&document, "data-piece"));
    let scene = position.scene(last);
    for (number, piece) in scene.pieces.iter().enumerate() {
        let Some(element) = pieces.get(&*number.to_string()) else { continue };
        let place = places[&*piece.place.to_string()];
        assert_eq!(
            element.attribute("transform"),
            place.attribute("transform"),
            "piece {number} of {position}"
        );
        let levels: Vec<&str> =
            element.children().filter_map(|child| child.attribute("data-level")).collect();
        assert_eq!(
            levels.concat(),
            if piece.level > 0 { piece.level.to_string() } else { String::new() }
        );
    }
    let marks = by_attribute(&document, "data-mark");
    for (kind, place) in [("from", scene.from), ("to", scene.to), ("called", scene.called)] {
        let at = place.map(|place| places[&*place.to_string()].attribute("transform"));
        assert_eq!(marks.get(kind).map(|mark| mark.attribute("transform")), at);
    }
}

fn check_distinct<G: Draw>(positions: &[(G, Option<G::Move>)]) {
    let mut seen: HashMap<String, String> = HashMap::new();
    for &(position, last) in positions {
        let svg = position.svg(last);
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{error} in {svg}"));
        let root = document.root_element();
        let text = |name| {
            root.children()
                .find(|node| node.has_tag_name(name))
                .and_then(|node| node.text().map(str::to_owned))
        };
        assert!(text(("http://www.w3.org/2000/svg", "title")).is_some());
        assert!(
            text(("http://www.w3.org/2000/svg", "desc")).unwrap().contains(&position.to_string())
        );
        if let Some(other) = seen.insert(drawn(&position.svg(None)), position.to_string()) {
            assert_eq!(other, position.to_string());
        }
    }
}

#[test]
fn kamisado_pictures_are_well_formed_and_distinct() {
    for seed in 0..3 {
        check_distinct(&random_game(Match::start(Target::Marathon), seed));
    }
}

#[test]
fn kamon_pictures_are_well_formed_and_distinct() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..10 {
        check_distinct(&random_game(Kamon::start().random_start(&mut rng), seed));
    }
}

#[test]
fn pieces_and_marks_match_the_scene() {
    for &layout in Layout::ALL {
        let positions = random_game(Match::start(Target::Marathon).with_layout(layout), 5);
        positions.iter().for_each(|(position, last)| check_against_scene(position, *last));
    }
    random_game(Kamon::start(), 5)
        .iter()
        .for_each(|(position, last)| check_against_scene(position, *last));
}

#[test]
fn squares_and_towers_show_letters_of_the_layout() {
    let layouts = [
        ("standard", "BGRYPVLO"),
        ("mirrored", "OLVPYRGB"),
        ("turned", "ORGPYLVB"),
        ("turned-mirrored", "BVLYPGRO"),
    ];
    for (layout, first_rank) in layouts {
        let position = Match::start(Target::Simple).with_layout(layout.parse().unwrap());
        let svg = position.svg(None);
        let document = Document::parse(&svg).unwrap();
        let squares = by_attribute(&document, "data-name");
        let letter = |node: Node| {
            let is_text = |node: &Node| node.has_tag_name(("http://www.w3.org/2000/svg", "text"));
            node.descendants().find(is_text).and_then(|node| node.text()).unwrap().to_owned()
        };
        let letters: String =
            "abcdefgh".chars().map(|file| letter(squares[&*format!("{file}1")])).collect();
        assert_eq!(letters, first_rank);
        assert_eq!((count(&document, "data-place"), count(&document, "data-piece")), (64, 16));
        for (number, piece) in by_attribute(&document, "data-piece") {
            let place = position.scene(None).pieces[number.parse::<usize>().unwrap()].place;
            let square = squares[&*Square::all().nth(place.into()).unwrap().to_string()];
            assert_eq!(
                letter(square),
                letter(piece),
                "a tower starts on a square of another colour"
            );
        }
    }
}

#[test]
fn legal_squares_of_a_called_tower_are_marked() {
    for (position, last) in random_game(Match::start(Target::Marathon), 2) {
        let svg = position.svg(last);
        let document = Document::parse(&svg).unwrap();
        let moves = position.legal_moves();
        let is_called =
            position.called().is_some() && moves.iter().all(|mv| mv.to_string() != "0000");
        assert_eq!(
            count(&document, "data-legal"),
            if is_called { moves.len() } else { 0 },
            "{position}"
        );
    }
}

#[test]
fn kamon_marks_legal_cells_and_the_last_move() {
    for (position, last) in random_game(Kamon::start(), 4) {
        let svg = position.svg(last);
        let document = Document::parse(&svg).unwrap();
        assert_eq!(count(&document, "data-legal"), position.count_legal_moves());
        assert_eq!(count(&document, "data-mark"), usize::from(last.is_some()));
        let hexagons = Cell::all().filter(|&cell| position.owner(cell).is_some()).count();
        assert_eq!(count(&document, "data-level"), hexagons);
        assert_eq!(count(&document, "data-piece"), hexagons + 37);
    }
}

#[test]
fn stage_depends_only_on_the_board_and_hides_pieces() {
    fn check<G: Draw>(positions: Vec<(G, Option<G::Move>)>) {
        let stage = positions[0].0.stage();
        let document = Document::parse(&stage).unwrap();
        let pieces = by_attribute(&document, "data-piece");
        assert_eq!(pieces.len(), positions[0].0.scene(None).pieces.len());
        assert!(pieces.values().all(|piece| piece.attribute("display") == Some("none")));
        assert!(positions.iter().all(|(position, _)| position.stage() == stage));
    }
    check(random_game(Match::start(Target::Long), 1));
    check(random_game(Kamon::start(), 1));
    let turned = Match::start(Target::Long).with_layout(Layout::Turned).stage();
    assert_ne!(turned, Match::start(Target::Long).stage());
}
