//! The last lines that an engine wrote to stderr, for messages, records and reports.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::printable::one_line;

/// Maximum number of lines kept.
pub const MAX_LINES: usize = 10;

/// Maximum length of all lines together, in bytes.
pub const MAX_BYTES: usize = 4096;

/// Replaces the beginning of a line that was cut.
const CUT: char = '…';

/// The last lines of an engine's stderr: printable, at most [`MAX_LINES`] lines of [`MAX_BYTES`]
/// bytes in all.
///
/// `Display` appends them to a message, one indented line each. Without lines it prints nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct StderrTail(Vec<String>);

impl StderrTail {
    /// The lines, oldest first, without blank ones.
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// Whether there are no lines.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the last lines.
    fn of<'a>(lines: impl DoubleEndedIterator<Item = &'a str>) -> StderrTail {
        let mut kept = Vec::new();
        let mut room = MAX_BYTES;
        for line in lines.rev().map(str::trim_end).filter(|line| !line.is_empty()).take(MAX_LINES) {
            let line = one_line(line);
            if line.len() <= room {
                room -= line.len();
                kept.push(line.into_owned());
                continue;
            }
            let start = line.ceil_char_boundary((line.len() + CUT.len_utf8()).saturating_sub(room));
            let end = line.get(start..).unwrap_or_default();
            if !end.is_empty() {
                kept.push(format!("{CUT}{end}"));
            }
            break;
        }
        kept.reverse();
        StderrTail(kept)
    }
}

impl From<Vec<String>> for StderrTail {
    /// Applies the limits to lines read from a file.
    fn from(lines: Vec<String>) -> StderrTail {
        StderrTail::of(lines.iter().map(String::as_str))
    }
}

impl Display for StderrTail {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        f.write_str("; its last lines on stderr:")?;
        self.0.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

/// The end of a stream of bytes, in bounded memory.
#[derive(Default, Debug)]
pub struct TailBuffer {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl TailBuffer {
    /// Appends bytes and drops the oldest ones.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(
            bytes.get(bytes.len().saturating_sub(MAX_BYTES)..).unwrap_or_default(),
        );
        let surplus = self.bytes.len().saturating_sub(MAX_BYTES);
        self.is_cut |= surplus > 0 || bytes.len() > MAX_BYTES;
        self.bytes.drain(..surplus);
    }

    /// The last lines so far. Invalid UTF-8 is replaced.
    pub fn stderr_tail(&self) -> StderrTail {
        let mut text = String::from_utf8_lossy(&self.bytes);
        if self.is_cut {
            text.to_mut().insert(0, CUT);
        }
        StderrTail::of(text.lines())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stderr_tail(chunks: &[&[u8]]) -> StderrTail {
        let mut tail = TailBuffer::default();
        chunks.iter().for_each(|chunk| tail.push(chunk));
        tail.stderr_tail()
    }

    fn length(words: &StderrTail) -> usize {
        words.lines().iter().map(String::len).sum()
    }

    #[test]
    fn keeps_the_last_lines_and_drops_blank_ones() {
        let text: String = (1..=30).map(|number| format!("line {number}\r\n\n")).collect();
        let expected: Vec<String> = (21..=30).map(|number| format!("line {number}")).collect();
        assert_eq!(stderr_tail(&[text.as_bytes()]).lines(), expected);
        assert_eq!(stderr_tail(&[b"li", b"ne\nunfini", b"shed"]).lines(), ["line", "unfinished"]);
        assert!(stderr_tail(&[]).is_empty() && stderr_tail(&[b" \n\n"]).is_empty());
    }

    #[test]
    fn makes_control_characters_and_foreign_bytes_printable() {
        let words = stderr_tail(&[b"\x1b[31mred\x07\tJ\xfcrgen \xe2\x80\xae\n"]);
        assert_eq!(words.lines(), ["\\u001b[31mred\\u0007\\tJ\u{fffd}rgen \\u202e"]);
    }

    #[test]
    fn bounds_lines_of_any_length() {
        let long = "ü".repeat(10 * MAX_BYTES);
        let flood = vec![b"x".as_slice(); 3 * MAX_BYTES];
        let controls = vec![b'\x1b'; 2 * MAX_BYTES];
        for chunks in
            [vec![long.as_bytes()], flood, vec![&controls], vec![long.as_bytes(), b"\nlast\n"]]
        {
            let words = stderr_tail(&chunks);
            assert!((MAX_BYTES - 8..=MAX_BYTES).contains(&length(&words)), "{}", length(&words));
            assert!(words.lines().first().is_some_and(|line| line.starts_with(CUT)), "{words:?}");
        }
        assert_eq!(stderr_tail(&[long.as_bytes(), b"\nlast\n"]).lines().last().unwrap(), "last");
    }

    #[test]
    fn bounds_lines_of_a_record() {
        let lines = serde_json::to_string(&vec!["a\nb\u{1b}"; 1000]).unwrap();
        let words: StderrTail = serde_json::from_str(&lines).unwrap();
        assert_eq!(words.lines(), vec![r"a\nb\u001b"; MAX_LINES]);
        let again = serde_json::to_string(&words).unwrap();
        assert_eq!(serde_json::from_str::<StderrTail>(&again).unwrap(), words);
        let long: StderrTail =
            serde_json::from_str(&format!("[\"{}\"]", "x".repeat(1 << 20))).unwrap();
        assert_eq!(length(&long), MAX_BYTES);
    }

    #[test]
    fn prints_one_indented_line_each() {
        assert_eq!(StderrTail::default().to_string(), "");
        let words = stderr_tail(&[b"a\nb\n"]);
        assert_eq!(format!("it ended{words}"), "it ended; its last lines on stderr:\n    a\n    b");
    }
}
