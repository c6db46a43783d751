use proptest::prelude::*;

use super::*;

/// The text in UTF-8, and in each encoding with a byte order mark.
fn encodings(text: &str) -> [(&'static str, Vec<u8>); 6] {
    let marked = format!("\u{feff}{text}");
    let utf16 =
        |order: fn(u16) -> [u8; 2]| marked.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let utf32 = |order: fn(u32) -> [u8; 4]| {
        marked.chars().map(u32::from).flat_map(order).collect::<Vec<u8>>()
    };
    [
        ("UTF-8", text.as_bytes().to_vec()),
        ("UTF-8 with a mark", marked.as_bytes().to_vec()),
        ("UTF-16LE", utf16(u16::to_le_bytes)),
        ("UTF-16BE", utf16(u16::to_be_bytes)),
        ("UTF-32LE", utf32(u32::to_le_bytes)),
        ("UTF-32BE", utf32(u32::to_be_bytes)),
    ]
}

/// The text with each kind of line end, with and without the last one.
fn line_ends(text: &str) -> [String; 6] {
    let ended = format!("{text}\n");
    [
        ended.clone(),
        ended.replace('\n', "\r\n"),
        ended.replace('\n', "\r"),
        text.to_owned(),
        text.replace('\n', "\r\n"),
        text.replace('\n', "\r"),
    ]
}

/// Reads all lines through a tiny buffer, so that every line is read in pieces.
fn lines(input: &[u8], longest: usize) -> Vec<(Vec<u8>, Extent)> {
    let mut lines = Lines::new(BufReader::with_capacity(3, input)).unwrap();
    let mut line = Vec::new();
    std::iter::from_fn(|| {
        lines.read(&mut line, longest).unwrap().map(|extent| (line.clone(), extent))
    })
    .collect()
}

fn kept(text: &[u8], is_ended: bool) -> (Vec<u8>, Extent) {
    let length = text.len() as u64 + u64::from(is_ended);
    (text.to_vec(), Extent { length, is_ended, is_too_long: false })
}

fn refused(bytes: &[u8]) -> String {
    read_all(bytes).unwrap_err().to_string()
}

#[test]
fn reads_all_encodings_and_line_ends() {
    let text = "a1a5 # Zoë\n\n\u{1f409} 将棋\nend";
    for variant in line_ends(text) {
        for (name, bytes) in encodings(&variant) {
            let read = read_all(&*bytes).unwrap();
            assert_eq!(read.trim_end_matches('\n'), text, "{name}: {variant:?}");
            let lines = lines(&bytes, 100);
            let texts: Vec<&str> =
                lines.iter().map(|(line, _)| std::str::from_utf8(line).unwrap()).collect();
            assert_eq!(texts, text.split('\n').collect::<Vec<_>>(), "{name}: {variant:?}");
            let length: u64 = lines.iter().map(|(_, extent)| extent.length).sum();
            assert_eq!(length, bytes.len() as u64, "{name}: {variant:?}");
        }
    }
}

#[test]
fn recognizes_utf16_and_utf32_without_mark() {
    let text = "position startpos\nmoves ä";
    for (name, bytes) in encodings(text).into_iter().skip(2) {
        let mark = if name.starts_with("UTF-16") { 2 } else { 4 };
        assert_eq!(read_all(&bytes[mark..]).unwrap(), text, "{name}");
    }
    assert_eq!(read_all(&b"a\0"[..]).unwrap(), "a");
}

#[test]
fn reads_mixed_line_ends() {
    assert_eq!(read_all(&b"a\r\nb\rc\nd\n\re"[..]).unwrap(), "a\nb\nc\nd\n\ne");
    assert_eq!(
        lines(b"a\r\n", 9),
        [(b"a".to_vec(), Extent { length: 3, is_ended: true, is_too_long: false })]
    );
}

#[test]
fn reads_last_line_without_end() {
    assert_eq!(
        lines(b"isready\n\ngo dep", 100),
        [kept(b"isready", true), kept(b"", true), kept(b"go dep", false)]
    );
    assert_eq!(lines(b"", 100), []);
    assert_eq!(lines(b"d\n", 100), [kept(b"d", true)]);
}

#[test]
fn ignores_padding_at_the_end_only() {
    assert_eq!(read_all(&b"a\n\0\0\0"[..]).unwrap(), "a\n");
    assert_eq!(read_all(&b"a\r\n\x1a"[..]).unwrap(), "a\n");
    assert_eq!(lines(b"\0\0", 100), [kept(b"\0\0", false)]);
    assert!(refused(b"a\0b\n").ends_with("found binary data"));
}

#[test]
fn keeps_beginning_of_too_long_line() {
    for longest in [10, 100, 1000] {
        let (line, longer) = ("x".repeat(longest), "y".repeat(longest + 1));
        let beginning = longer.as_bytes()[..BEGINNING.min(longer.len())].to_vec();
        for (name, bytes) in encodings(&format!("{line}\n{longer}\nd")) {
            let read = lines(&bytes, longest);
            let texts: Vec<(&[u8], bool)> =
                read.iter().map(|(line, extent)| (&line[..], extent.is_too_long)).collect();
            assert_eq!(
                texts,
                [(line.as_bytes(), false), (&beginning, true), (b"d", false)],
                "{name}"
            );
        }
    }
}

#[test]
fn names_format_of_file_that_is_not_text() {
    let cases: [(&[u8], &str); 8] = [
        (b"\x1f\x8b\x08\0\0\0", "found a gzip archive"),
        (b"PK\x03\x04\x14\0\0\0", "found a zip archive"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "found a PDF document"),
        (b"SQLite format 3\0\x10\0", "found an SQLite database"),
        (b"\x7fELF\x02\x01\x01\0", "found a program"),
        (b"\x01\0\x02\0\x03", "found binary data"),
        (b"rounds = 1\n# J\xfcrgen\n", "found byte 0xfc on line 2 (Latin-1?)"),
        (b"\xff\xfea\0\n\0\0\xd8\n\0", "found damaged UTF-16 on line 2"),
    ];
    for (bytes, expected) in cases {
        let message = refused(bytes);
        assert!(
            message.starts_with("expected UTF-8 or UTF-16 text, ") && message.ends_with(expected),
            "{message}"
        );
    }
    assert_eq!(read_all(&b"BZh is a name"[..]).unwrap(), "BZh is a name");
}

#[test]
fn keeps_invalid_bytes_in_their_line() {
    let read: Vec<_> = lines(b"a\nJ\xfcrgen\nb\n", 100).into_iter().map(|(line, _)| line).collect();
    assert_eq!(read, [&b"a"[..], b"J\xfcrgen", b"b"]);
    let read: Vec<_> = lines(b"\xff\xfea\0\n\0\0\xd8\n\0b\0\n\0c", 100)
        .into_iter()
        .map(|(line, _)| line)
        .collect();
    assert_eq!(read, [&b"a"[..], b"\xff", b"b", b"\xff"]);
}

#[test]
fn interactive_input_needs_first_line_only() {
    for line in ["d\n", "isready\r\n"] {
        for (name, bytes) in encodings(line) {
            let mut lines = Lines::new(BufReader::with_capacity(1, NoMore(&bytes))).unwrap();
            let mut read = Vec::new();
            lines.read(&mut read, 100).unwrap();
            assert!(!read.is_empty(), "{name}");
        }
    }
}

/// An input that delivers one byte at a time and panics at its end.
struct NoMore<'a>(&'a [u8]);

impl Read for NoMore<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (first, rest) = self.0.split_first().expect("read past the first line");
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

proptest! {
    #[test]
    fn reads_any_bytes_to_their_end(
        bytes in proptest::collection::vec(any::<u8>(), 0..64),
        marked in 0..6_usize,
    ) {
        let bytes = [encodings("")[marked].1.clone(), bytes].concat();
        let length: u64 = lines(&bytes, 5).iter().map(|(_, extent)| extent.length).sum();
        prop_assert_eq!(length, bytes.len() as u64);
        let _ = read_all(&*bytes);
    }

    #[test]
    fn reads_any_text_in_every_encoding(text in "[a-zé将][^\0\r]{0,20}[^\0\r\x1a]") {
        for (name, bytes) in encodings(&text) {
            prop_assert_eq!(&read_all(&*bytes).unwrap(), &text, "{}", name);
        }
    }
}
