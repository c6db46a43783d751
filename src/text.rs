//! Reads text files in any encoding and with any line end that editors and shells write.
//!
//! Text is UTF-8, UTF-16 or UTF-32, with or without a byte order mark. A line ends with `\n`,
//! `\r\n` or `\r`; the last line may lack its end. NUL bytes and Ctrl-Z at the end of the last line
//! are ignored.
//!
//! ```
//! use oshi::text::read_all;
//!
//! assert_eq!(read_all(&b"a1a5\r\nd8d4"[..])?, "a1a5\nd8d4");
//! assert_eq!(read_all(&b"\xff\xfea\01\0\r\0\n\0"[..])?, "a1\n");
//! let error = read_all(&b"\x1f\x8b\x08"[..]).unwrap_err();
//! assert_eq!(error.to_string(), "expected UTF-8 or UTF-16 text, found a gzip archive");
//! # Ok::<(), std::io::Error>(())
//! ```

mod encoding;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};
use std::path::Path;

pub use encoding::Encoding;

/// An input that is not text. Converts to an [`io::Error`] of kind [`ErrorKind::InvalidData`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotText {
    /// A known file format, such as an archive, or binary data.
    #[error("expected UTF-8 or UTF-16 text, found {0}")]
    Format(&'static str),
    /// A byte that is invalid in UTF-8.
    #[error("expected UTF-8 or UTF-16 text, found byte 0x{byte:02x} on line {line} (Latin-1?)")]
    Byte {
        /// The byte.
        byte: u8,
        /// The line, from 1.
        line: usize,
    },
    /// A code unit that is invalid in UTF-16 or UTF-32.
    #[error("expected UTF-8 or UTF-16 text, found damaged {encoding} on line {line}")]
    Damaged {
        /// Encoding of the input.
        encoding: Encoding,
        /// The line, from 1.
        line: usize,
    },
}

impl From<NotText> for io::Error {
    fn from(error: NotText) -> io::Error {
        io::Error::new(ErrorKind::InvalidData, error)
    }
}

/// Opens a regular file. Pipes and devices are refused: they may be endless and cannot be reread.
///
/// # Errors
/// The system's, or [`ErrorKind::InvalidInput`] if the file is not regular.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file"))
}

/// Reads a regular text file. The lines of the result end with `\n`.
///
/// # Errors
/// The system's, or [`NotText`].
pub fn read(path: &Path) -> io::Result<String> {
    read_all(open_regular(path)?)
}

/// Reads a whole text. The lines of the result end with `\n`.
///
/// # Errors
/// The input's, or [`NotText`].
pub fn read_all(input: impl Read) -> io::Result<String> {
    let mut lines = Lines::of_file(input)?;
    let (mut text, mut line, mut number) = (String::new(), Vec::new(), 0);
    while let Some(extent) = lines.read(&mut line, usize::MAX)? {
        number += 1;
        text.push_str(std::str::from_utf8(&line).map_err(|error| {
            let byte = line.get(error.valid_up_to()).copied().unwrap_or_default();
            match lines.encoding {
                Encoding::Utf8 => NotText::Byte { byte, line: number },
                encoding => NotText::Damaged { encoding, line: number },
            }
        })?);
        text.push_str(if extent.is_ended { "\n" } else { "" });
    }
    Ok(text)
}

/// Extent of a line in its input.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Extent {
    /// Length in bytes, including the line end and a byte order mark.
    pub length: u64,
    /// Whether the line has a line end. Only the last line of an input may lack it.
    pub is_ended: bool,
    /// Whether only the beginning was kept, because the line is too long.
    pub is_too_long: bool,
}

/// Length of the beginning that is kept of a line that is too long, in bytes.
const BEGINNING: usize = 64;

/// Padding at the end of a file: NUL after a power failure, Ctrl-Z from old editors.
const PADDING: [u8; 2] = [0, 0x1a];

/// Lines of an input, converted to UTF-8. Invalid input stays in its line as invalid UTF-8.
#[derive(Debug)]
pub struct Lines<R> {
    input: Chain<Cursor<Vec<u8>>, R>,
    encoding: Encoding,
    /// Length of the byte order mark in bytes; 0 after the first line.
    mark: u64,
    /// A code unit that was read ahead.
    ahead: Option<Unit>,
    /// Whether the next line is the first.
    is_first: bool,
}

/// Code unit of UTF-16 or UTF-32.
#[derive(Clone, Copy, Debug)]
struct Unit {
    /// Number of bytes read: fewer than the unit's width at the end of the input.
    bytes: usize,
    value: u32,
}

const LINE_FEED: u32 = b'\n' as u32;
const RETURN: u32 = b'\r' as u32;

impl<R: Read> Lines<BufReader<R>> {
    /// Lines of a file. Checks by its beginning that it is text.
    ///
    /// # Errors
    /// The input's, or [`NotText`].
    pub fn of_file(input: R) -> io::Result<Lines<BufReader<R>>> {
        let mut input = BufReader::with_capacity(READ_AHEAD, input);
        let head = encoding::peek(&mut input)?;
        encoding::check_format(head)?;
        encoding::check_binary(head)?;
        Lines::new(input)
    }

    /// Lines of a file that a program appends to. NUL bytes, which a power failure may leave, stay
    /// in their line.
    ///
    /// # Errors
    /// The input's, or [`NotText`] if the file has another known format.
    pub fn of_journal(input: R) -> io::Result<Lines<BufReader<R>>> {
        let mut input = BufReader::with_capacity(READ_AHEAD, input);
        encoding::check_format(encoding::peek(&mut input)?)?;
        Lines::new(input)
    }
}

/// Size of the input buffer in bytes.
const READ_AHEAD: usize = 1 << 16;

impl<R: BufRead> Lines<R> {
    /// Lines of an input from its beginning. Reads only the bytes that determine the encoding, so
    /// that an interactive input needs to deliver no more than its first line.
    ///
    /// # Errors
    /// The input's.
    pub fn new(mut input: R) -> io::Result<Lines<R>> {
        let mut head = Vec::new();
        let (encoding, mark) = loop {
            let is_whole = input.by_ref().take(1).read_to_end(&mut head)? == 0;
            if let Some(found) = Encoding::detect(&head, is_whole) {
                break found;
            }
        };
        head.drain(..mark);
        Ok(Lines {
            input: Cursor::new(head).chain(input),
            encoding,
            mark: mark as u64,
            ahead: None,
            is_first: true,
        })
    }

    /// Lines of an input that begins at a line in the middle of a text.
    pub fn continued(input: R, encoding: Encoding) -> Lines<R> {
        Lines {
            input: Cursor::new(Vec::new()).chain(input),
            encoding,
            mark: 0,
            ahead: None,
            is_first: false,
        }
    }

    /// Encoding of the input.
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Reads the next line into `line`, without its line end. Returns `None` at the end of the
    /// input. Of a line of more than `longest` bytes, only the first 64 are kept.
    ///
    /// # Errors
    /// The input's.
    pub fn read(&mut self, line: &mut Vec<u8>, longest: usize) -> io::Result<Option<Extent>> {
        line.clear();
        let mut extent = match self.encoding {
            Encoding::Utf8 => self.read_bytes(line, longest)?,
            _ => self.read_units(line, longest)?,
        };
        extent.length += std::mem::take(&mut self.mark);
        let end = line.iter().rposition(|byte| !PADDING.contains(byte)).map_or(0, |last| last + 1);
        // An input that consists of these bytes only is kept.
        if !extent.is_ended && (end > 0 || !self.is_first) {
            line.truncate(end);
        }
        self.is_first = false;
        Ok((extent.length > 0).then_some(extent))
    }

    fn read_bytes(&mut self, line: &mut Vec<u8>, longest: usize) -> io::Result<Extent> {
        let mut extent = Extent::default();
        while !extent.is_ended {
            let chunk = encoding::peek(&mut self.input)?;
            if chunk.is_empty() {
                break;
            }
            let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, rest) = chunk.split_at(end.unwrap_or(chunk.len()));
            extent.is_too_long |= line.len() + piece.len() > longest;
            if extent.is_too_long {
                line.extend(piece.iter().take(BEGINNING.saturating_sub(line.len())));
                line.truncate(BEGINNING);
                line.shrink_to_fit();
            } else {
                line.extend_from_slice(piece);
            }
            extent.is_ended = end.is_some();
            let is_return = rest.first() == Some(&b'\r');
            let consumed = piece.len() + usize::from(extent.is_ended);
            self.input.consume(consumed);
            extent.length += consumed as u64;
            if is_return && encoding::peek(&mut self.input)?.first() == Some(&b'\n') {
                self.input.consume(1);
                extent.length += 1;
            }
        }
        Ok(extent)
    }

    fn read_units(&mut self, line: &mut Vec<u8>, longest: usize) -> io::Result<Extent> {
        let mut extent = Extent::default();
        let mut units = Vec::new();
        let is_damaged = loop {
            let unit = self.ahead.take().map_or_else(|| self.next_unit(), Ok)?;
            extent.length += unit.bytes as u64;
            if unit.bytes < self.encoding.width() {
                break unit.bytes > 0;
            }
            extent.is_ended = matches!(unit.value, LINE_FEED | RETURN);
            if unit.value == RETURN {
                match self.next_unit()? {
                    next if next.bytes == self.encoding.width() && next.value == LINE_FEED => {
                        extent.length += next.bytes as u64
                    }
                    next => self.ahead = Some(next),
                }
            }
            if extent.is_ended {
                break false;
            }
            extent.is_too_long |= units.len() == longest;
            units.truncate(if extent.is_too_long { BEGINNING } else { longest });
            units.push(unit.value);
        };
        self.encoding.decode(&units, line);
        if is_damaged {
            line.push(encoding::INVALID);
        }
        extent.is_too_long |= line.len() > longest;
        if extent.is_too_long {
            line.truncate(BEGINNING);
        }
        Ok(extent)
    }

    fn next_unit(&mut self) -> io::Result<Unit> {
        let width = self.encoding.width();
        let mut bytes = Vec::with_capacity(width);
        self.input.by_ref().take(width as u64).read_to_end(&mut bytes)?;
        Ok(Unit { bytes: bytes.len(), value: self.encoding.unit(&bytes) })
    }
}

#[cfg(test)]
mod tests;
