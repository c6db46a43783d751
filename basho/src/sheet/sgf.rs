//! Syntax of SGF, the Smart Game Format: nodes with properties. Only main lines are read.

/// A node, as its properties.
pub type Node = Vec<Property>;

/// A property of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Line, from 1.
    pub line: usize,
    /// Name in upper case.
    pub name: String,
    /// Values without escapes.
    pub values: Vec<String>,
}

/// A game of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameTree {
    /// First line, from 1.
    pub line: usize,
    /// Nodes of the main line, which follows the first of several variations.
    pub nodes: Vec<Node>,
    /// Last line and reason, if the game is incomplete.
    pub cut: Option<(usize, Cut)>,
}

/// Reason why a game is incomplete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Cut {
    /// The text ends.
    #[error("the file ends within the game; expected `)`")]
    End,
    /// Another game begins outside values.
    #[error("another game begins within this one; expected `)`")]
    NextGame,
    /// Another game begins within a value.
    #[error("another game begins within a value of this one; expected `]`")]
    Value,
}

/// Maximum distance of the property `GM` from the beginning of a game, in bytes.
const GAME_NAME_WITHIN: usize = 256;

/// Whether a text begins like SGF.
pub fn starts_as_sgf(text: &str) -> bool {
    first_node(text).is_some()
}

/// The text of a game after its `(;`.
fn first_node(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('(')?.trim_start().strip_prefix(';')
}

/// Whether a text begins with a game whose first node has the property `GM`.
fn starts_game(text: &str) -> bool {
    let end = text.floor_char_boundary(GAME_NAME_WITHIN);
    let mut rest = text.get(..end).and_then(first_node).unwrap_or_default();
    while let Some((name, value)) = rest.split_once('[') {
        if name.contains(['(', ')', ';', ']']) {
            return false;
        }
        let Some(behind) = after_value(value) else { return false };
        if property_name(name) == "GM" {
            return true;
        }
        rest = behind;
    }
    false
}

/// Skips a value and its closing bracket.
fn after_value(text: &str) -> Option<&str> {
    let mut is_escaped = false;
    let closes = |character| {
        let closes = character == ']' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        closes
    };
    text.split_once(closes).map(|(_, behind)| behind)
}

/// Reads all games of a text and skips the text between them.
pub fn parse(text: &str) -> Vec<GameTree> {
    let mut reader = Reader { rest: text, line: 1, last_line: 1 };
    let mut games = Vec::new();
    while let Some(character) = reader.next() {
        if character == '(' {
            games.extend(reader.game());
        }
    }
    games
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    /// Line of the last character that is not white space.
    last_line: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        if !next.is_whitespace() {
            self.last_line = self.line;
        }
        self.line += usize::from(next == '\n');
        Some(next)
    }

    fn is_at_game(&self) -> bool {
        self.rest.starts_with('(') && starts_game(self.rest)
    }

    /// Reads a game after its opening bracket, up to its closing bracket or to the next game.
    /// Returns `None` for a bracket around games.
    fn game(&mut self) -> Option<GameTree> {
        let mut game = GameTree { line: self.line, ..GameTree::default() };
        let (mut depth, mut is_main) = (1usize, true);
        let mut name = String::new();
        while depth > 0 {
            if self.is_at_game() {
                if game.nodes.is_empty() {
                    return None;
                }
                game.cut = Some((self.last_line, Cut::NextGame));
                break;
            }
            let Some(character) = self.next() else {
                game.cut = Some((self.last_line, Cut::End));
                break;
            };
            match character {
                '(' => {
                    name.clear();
                    depth += 1;
                }
                ')' => {
                    name.clear();
                    // Skip the other variations.
                    is_main = false;
                    depth -= 1;
                }
                ';' => {
                    name.clear();
                    game.nodes.extend(is_main.then(Node::new));
                }
                '[' => {
                    let line = self.line;
                    let value = match self.value() {
                        Ok(value) => value,
                        Err(cut) => {
                            game.cut = Some((self.last_line, cut));
                            break;
                        }
                    };
                    if is_main && let Some(node) = game.nodes.last_mut() {
                        add(node, line, &property_name(&name), value);
                    }
                    name.clear();
                }
                letter => name.push(letter),
            }
        }
        Some(game)
    }

    /// Reads a value up to its closing bracket. The beginning of a game within a value means that
    /// the bracket is missing.
    fn value(&mut self) -> Result<String, Cut> {
        let mut value = String::new();
        loop {
            if self.is_at_game() {
                return Err(Cut::Value);
            }
            match self.next().ok_or(Cut::End)? {
                ']' => return Ok(value),
                '\\' => {
                    let escaped = self.next();
                    // An escaped line break is dropped.
                    let is_break = matches!(escaped, Some('\n' | '\r'));
                    if escaped == Some('\r') && self.rest.starts_with('\n') {
                        self.next();
                    }
                    value.extend(escaped.filter(|_| !is_break));
                }
                character => value.push(character),
            }
        }
    }
}

/// Name of a property in upper case. Lower-case letters within longer names, as in older files, are
/// dropped.
fn property_name(written: &str) -> String {
    let mut name: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
    if name.len() > 2 && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.retain(|letter| !letter.is_ascii_lowercase());
    }
    name.to_ascii_uppercase()
}

/// Adds a value to a node; to its last property if `name` is empty.
fn add(node: &mut Node, line: usize, name: &str, value: String) {
    match node.last_mut() {
        Some(last) if name.is_empty() => last.values.push(value),
        _ => node.push(Property { line, name: name.to_owned(), values: vec![value] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names and values of the nodes.
    fn nodes(game: &GameTree) -> Vec<Vec<(&str, Vec<&str>)>> {
        let values =
            |property: &'static Property| property.values.iter().map(String::as_str).collect();
        let game: &'static GameTree = Box::leak(Box::new(game.clone()));
        let properties = |node: &'static Node| {
            node.iter().map(|property| (property.name.as_str(), values(property))).collect()
        };
        game.nodes.iter().map(properties).collect()
    }

    #[test]
    fn reads_nodes_values_and_escapes() {
        let games = parse("text (; GM[a\\]b\\\\] P0[x]\n[y] ; C[line\\\nend (;)] ) (;A[])");
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [1, 3]);
        let expected = vec![
            vec![("GM", vec!["a]b\\"]), ("P0", vec!["x", "y"])],
            vec![("C", vec!["lineend (;)"])],
        ];
        assert_eq!(nodes(&games[0]), expected);
        assert_eq!(nodes(&games[1]), [[("A", vec![""])]]);
    }

    #[test]
    fn incomplete_game_ends_where_next_begins() {
        let next = "\n(; FF[4]\nGM[x];A[(;B\\[)])";
        for (cut, expected) in [
            ("(;GM[x]\n;A[1]", Cut::NextGame),
            ("(;GM[x]\n;A[1", Cut::Value),
            ("(;GM[x](;\nB", Cut::NextGame),
        ] {
            let games = parse(&format!("{cut}{next}"));
            let cuts: Vec<_> = games.iter().map(|game| game.cut).collect();
            assert_eq!(cuts, [Some((2, expected)), None], "{cut}");
        }
    }

    #[test]
    fn reads_games_within_bracket() {
        let games = parse("(\n(;GM[x])\n(;GM[y])\n)");
        let found: Vec<_> = games.iter().map(|game| (game.line, game.cut)).collect();
        assert_eq!(found, [(2, None), (3, None)]);
    }

    #[test]
    fn property_names_are_upper_case() {
        let names = ["p0", "P0", "Gm", "GaMe", "game"].map(property_name);
        assert_eq!(names, ["P0", "P0", "GM", "GM", "GAME"]);
    }

    #[test]
    fn takes_first_variation() {
        let games = parse("(;A[1](;B[2];C[3])(;B[4]))");
        assert_eq!(games[0].nodes.len(), 3);
        assert_eq!(games[0].cut, None);
    }

    #[test]
    fn reports_last_line_of_incomplete_game() {
        assert_eq!(parse("(;A[1]\n;B[2\n")[0].cut, Some((2, Cut::End)));
        assert!(parse("no game").is_empty());
        assert!(starts_as_sgf("\n ( ; GM[1])") && !starts_as_sgf("(a remark)"));
    }
}
