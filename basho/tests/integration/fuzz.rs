//! Every parser on damaged input: the seeds of `fuzz/seeds`, cut, spliced and edited.
//!
//! `PROPTEST_CASES=1000000 cargo test --release fuzz::` runs more cases.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::parsers;

/// Bytes and words that often break parsers.
const FRAGMENTS: [&[u8]; 40] = [
    b"",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    "\u{202e}".as_bytes(),
    "é".as_bytes(),
    b"#",
    b"/",
    b"-",
    b"--",
    b"+",
    b"++++",
    b"0",
    b"9",
    b"-1",
    b"18446744073709551616",
    b"1e999",
    b"nan",
    b"null",
    b"\"",
    b"\\",
    b"[",
    b"{",
    b"}",
    b"=",
    b" moves ",
    b"a1a5",
    b"0000",
    b"left",
    b"d4",
    b"startpos",
    b"refill",
    b"info ",
    b"</script>",
    b"turned",
];

/// An edit of a text.
#[derive(Clone, Debug)]
enum Edit {
    /// Replaces some bytes by a fragment.
    Replace(Index, usize, &'static [u8]),
    /// Removes the bytes between two places.
    Cut(Index, Index),
    /// Copies the bytes between the first two places to the third.
    Copy(Index, Index, Index),
    /// Replaces a byte.
    Byte(Index, u8),
}

impl Edit {
    fn apply(&self, text: &mut Vec<u8>) {
        let length = text.len() + 1;
        match self {
            Edit::Replace(at, count, fragment) => {
                let at = at.index(length);
                text.splice(at..text.len().min(at + count), fragment.iter().copied());
            }
            Edit::Cut(one, other) => {
                let (one, other) = (one.index(length), other.index(length));
                text.drain(one.min(other)..one.max(other));
            }
            Edit::Copy(one, other, to) => {
                let (one, other) = (one.index(length), other.index(length));
                let copied = text[one.min(other)..one.max(other)].to_vec();
                let to = to.index(length);
                text.splice(to..to, copied);
            }
            Edit::Byte(at, byte) => {
                if let Some(place) = text.get_mut(at.index(length)) {
                    *place = *byte;
                }
            }
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<Index>(), 0usize..8, select(FRAGMENTS.to_vec()))
            .prop_map(|(at, count, fragment)| Edit::Replace(at, count, fragment)),
        (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Edit::Cut(one, other)),
        (any::<Index>(), any::<Index>(), any::<Index>())
            .prop_map(|(one, other, to)| Edit::Copy(one, other, to)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
    ]
}

/// A seed of a kind with up to five edits.
fn damaged_seed(kind: &str) -> impl Strategy<Value = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(kind);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let seeds: Vec<Vec<u8>> = files.into_iter().map(|file| std::fs::read(file).unwrap()).collect();
    (select(seeds), vec(edit(), 0..6)).prop_map(|(mut text, edits)| {
        edits.iter().for_each(|edit| edit.apply(&mut text));
        text
    })
}

proptest! {
    #[test]
    fn accepts_only_sound_positions(bytes in damaged_seed("positions")) {
        parsers::position(&bytes);
    }

    #[test]
    fn accepts_only_legal_moves(bytes in damaged_seed("moves")) {
        parsers::moves(&bytes);
    }

    #[test]
    fn rejects_or_round_trips_protocol_lines(bytes in damaged_seed("protocol")) {
        parsers::protocol(&bytes);
    }

    #[test]
    fn rejects_or_round_trips_sheets(bytes in damaged_seed("sheets")) {
        parsers::sheets(&bytes);
    }

    #[test]
    fn rejects_or_converts_records(bytes in damaged_seed("records")) {
        parsers::records(&bytes);
    }

    #[test]
    fn rejects_or_round_trips_tournaments(bytes in damaged_seed("tournaments")) {
        parsers::tournament(&bytes);
    }

    #[test]
    fn survives_arbitrary_bytes(bytes in vec(any::<u8>(), 0..200)) {
        parsers::position(&bytes);
        parsers::moves(&bytes);
        parsers::protocol(&bytes);
        parsers::sheets(&bytes);
        parsers::records(&bytes);
        parsers::tournament(&bytes);
    }
}
