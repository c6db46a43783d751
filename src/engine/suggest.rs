//! Whether the name of an option that does not exist resembles one that does.

/// Names that are longer resemble nothing.
const MAX_NAME_CHARS: usize = 40;

/// The shortest part of a name that tells which one is meant.
const MIN_PART_CHARS: usize = 3;

/// Letters per letter that may be wrong.
const CHARS_PER_EDIT: usize = 3;

/// How far a name is from another one: the number of wrong letters, or `None` if they do not
/// resemble each other. Case, spaces and punctuation do not count. A name that contains the other
/// is farther than any with wrong letters.
pub fn distance(name: &str, other: &str) -> Option<usize> {
    let [name, other] = [letters(name)?, letters(other)?];
    let most = name.len().min(other.len()) / CHARS_PER_EDIT;
    let edits = edits(&name, &other);
    let (short, long) = if name.len() < other.len() { (&name, &other) } else { (&other, &name) };
    let is_part = short.len() >= MIN_PART_CHARS
        && long.windows(short.len()).any(|part| part == short.as_slice());
    if edits <= most { Some(edits) } else { is_part.then_some(MAX_NAME_CHARS) }
}

/// The letters and digits of a name in lower case; `None` if the name is empty or too long.
fn letters(name: &str) -> Option<Vec<char>> {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let letters: Vec<char> = letters.take(MAX_NAME_CHARS + 1).collect();
    (1..=MAX_NAME_CHARS).contains(&letters.len()).then_some(letters)
}

/// The fewest letters to insert, remove or replace (Levenshtein). The same letters in another order
/// are one error.
fn edits(one: &[char], other: &[char]) -> usize {
    let [sorted, other_sorted] = [one, other].map(|letters| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    });
    if one != other && sorted == other_sorted {
        return 1;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in (1..).zip(one) {
        let mut least = number;
        let mut next = vec![least];
        for (above, other_letter) in row.windows(2).zip(other) {
            if let [replaced, inserted] = above {
                least = (replaced + usize::from(letter != other_letter))
                    .min(inserted + 1)
                    .min(least + 1);
                next.push(least);
            }
        }
        row = next;
    }
    row.last().copied().unwrap_or(one.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_wrong_letters() {
        let cases = [
            ("Hash", "hash", 0),
            ("Hsah", "Hash", 1),
            ("Treads", "Threads", 1),
            ("Move-overhaed", "MoveOverhead", 1),
        ];
        for (name, other, expected) in cases {
            assert_eq!(distance(name, other), Some(expected), "{name}");
        }
    }

    #[test]
    fn accepts_parts_and_refuses_what_differs() {
        assert!(distance("HashSize", "Hash") > distance("Hsah", "Hash"));
        assert!(distance("Elo", "UCI_Elo").is_some());
        for name in ["Depth", "SyzygyPath", "", "--", "PV", &"Hash".repeat(1_000)] {
            assert_eq!(distance(name, "Hash").or(distance(name, "MultiPV")), None, "{name}");
        }
    }
}
