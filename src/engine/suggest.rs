//! Similarity of names, to suggest an option for an unknown one.

/// Maximum length of a name that is compared. Longer ones resemble nothing.
const MAX_NAME_CHARS: usize = 40;

/// Minimum length of a part that identifies a name.
const MIN_PART_CHARS: usize = 3;

/// Letters of the shorter name per edit that is tolerated.
const CHARS_PER_EDIT: usize = 3;

/// Returns the edit distance of two names, or `None` if they do not resemble each other.
///
/// Case, spaces and punctuation do not count. A name that contains the other is farther away than
/// any misspelling.
pub fn distance(name: &str, other: &str) -> Option<usize> {
    let [name, other] = [letters(name)?, letters(other)?];
    let max = name.len().min(other.len()) / CHARS_PER_EDIT;
    let edits = edits(&name, &other);
    let (short, long) = if name.len() < other.len() { (&name, &other) } else { (&other, &name) };
    let is_part = short.len() >= MIN_PART_CHARS
        && long.windows(short.len()).any(|part| part == short.as_slice());
    if edits <= max { Some(edits) } else { is_part.then_some(MAX_NAME_CHARS) }
}

/// Returns the letters and digits of a name in lower case, or `None` if there are no or too many.
fn letters(name: &str) -> Option<Vec<char>> {
    let letters = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let letters: Vec<char> = letters.take(MAX_NAME_CHARS + 1).collect();
    (1..=MAX_NAME_CHARS).contains(&letters.len()).then_some(letters)
}

/// Returns the Levenshtein distance, except that the same letters in another order are one edit.
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
    fn counts_edits() {
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
    fn accepts_parts_and_rejects_others() {
        assert!(distance("HashSize", "Hash") > distance("Hsah", "Hash"));
        assert!(distance("Elo", "UCI_Elo").is_some());
        for name in ["Depth", "SyzygyPath", "", "--", "PV", &"Hash".repeat(1_000)] {
            assert_eq!(distance(name, "Hash").or(distance(name, "MultiPV")), None, "{name}");
        }
    }
}
