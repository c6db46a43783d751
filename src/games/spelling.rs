//! Comparison of written texts with terms. Case, white space, accents and variant spellings are
//! ignored.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::language::{Language, Terms};

/// Whether two texts are equal after normalization.
pub fn is_same(terms: &Terms, one: &str, other: &str) -> bool {
    normalized(terms, one) == normalized(terms, other)
}

/// Normalizes a text: lower case, single spaces, written spellings, and plain arrows instead of
/// emoji.
pub fn normalized(terms: &Terms, text: &str) -> String {
    let is_selector = |character| matches!(character, '\u{fe0e}' | '\u{fe0f}');
    let text = text
        .replace(is_selector, "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    terms.spellings.iter().fold(text, |text, (other, ours)| text.replace(other, ours))
}

/// Lookup key of a move name: the normalized text without accents, white space and punctuation. A
/// dash alone is a pass, and its key is `-`.
pub(super) fn key(terms: &Terms, text: &str) -> String {
    if is_dash(text) { "-".to_owned() } else { plain_key(&normalized(terms, text)) }
}

/// Lookup key of a name that is spelled as the program writes it.
pub(super) fn plain_key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for character in name.chars().flat_map(char::to_lowercase) {
        match without_accent(character) {
            Some(plain) => key.push_str(plain),
            None if character.is_alphanumeric() || is_arrow(character) => key.push(character),
            None => {}
        }
    }
    if key.is_empty() && is_dash(name) { "-".to_owned() } else { key }
}

/// Removes the accent of a lower-case character; `None` if it has no accent of a supported
/// language.
const fn without_accent(character: char) -> Option<&'static str> {
    Some(match character {
        'à' | 'á' | 'â' | 'ä' | 'ă' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'î' | 'ï' => "i",
        'ô' | 'ö' => "o",
        'ș' | 'ş' => "s",
        'ț' | 'ţ' => "t",
        'ù' | 'û' | 'ü' => "u",
        'ß' => "ss",
        _ => return None,
    })
}

/// Whether the character is an arrow of the notation in symbols.
pub const fn is_arrow(character: char) -> bool {
    matches!(character, '↑' | '↖' | '↗' | '↓' | '←' | '→')
}

/// Whether the text consists of dashes only.
pub(super) fn is_dash(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_hyphen)
}

/// Whether the character is a hyphen, a dash or a minus sign.
pub(super) const fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// The languages that use this word in names of moves. Text after a hyphen in the word is ignored.
pub(super) fn languages_with(word: &str) -> impl Iterator<Item = Language> {
    static TERMS: LazyLock<Vec<(Language, HashSet<String>)>> = LazyLock::new(|| {
        let all = Language::ALL.iter().map(|&language| (language, language.terms()));
        all.map(|(language, terms)| {
            (language, move_terms(terms).map(|word| key(terms, word)).collect())
        })
        .collect()
    });
    let word = word.split(is_hyphen).next().unwrap_or_default();
    TERMS
        .iter()
        .filter(move |(language, terms)| terms.contains(&key(language.terms(), word)))
        .map(|&(language, _)| language)
}

/// Whether any language uses this word in names of moves.
pub fn is_term(word: &str) -> bool {
    languages_with(word).next().is_some()
}

/// The words in names of moves, without articles and prepositions.
fn move_terms(terms: &'static Terms) -> impl Iterator<Item = &'static str> {
    let kamisado = &terms.kamisado;
    let lists = [
        &kamisado.colours[..],
        &kamisado.directions,
        &kamisado.refills,
        kamisado.passes,
        &terms.kamon.colours,
    ];
    let spellings = terms.spellings.iter().map(|(other, _)| other);
    lists
        .into_iter()
        .flatten()
        .chain(spellings)
        .flat_map(|term| term.split_whitespace())
        .filter(|word| word.chars().count() > 2)
        .chain(["l", "r"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_ignores_case_accents_punctuation_and_white_space() {
        let [english, french, german, romanian] =
            [0, 1, 2, 3].map(|index| Language::ALL[index].terms());
        assert_eq!(key(english, "PURPLE  left-5,yellow"), key(english, "Violet Left 5 Yellow"));
        assert_eq!(key(romanian, "mov stanga 5 galben"), key(romanian, "Mov Stânga 5 Galben"));
        assert_eq!(
            key(romanian, "Mov Sta\u{302}nga 5 Galben"),
            key(romanian, "Mov Stânga 5 Galben")
        );
        assert_eq!(key(french, "Placement Gauche"), key(french, "placement de gauche à droite"));
        assert_eq!(key(german, "Grün ↖\u{fe0f} 5"), "grun↖5");
        assert_eq!(["-", "--", "–", "."].map(|text| key(english, text)), ["-", "-", "-", ""]);
    }

    #[test]
    fn knows_words_of_all_languages() {
        for word in [
            "Purple",
            "LEFT",
            "links",
            "Gauche",
            "Stânga",
            "stanga",
            "Aussetzen",
            "passer",
            "pas",
            "Grun",
            "R",
            "Red-Ahead",
        ] {
            assert!(is_term(word), "{word}");
        }
        for word in ["a1a5", "nonsense", "", "5", "a", "la", "de"] {
            assert!(!is_term(word), "{word}");
        }
    }
}
