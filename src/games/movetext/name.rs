//! Finds the legal move at the beginning of a list of words.

use super::Found;
use crate::game::{MoveError, Text, quote};
use crate::games::language::Language;
use crate::games::notation::{Form, Notation};
use crate::games::spelling::{
    is_arrow, is_dash, is_hyphen, is_term, key, languages_with, normalized, plain_key,
};

/// Maximum number of words of a move: an oshi names up to four towers.
pub const LONGEST_NAME: usize = 20;

/// Maximum number of words of a move written as squares: `a1 - a5`.
const LONGEST_SQUARES: usize = 3;

/// Maximum number of names that a message lists.
const LISTED: usize = 8;

/// Finds the legal move that the words begin with.
///
/// A move is written as squares (`a1-a5`, `A1 A5`) or as a name in any language and form. The
/// longest matching name is taken.
///
/// # Errors
/// [`MoveError`] if the words do not begin with a legal move, or are ambiguous.
pub fn find<G: Notation>(position: &G, words: &[&str]) -> Result<Found<G>, MoveError> {
    let squares = (1..=LONGEST_SQUARES).find_map(|count| {
        let mv = G::read_move(&squares(words.get(..count)?)?)?;
        Some((mv, count))
    });
    if may_be_name::<G>(words, squares.map_or(0, |(_, count)| count))
        && let Some(found) = find_name(position, words)?
    {
        return Ok(found);
    }
    match squares {
        Some((mv, count)) if position.legal_moves().contains(&mv) => Ok(Found { mv, words: count }),
        Some((mv, count)) => {
            Err(MoveError::Illegal { text: quoted(words, count), reason: position.why_illegal(mv) })
        }
        None => Err(unknown(position, words)),
    }
}

fn quoted(words: &[&str], count: usize) -> String {
    quote(&words.get(..count).unwrap_or(words).join(" "))
}

/// Squares of a move in lower case without separators: `a1a5` for `A1-A5`, `a1xa5` and `a1 → a5`.
fn squares(words: &[&str]) -> Option<String> {
    if words.first().is_none_or(|word| is_dash(word))
        || words.last().is_none_or(|word| is_dash(word))
    {
        return None;
    }
    let text = words.concat();
    let mut squares = String::with_capacity(text.len());
    let mut after_separator = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let after_digit = squares.ends_with(|last: char| last.is_ascii_digit());
        let is_cross = matches!(character, 'x' | 'X' | '×')
            && characters.peek().is_some_and(|next| next.is_alphabetic());
        if is_hyphen(character) || is_cross || matches!(character, '→' | '>' | ':' | '_') {
            after_separator = true;
            if !after_digit {
                return None;
            }
        } else if character.is_ascii_alphanumeric()
            && (!after_separator || character.is_ascii_alphabetic())
        {
            after_separator = false;
            squares.push(character.to_ascii_lowercase());
        } else {
            return None;
        }
    }
    (!after_separator).then_some(squares)
}

/// Quick test whether the words may begin with a name. The first `squares` words are a move written
/// as squares.
fn may_be_name<G: Text>(words: &[&str], squares: usize) -> bool {
    let Some(first) = words.first() else { return false };
    let begins_with_move = || {
        let lower = first.to_ascii_lowercase();
        (2..lower.len())
            .any(|end| lower.get(..end).is_some_and(|part| G::read_move(part).is_some()))
    };
    // A pass in symbols has distance 0.
    let has_sign = first.contains(is_arrow) || (first.contains('0') && squares == 0);
    let name_follows = || squares > 0 && words.get(squares).is_some_and(|next| is_term(next));
    is_dash(first)
        || is_term(first)
        || has_sign
        || name_follows()
        || (squares == 0 && begins_with_move())
}

/// Lookup keys of the legal moves in the languages and forms that the words may be in.
fn names<G: Notation>(position: &G, words: &[&str]) -> Vec<(Language, String, G::Move)> {
    let Some(&first) = words.first() else { return Vec::new() };
    let forms: &[Form] = if first.contains(is_arrow) {
        &[Form::Symbols]
    } else if first.bytes().any(|byte| byte.is_ascii_digit()) {
        Form::ALL
    } else {
        &[Form::Words]
    };
    let mut languages: Vec<Language> =
        words.iter().take(2).flat_map(|word| languages_with(word)).collect();
    languages.push(Language::default());
    languages.sort_unstable();
    languages.dedup();
    let mut names = Vec::new();
    for language in languages {
        for mv in position.legal_moves() {
            let written = forms.iter().map(|&form| position.name_move(mv, form, language));
            let all = written.chain(position.other_names(mv, language));
            names.extend(all.map(|name| (language, plain_key(&name), mv)));
        }
    }
    names
}

/// Finds the move with the longest name that the words begin with.
fn find_name<G: Notation>(position: &G, words: &[&str]) -> Result<Option<Found<G>>, MoveError> {
    let names = names(position, words);
    let longest = names.iter().map(|(_, name, _)| name.len()).max().unwrap_or(0);
    for count in (1..=words.len().min(LONGEST_NAME)).rev() {
        let Some(some) = words.get(..count) else { continue };
        // A dash alone is a pass and not a part of another name.
        let is_split = count > 1
            && [some.first(), some.last()]
                .iter()
                .any(|word| word.is_some_and(|word| is_dash(word)));
        if is_split || some.iter().map(|word| word.len()).sum::<usize>() > longest.saturating_mul(4)
        {
            continue;
        }
        let text = some.join(" ");
        let mut meant: Vec<G::Move> = Vec::new();
        for of_language in names.chunk_by(|one, other| one.0 == other.0) {
            let Some((language, ..)) = of_language.first() else { continue };
            let given = key(language.terms(), &text);
            let fitting =
                of_language.iter().filter(|(_, name, _)| !name.is_empty() && *name == given);
            for &(.., mv) in fitting {
                if !meant.contains(&mv) {
                    meant.push(mv);
                }
            }
        }
        match meant.as_slice() {
            [] => {}
            &[mv] => return Ok(Some(Found { mv, words: count })),
            moves => {
                let meanings =
                    moves.iter().map(|mv| format!("`{mv}`")).collect::<Vec<_>>().join(" or ");
                return Err(MoveError::Illegal {
                    text: quote(&text),
                    reason: format!("it may mean {meanings}"),
                });
            }
        }
    }
    Ok(None)
}

/// The error for words that do not begin with a move.
fn unknown<G: Notation>(position: &G, words: &[&str]) -> MoveError {
    let first = words.first().copied().unwrap_or_default();
    let begins_with_term = |name: &str| name.split(' ').next().is_some_and(is_term);
    let has_names = || {
        let mut moves = position.legal_moves().into_iter();
        moves.next().is_none_or(|mv| {
            begins_with_term(&position.name_move(mv, Form::Words, Language::default()))
        })
    };
    if (!is_term(first) && !is_dash(first) && !first.contains(is_arrow)) || !has_names() {
        return MoveError::Malformed { text: quote(first), expected: G::MOVE_FORMS };
    }
    // The name of a move has four words, unless it is an oshi.
    let count = if is_dash(first) || first.contains(is_arrow) { 1 } else { words.len().min(4) };
    let given = words.get(..count).unwrap_or(words).join(" ");
    let form = if given.contains(is_arrow) { Form::Symbols } else { Form::Words };
    let names_in = |language: Language| {
        let given = normalized(language.terms(), &given);
        let names = position
            .legal_moves()
            .into_iter()
            .map(move |mv| position.name_move(mv, form, language));
        names.map(move |name| (agreement(&name, &given), name))
    };
    let agrees = Language::ALL
        .iter()
        .any(|&language| names_in(language).any(|(agreement, _)| agreement > 0));
    let expected = if agrees {
        nearest(Language::ALL.iter().copied().flat_map(names_in))
    } else {
        nearest(names_in(Language::default()))
    };
    let reason = if expected.is_empty() {
        "the game is over".to_owned()
    } else {
        format!("expected {expected}")
    };
    MoveError::Illegal { text: quote(&given), reason }
}

/// Length of the common prefix of a name and a normalized text, in characters.
pub fn agreement(name: &str, given: &str) -> usize {
    name.to_lowercase().chars().zip(given.chars()).take_while(|(one, other)| one == other).count()
}

/// Lists the names with the greatest agreement, for messages: if only the landing colour is wrong,
/// that is the name with the right one. Empty if `names` is empty.
pub fn nearest(names: impl Iterator<Item = (usize, String)>) -> String {
    let names: Vec<(usize, String)> = names.collect();
    let longest = names.iter().map(|&(agreement, _)| agreement).max().unwrap_or(0);
    let mut nearest: Vec<String> = Vec::new();
    for (_, name) in names.into_iter().filter(|&(agreement, _)| agreement == longest) {
        let quoted = format!("`{name}`");
        if !nearest.contains(&quoted) {
            nearest.push(quoted);
        }
    }
    match nearest.get(..LISTED) {
        Some(listed) if nearest.len() > LISTED => {
            format!("{} or one of {} others", listed.join(", "), nearest.len() - LISTED)
        }
        _ => nearest.join(" or "),
    }
}
