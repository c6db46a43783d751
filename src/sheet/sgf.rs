//! The syntax of SGF, the Smart Game Format: nodes with properties, as far as a record of one line of
//! play needs it.

/// A node: its properties with their values.
pub type Node = Vec<Property>;

/// A property of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The line that it is on, from 1.
    pub line: usize,
    /// Its name, in upper case.
    pub name: String,
    /// Its values, without escapes.
    pub values: Vec<String>,
}

/// A game of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameTree {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// The nodes of the main line: of variations, the first is taken.
    pub nodes: Vec<Node>,
    /// The line on which the text ends although the game does not.
    pub cut_at: Option<usize>,
}

/// Whether a text begins as SGF does.
pub fn starts_as_sgf(text: &str) -> bool {
    text.trim_start().strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(';'))
}

/// Reads all games of a text. What stands between them is left out.
pub fn parse(text: &str) -> Vec<GameTree> {
    let mut reader = Reader { characters: text.chars().peekable(), line: 1 };
    let mut games = Vec::new();
    while let Some(character) = reader.next() {
        if character == '(' {
            games.push(reader.game());
        }
    }
    games
}

struct Reader<I: Iterator<Item = char>> {
    characters: std::iter::Peekable<I>,
    line: usize,
}

impl<I: Iterator<Item = char>> Reader<I> {
    fn next(&mut self) -> Option<char> {
        let next = self.characters.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    /// Reads a game behind its opening bracket, to its closing one.
    fn game(&mut self) -> GameTree {
        let mut game = GameTree { line: self.line, ..GameTree::default() };
        let (mut depth, mut is_main) = (1usize, true);
        let mut name = String::new();
        while depth > 0 {
            let Some(character) = self.next() else {
                game.cut_at = Some(self.line);
                break;
            };
            match character {
                '(' => depth += 1,
                ')' => {
                    // Further variations are left out.
                    is_main = false;
                    depth -= 1;
                }
                ';' if is_main => game.nodes.push(Node::new()),
                '[' => {
                    let line = self.line;
                    let value = self.value();
                    if is_main && let Some(node) = game.nodes.last_mut() {
                        add(node, line, &name, value);
                    }
                    name.clear();
                }
                // Older files write lower-case letters within names, which do not count.
                letter if letter.is_ascii_uppercase() || letter.is_ascii_digit() => name.push(letter),
                _ => {}
            }
        }
        game
    }

    /// Reads a value up to its closing bracket.
    fn value(&mut self) -> String {
        let mut value = String::new();
        while let Some(character) = self.next() {
            match character {
                ']' => break,
                '\\' => {
                    let escaped = self.next();
                    // An escaped line break is left out.
                    let is_break = matches!(escaped, Some('\n' | '\r'));
                    if escaped == Some('\r') && self.characters.peek() == Some(&'\n') {
                        self.next();
                    }
                    value.extend(escaped.filter(|_| !is_break));
                }
                _ => value.push(character),
            }
        }
        value
    }
}

/// Adds a value to a node: to its last property, if it has no name.
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
        let values = |property: &'static Property| property.values.iter().map(String::as_str).collect();
        let game: &'static GameTree = Box::leak(Box::new(game.clone()));
        let properties = |node: &'static Node| node.iter().map(|property| (property.name.as_str(), values(property))).collect();
        game.nodes.iter().map(properties).collect()
    }

    #[test]
    fn reads_nodes_values_and_escapes() {
        let games = parse("text (; GM[a\\]b\\\\] P0[x]\n[y] ; C[line\\\nend (;)] ) (;A[])");
        assert_eq!(games.iter().map(|game| game.line).collect::<Vec<_>>(), [1, 3]);
        let expected = vec![vec![("GM", vec!["a]b\\"]), ("P0", vec!["x", "y"])], vec![("C", vec!["lineend (;)"])]];
        assert_eq!(nodes(&games[0]), expected);
        assert_eq!(nodes(&games[1]), [[("A", vec![""])]]);
    }

    #[test]
    fn takes_the_first_variation() {
        let games = parse("(;A[1](;B[2];C[3])(;B[4]))");
        assert_eq!(games[0].nodes.len(), 3);
        assert_eq!(games[0].cut_at, None);
    }

    #[test]
    fn reports_line_of_cut_game() {
        assert_eq!(parse("(;A[1]\n;B[2")[0].cut_at, Some(2));
        assert!(parse("no game").is_empty());
        assert!(starts_as_sgf("\n ( ; GM[1])") && !starts_as_sgf("(a remark)"));
    }
}
