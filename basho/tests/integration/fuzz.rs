//! Every parser on bytes that are nearly right: the seeds of `fuzz/seeds`, cut, spliced and spoilt.
//!
//! `PROPTEST_CASES=1000000 cargo test --release fuzz::` goes on for as long as one likes.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::parsers;

/// Bytes and words that parsers may stumble on.
const SPLINTERS: [&[u8]; 40] = [
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

/// One way to spoil a text.
#[derive(Clone, Debug)]
enum Spoil {
    /// Puts a splinter in the place of some bytes.
    Replace(Index, usize, &'static [u8]),
    /// Leaves out the bytes between the two.
    Cut(Index, Index),
    /// Puts the bytes between the first two in again at the third.
    Copy(Index, Index, Index),
    /// Changes a byte.
    Byte(Index, u8),
}

impl Spoil {
    fn apply(&self, text: &mut Vec<u8>) {
        let length = text.len() + 1;
        match self {
            Spoil::Replace(at, count, splinter) => {
                let at = at.index(length);
                text.splice(at..text.len().min(at + count), splinter.iter().copied());
            }
            Spoil::Cut(one, other) => {
                let (one, other) = (one.index(length), other.index(length));
                text.drain(one.min(other)..one.max(other));
            }
            Spoil::Copy(one, other, to) => {
                let (one, other) = (one.index(length), other.index(length));
                let copied = text[one.min(other)..one.max(other)].to_vec();
                let to = to.index(length);
                text.splice(to..to, copied);
            }
            Spoil::Byte(at, byte) => {
                if let Some(place) = text.get_mut(at.index(length)) {
                    *place = *byte;
                }
            }
        }
    }
}

fn spoil() -> impl Strategy<Value = Spoil> {
    prop_oneof![
        (any::<Index>(), 0usize..8, select(SPLINTERS.to_vec()))
            .prop_map(|(at, count, splinter)| Spoil::Replace(at, count, splinter)),
        (any::<Index>(), any::<Index>()).prop_map(|(one, other)| Spoil::Cut(one, other)),
        (any::<Index>(), any::<Index>(), any::<Index>())
            .prop_map(|(one, other, to)| Spoil::Copy(one, other, to)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Spoil::Byte(at, byte)),
    ]
}

/// A seed of this kind with up to six things done to it; unspoilt too.
fn nearly_right(kind: &str) -> impl Strategy<Value = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(kind);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let seeds: Vec<Vec<u8>> = files.into_iter().map(|file| std::fs::read(file).unwrap()).collect();
    (select(seeds), vec(spoil(), 0..6)).prop_map(|(mut text, spoils)| {
        spoils.iter().for_each(|spoil| spoil.apply(&mut text));
        text
    })
}

proptest! {
    #[test]
    fn positions_are_refused_or_sound(bytes in nearly_right("positions")) {
        parsers::position(&bytes);
    }

    #[test]
    fn moves_are_refused_or_legal(bytes in nearly_right("moves")) {
        parsers::moves(&bytes);
    }

    #[test]
    fn lines_of_the_protocol_are_refused_or_read_back(bytes in nearly_right("protocol")) {
        parsers::protocol(&bytes);
    }

    #[test]
    fn sheets_are_refused_or_read_back(bytes in nearly_right("sheets")) {
        parsers::sheets(&bytes);
    }

    #[test]
    fn records_are_refused_or_converted(bytes in nearly_right("records")) {
        parsers::records(&bytes);
    }

    #[test]
    fn tournaments_are_refused_or_read_back(bytes in nearly_right("tournaments")) {
        parsers::tournament(&bytes);
    }

    #[test]
    fn bytes_of_any_kind_are_refused(bytes in vec(any::<u8>(), 0..200)) {
        parsers::position(&bytes);
        parsers::moves(&bytes);
        parsers::protocol(&bytes);
        parsers::sheets(&bytes);
        parsers::records(&bytes);
        parsers::tournament(&bytes);
    }
}
