//! Tokens and their layout on the board.

use std::fmt;

use rand::Rng;
use rand::seq::SliceRandom;

use super::board::{Cell, Cells};
use crate::game::mix;

/// The six colours of the tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Colour {
    /// `p`
    Pink,
    /// `y`
    Yellow,
    /// `l`
    Blue,
    /// `o`
    Orange,
    /// `r`
    Red,
    /// `g`
    Green,
}

impl Colour {
    /// All colours.
    pub const ALL: [Colour; 6] =
        [Colour::Pink, Colour::Yellow, Colour::Blue, Colour::Orange, Colour::Red, Colour::Green];

    /// Letter in text forms.
    pub const fn letter(self) -> char {
        match self {
            Colour::Pink => 'p',
            Colour::Yellow => 'y',
            Colour::Blue => 'l',
            Colour::Orange => 'o',
            Colour::Red => 'r',
            Colour::Green => 'g',
        }
    }
}

/// The six symbols of the tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// `1`
    Butterfly,
    /// `2`
    Fish,
    /// `3`
    Bird,
    /// `4`
    Fan,
    /// `5`
    Mountain,
    /// `6`
    Gate,
}

impl Symbol {
    /// All symbols.
    pub const ALL: [Symbol; 6] = [
        Symbol::Butterfly,
        Symbol::Fish,
        Symbol::Bird,
        Symbol::Fan,
        Symbol::Mountain,
        Symbol::Gate,
    ];

    /// Digit in text forms.
    pub const fn digit(self) -> char {
        match self {
            Symbol::Butterfly => '1',
            Symbol::Fish => '2',
            Symbol::Bird => '3',
            Symbol::Fan => '4',
            Symbol::Mountain => '5',
            Symbol::Gate => '6',
        }
    }
}

/// One of the 37 tokens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Token {
    /// One of the 36 tokens that hexagons are played on.
    Plain(Colour, Symbol),
    /// `--`, which no hexagon may cover.
    Neutral,
}

impl Token {
    /// All 37 tokens, the neutral one last.
    pub fn all() -> impl Iterator<Item = Token> {
        Colour::ALL
            .into_iter()
            .flat_map(|colour| {
                Symbol::ALL.into_iter().map(move |symbol| Token::Plain(colour, symbol))
            })
            .chain([Token::Neutral])
    }

    /// Reads a token such as `p4` or `--`.
    pub fn from_text(text: &str) -> Option<Token> {
        Token::all().find(|token| token.to_string() == text)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Plain(colour, symbol) => write!(f, "{}{}", colour.letter(), symbol.digit()),
            Token::Neutral => f.write_str("--"),
        }
    }
}

/// Cells of each colour and of each symbol. The neutral token has neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    colours: [Cells; 6],
    symbols: [Cells; 6],
}

impl Layout {
    /// Creates a layout from the 37 cells, each with its token.
    pub fn new(tokens: impl IntoIterator<Item = (Cell, Token)>) -> Layout {
        let mut layout = Layout { colours: [Cells::NONE; 6], symbols: [Cells::NONE; 6] };
        for (cell, token) in tokens {
            if let Token::Plain(colour, symbol) = token {
                layout.colours[colour as usize] |= cell.into();
                layout.symbols[symbol as usize] |= cell.into();
            }
        }
        layout
    }

    /// Draws a random layout.
    pub fn random<R: Rng>(rng: &mut R) -> Layout {
        let mut cells: Vec<Cell> = Cell::all().collect();
        cells.shuffle(rng);
        Layout::new(cells.into_iter().zip(Token::all()))
    }

    /// The token of a cell.
    pub fn token(&self, cell: Cell) -> Token {
        let colour =
            Colour::ALL.into_iter().find(|&colour| self.colours[colour as usize].contains(cell));
        let symbol =
            Symbol::ALL.into_iter().find(|&symbol| self.symbols[symbol as usize].contains(cell));
        colour.zip(symbol).map_or(Token::Neutral, |(colour, symbol)| Token::Plain(colour, symbol))
    }

    /// The cell of the neutral token, as a set.
    pub fn neutral(&self) -> Cells {
        self.colours.iter().fold(Cells::BOARD, |rest, &cells| rest - cells)
    }

    /// The 10 mates of `cell`, which share its token's colour or symbol, and `cell` itself.
    pub fn matching(&self, cell: Cell) -> Cells {
        self.matching_any(cell.into())
    }

    /// The component of `cell` in the graph of mates within `area`.
    pub fn component(&self, cell: Cell, area: Cells) -> Cells {
        let mut linked = Cells::from(cell);
        loop {
            let further = linked | self.matching_any(linked) & area;
            if further == linked {
                return linked;
            }
            linked = further;
        }
    }

    /// `cells` and all their mates.
    fn matching_any(&self, cells: Cells) -> Cells {
        let of_kind = |kind: Cells| if kind.meets(cells) { kind } else { Cells::NONE };
        self.colours.iter().chain(&self.symbols).fold(Cells::NONE, |all, &kind| all | of_kind(kind))
    }

    /// The cells of `area` that have no mate in `area`, and those that have exactly one.
    pub fn with_at_most_one_mate(&self, area: Cells) -> [Cells; 2] {
        let single_and_paired = |kinds: &[Cells; 6]| {
            kinds.iter().fold([Cells::NONE; 2], |[single, paired], &kind| match kind & area {
                cells if cells.len() == 1 => [single | cells, paired],
                cells if cells.len() == 2 => [single, paired | cells],
                _ => [single, paired],
            })
        };
        let [single_colour, paired_colour] = single_and_paired(&self.colours);
        let [single_symbol, paired_symbol] = single_and_paired(&self.symbols);
        [
            single_colour & single_symbol,
            single_colour & paired_symbol | paired_colour & single_symbol,
        ]
    }

    /// Hash of the layout.
    pub fn hash(&self) -> u64 {
        self.colours.iter().chain(&self.symbols).fold(0, |hash, cells| mix(hash ^ cells.bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn reads_back_printed_tokens() {
        for token in Token::all() {
            assert_eq!(Token::from_text(&token.to_string()), Some(token));
        }
        for text in ["", "-", "p", "p0", "p7", "b1", "P1", "1p", "p11"] {
            assert_eq!(Token::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn random_layout_has_every_token_once() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..100 {
            let layout = Layout::random(&mut rng);
            let mut tokens: Vec<_> = Cell::all().map(|cell| layout.token(cell)).collect();
            tokens.sort();
            assert!(tokens.into_iter().eq(Token::all()));
            for cell in Cell::all() {
                let mates = layout.matching(cell) - cell.into();
                let neutral = layout.token(cell) == Token::Neutral;
                assert_eq!(mates.len(), if neutral { 0 } else { 10 });
                assert!(!mates.meets(layout.neutral()));
            }
        }
    }

    #[test]
    fn counts_mates_of_cells() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for size in (0..=20).cycle().take(500) {
            let layout = Layout::random(&mut rng);
            let mut cells: Vec<Cell> = (Cells::BOARD - layout.neutral()).iter().collect();
            cells.shuffle(&mut rng);
            let area: Cells = cells[..size].iter().copied().collect();
            let mates = |cell: Cell| ((layout.matching(cell) - cell.into()) & area).len();
            let with_mates =
                |count| -> Cells { area.iter().filter(|&cell| mates(cell) == count).collect() };
            assert_eq!(layout.with_at_most_one_mate(area), [0, 1].map(with_mates), "{area:?}");
        }
    }

    #[test]
    fn seed_determines_random_layout() {
        let layout = |seed| Layout::random(&mut ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(layout(1), layout(1));
        assert_ne!(layout(1), layout(2));
        assert_ne!(layout(1).hash(), layout(2).hash());
    }
}
