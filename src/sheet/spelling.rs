//! How texts on a sheet are compared: white space and case do not matter.

/// Whether the texts are the same in normalized form.
pub fn is_same(one: &str, other: &str) -> bool {
    normalized(one) == normalized(other)
}

/// The text in lower case with single spaces, and arrows that a program turned into emoji turned back.
pub fn normalized(text: &str) -> String {
    let is_selector = |character| matches!(character, '\u{fe0e}' | '\u{fe0f}');
    text.replace(is_selector, "").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
