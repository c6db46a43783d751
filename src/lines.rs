//! Reading files and lines that may not end.

use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

/// What some editors begin a text file with; it is not part of the text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Opens a regular file: a pipe or a device may not end, and could not be read again.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file"))
}

/// What was read of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// All its bytes in the input, its newline among them.
    pub length: u64,
    /// Whether it ends with a newline: the last line of an input may not.
    pub is_ended: bool,
    /// Whether it was too long to be kept.
    pub is_too_long: bool,
}

/// What is kept of a line that is too long, in bytes: enough to see what it would have been.
const BEGINNING: usize = 64;

/// Reads up to the next newline, or to the end of the input, in place of what `line` holds; `None` where that end has been reached
/// before. The newline is left out. Never keeps more than `longest` bytes: a longer line is read to its end, and all but its first 64
/// bytes are dropped.
///
/// # Errors
/// What the input fails with.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, longest: usize) -> io::Result<Option<Extent>> {
    line.clear();
    let mut extent = Extent { length: 0, is_ended: false, is_too_long: false };
    while !extent.is_ended {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let piece = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        extent.is_too_long |= line.len() + piece.len() > longest;
        if extent.is_too_long {
            line.extend(piece.iter().take(BEGINNING.saturating_sub(line.len())));
            line.truncate(BEGINNING);
            line.shrink_to_fit();
        } else {
            line.extend_from_slice(piece);
        }
        extent.is_ended = end.is_some();
        let consumed = piece.len() + usize::from(extent.is_ended);
        extent.length += consumed as u64;
        input.consume(consumed);
    }
    Ok((extent.length > 0).then_some(extent))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Reads all lines through a buffer so small that every line is read in pieces.
    fn lines(input: &[u8], longest: usize) -> Vec<(Vec<u8>, Extent)> {
        let mut input = BufReader::with_capacity(3, input);
        let mut line = Vec::new();
        std::iter::from_fn(|| read_line(&mut input, &mut line, longest).unwrap().map(|extent| (line.clone(), extent))).collect()
    }

    fn kept(text: &[u8], is_ended: bool) -> (Vec<u8>, Extent) {
        let length = text.len() as u64 + u64::from(is_ended);
        (text.to_vec(), Extent { length, is_ended, is_too_long: false })
    }

    #[test]
    fn the_last_line_needs_no_newline() {
        assert_eq!(lines(b"isready\n\ngo dep", 100), [kept(b"isready", true), kept(b"", true), kept(b"go dep", false)]);
        assert_eq!(lines(b"", 100), []);
        assert_eq!(lines(b"d\n", 100), [kept(b"d", true)]);
    }

    #[test]
    fn the_longest_line_is_kept_and_a_longer_one_but_for_its_beginning_dropped() {
        for longest in [10, 100, 1000] {
            let (line, longer) = ("x".repeat(longest), "y".repeat(longest + 1));
            let beginning = longer.as_bytes()[..BEGINNING.min(longer.len())].to_vec();
            let cut = (beginning, Extent { length: longest as u64 + 2, is_ended: true, is_too_long: true });
            let input = format!("{line}\n{longer}\nd");
            assert_eq!(lines(input.as_bytes(), longest), [kept(line.as_bytes(), true), cut, kept(b"d", false)]);
        }
    }
}
