//! Text encodings and signatures of other file formats.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, ErrorKind};

use super::NotText;

/// Unicode encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// Little-endian UTF-16.
    Utf16Le,
    /// Big-endian UTF-16.
    Utf16Be,
    /// Little-endian UTF-32.
    Utf32Le,
    /// Big-endian UTF-32.
    Utf32Be,
}

impl Display for Encoding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16Le | Encoding::Utf16Be => "UTF-16",
            Encoding::Utf32Le | Encoding::Utf32Be => "UTF-32",
        })
    }
}

/// A byte that never occurs in UTF-8. Replaces invalid code units.
pub(super) const INVALID: u8 = 0xff;

/// Maximum number of bytes needed to detect an encoding.
const LONGEST_HEAD: usize = 4;

impl Encoding {
    /// Detects the encoding from the beginning of a text. Returns it with the length of the byte
    /// order mark, or `None` if more bytes are needed.
    ///
    /// Without a mark, the first characters of UTF-16 and UTF-32 must be ASCII, as in RFC 4627.
    pub(super) fn detect(head: &[u8], is_whole: bool) -> Option<(Encoding, usize)> {
        let is_enough = is_whole || head.len() >= LONGEST_HEAD;
        let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
        Some(match *head {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
            [0xff, 0xfe, 0, 0, ..] => (Encoding::Utf32Le, 4),
            [0, 0, 0xfe, 0xff, ..] => (Encoding::Utf32Be, 4),
            [first, 0, 0, 0, ..] if is_ascii(first) => (Encoding::Utf32Le, 0),
            [0, 0, 0, first, ..] if is_ascii(first) => (Encoding::Utf32Be, 0),
            [0xff, 0xfe, ..] if is_enough => (Encoding::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
            [first, 0] if is_ascii(first) && is_whole => (Encoding::Utf16Le, 0),
            [first, 0, second, 0, ..] if is_ascii(first) && is_ascii(second) => {
                (Encoding::Utf16Le, 0)
            }
            [0, first] if is_ascii(first) && is_whole => (Encoding::Utf16Be, 0),
            [0, first, 0, second, ..] if is_ascii(first) && is_ascii(second) => {
                (Encoding::Utf16Be, 0)
            }
            [] | [_] | [0xef, 0xbb] | [0xff, 0xfe, ..] | [_, 0, ..] | [0, ..] if !is_enough => {
                return None;
            }
            _ => (Encoding::Utf8, 0),
        })
    }

    /// Length of a code unit in bytes.
    pub(super) const fn width(self) -> usize {
        match self {
            Encoding::Utf8 => 1,
            Encoding::Utf16Le | Encoding::Utf16Be => 2,
            Encoding::Utf32Le | Encoding::Utf32Be => 4,
        }
    }

    /// Value of a code unit.
    pub(super) fn unit(self, bytes: &[u8]) -> u32 {
        let joined = |sum: u32, &byte: &u8| (sum << 8) | u32::from(byte);
        match self {
            Encoding::Utf16Le | Encoding::Utf32Le => bytes.iter().rev().fold(0, joined),
            Encoding::Utf8 | Encoding::Utf16Be | Encoding::Utf32Be => bytes.iter().fold(0, joined),
        }
    }

    /// Appends code units to a text in UTF-8, with [`INVALID`] for each invalid one.
    pub(super) fn decode(self, units: &[u32], text: &mut Vec<u8>) {
        let mut push = |character: Option<char>| match character {
            Some(character) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes())
            }
            None => text.push(INVALID),
        };
        match self.width() {
            2 => char::decode_utf16(units.iter().map(|&unit| unit as u16))
                .for_each(|read| push(read.ok())),
            _ => units.iter().for_each(|&unit| push(char::from_u32(unit))),
        }
    }
}

/// Buffered bytes of an input; empty at its end.
pub(super) fn peek(input: &mut impl BufRead) -> io::Result<&[u8]> {
    let length = loop {
        match input.fill_buf() {
            Ok(chunk) => break chunk.len(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    // At the end of a terminal's input, another call would wait for more.
    if length == 0 { Ok(&[]) } else { input.fill_buf() }
}

/// Signatures of other file formats.
const FORMATS: [(&[u8], &str); 14] = [
    (b"\x1f\x8b", "a gzip archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"x\x9c", "zlib data"),
    (b"x\xda", "zlib data"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// Checks that the beginning of a file is not the signature of another format.
pub(super) fn check_format(head: &[u8]) -> Result<(), NotText> {
    let format = FORMATS.iter().find(|(beginning, _)| head.starts_with(beginning));
    // The beginning may end within a character.
    let is_utf8 = std::str::from_utf8(head)
        .map_or_else(|error| error.error_len().is_none(), |text| !text.contains('\0'));
    format.filter(|_| !is_utf8).map_or(Ok(()), |(_, name)| Err(NotText::Format(name)))
}

/// Checks that the beginning of a file has no NUL bytes except padding at its end.
pub(super) fn check_binary(head: &[u8]) -> Result<(), NotText> {
    let (encoding, mark) = Encoding::detect(head, true).unwrap_or((Encoding::Utf8, 0));
    let end =
        head.iter().rposition(|byte| !super::PADDING.contains(byte)).map_or(0, |last| last + 1);
    let mut units = head.get(mark..end).unwrap_or_default().chunks(encoding.width());
    if units.any(|unit| unit.iter().all(|&byte| byte == 0)) {
        Err(NotText::Format("binary data"))
    } else {
        Ok(())
    }
}
