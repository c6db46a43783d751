//! How texts on a sheet are compared: white space, case and other spellings of a term do not matter.

use crate::games::language::Terms;

/// Whether the texts are the same in normalized form.
pub fn is_same(terms: &Terms, one: &str, other: &str) -> bool {
    normalized(terms, one) == normalized(terms, other)
}

/// The text in lower case with single spaces, in the spellings that are written, and arrows that a program turned into emoji turned back.
pub fn normalized(terms: &Terms, text: &str) -> String {
    let is_selector = |character| matches!(character, '\u{fe0e}' | '\u{fe0f}');
    let text = text.replace(is_selector, "").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    terms.spellings.iter().fold(text, |text, (other, ours)| text.replace(other, ours))
}
