//! Reads and prints the headers of a sheet.

use super::error::Problem;
use super::game::Sheet;
use crate::printable::{is_control, printable};
use oshi::game::quote;
use oshi::games::language::Terms;
use oshi::games::spelling::is_same;

/// The headers read so far.
pub struct Headers {
    /// A sheet with their values and no moves. Its start is empty without such a header.
    pub sheet: Sheet,
    /// Terms of the sheet's language.
    pub terms: &'static Terms,
    /// Line of the start, or of the title without such a header.
    pub start_line: usize,
    /// Line of the result, or of the title without such a header.
    pub result_line: usize,
    seen: Vec<&'static str>,
}

impl Headers {
    /// No headers yet, with the title on this line.
    pub fn new(terms: &'static Terms, title_line: usize) -> Headers {
        let sheet = Sheet::new(String::new());
        Headers { sheet, terms, start_line: title_line, result_line: title_line, seen: Vec::new() }
    }

    /// Reads one header.
    ///
    /// # Errors
    /// [`Problem`] if the header is unknown, repeated or has an invalid value.
    pub fn read(&mut self, text: &str, line: usize) -> Result<(), Problem> {
        let terms = self.terms;
        let [black, white] = terms.players;
        let [black_limit, white_limit] = terms.limits;
        let keys = [
            terms.game,
            terms.date,
            black,
            white,
            black_limit,
            white_limit,
            terms.start,
            terms.result,
            terms.ending,
        ];
        let pair = text.split_once(':');
        let found = pair.and_then(|(key, value)| {
            Some((keys.into_iter().find(|known| is_same(terms, known, key))?, value))
        });
        let Some((key, value)) = found else {
            return Err(Problem::Header { found: quote(text), expected: keys.join(", ") });
        };
        if self.seen.contains(&key) {
            return Err(Problem::Twice(key));
        }
        self.seen.push(key);
        let wrong = |expected| Problem::Value { key, found: quote(value.trim()), expected };
        let value = read_value(value.trim())
            .ok_or_else(|| wrong("a text, in quotes as in JSON if it begins with a quote"))?;
        let sheet = &mut self.sheet;
        let [black_seat, white_seat] = &mut sheet.seats;
        if key == terms.game {
            sheet.game = Some(value.parse().map_err(|_| wrong("a number"))?);
        } else if key == terms.result {
            sheet.result = value.parse().map_err(|_| wrong("1-0, 0-1, 1/2-1/2 or *"))?;
            self.result_line = line;
        } else if key == terms.start {
            sheet.start = value;
            self.start_line = line;
        } else if key == terms.date {
            sheet.date = Some(value);
        } else if key == terms.ending {
            sheet.ending = Some(value);
        } else if key == black {
            black_seat.name = value;
        } else if key == white {
            white_seat.name = value;
        } else if key == black_limit {
            black_seat.limit = value;
        } else {
            white_seat.limit = value;
        }
        Ok(())
    }
}

fn read_value(value: &str) -> Option<String> {
    if value.starts_with('"') { serde_json::from_str(value).ok() } else { Some(value.to_owned()) }
}

/// Prints the title and the headers of a sheet, one per line.
pub fn headers(sheet: &Sheet, variant: &str, terms: &Terms) -> String {
    let [black, white] = &sheet.seats;
    let [black_name, white_name] = terms.players;
    let [black_limit, white_limit] = terms.limits;
    let limit = |limit: &str| (!limit.is_empty()).then(|| limit.to_owned());
    let fields = [
        (terms.sheet, Some(variant.to_owned())),
        (terms.game, sheet.game.map(|game| game.to_string())),
        (terms.date, sheet.date.clone()),
        (black_name, Some(black.name.clone())),
        (white_name, Some(white.name.clone())),
        (black_limit, limit(&black.limit)),
        (white_limit, limit(&white.limit)),
        (terms.start, Some(sheet.start.clone())),
        (terms.result, Some(sheet.result.to_string())),
        (terms.ending, sheet.ending.clone()),
    ];
    let mut text = String::new();
    for (key, value) in fields {
        if let Some(value) = value {
            text.push_str(format!("{key}: {}", header_value(&value)).trim_end());
            text.push('\n');
        }
    }
    text
}

/// Prints a value; as a JSON string if it has hidden characters or could not be read back.
fn header_value(value: &str) -> String {
    let is_plain = !value.starts_with('"') && value.trim() == value && !value.contains(is_hidden);
    if is_plain {
        value.to_owned()
    } else {
        printable(&serde_json::Value::from(value).to_string()).into_owned()
    }
}

/// Whether a character is a control, or one that programs drop or treat as a line end.
fn is_hidden(character: char) -> bool {
    is_control(character) || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::records::transcript::start_line;
    use crate::sheet::{Seat, parse};
    use oshi::games::Variant;
    use oshi::games::language::Language;
    use oshi::games::notation::Form;

    /// Prints a sheet and reads it back.
    fn read_back(sheet: &Sheet, language: Language) -> Sheet {
        let text = sheet.print(Form::Words, language).unwrap();
        assert_eq!(printable(&text), text);
        let mut sheets = parse(text.as_bytes());
        assert_eq!(sheets.len(), 1, "{text}");
        sheets.remove(0).1.unwrap()
    }

    fn sheet(texts: [String; 6]) -> Sheet {
        let [black, white, black_limit, white_limit, date, ending] = texts;
        Sheet {
            date: Some(date),
            seats: [
                Seat { name: black, limit: black_limit },
                Seat { name: white, limit: white_limit },
            ],
            ending: Some(ending),
            ..Sheet::new(start_line(Variant::default()))
        }
    }

    #[test]
    fn hidden_characters_survive_round_trip() {
        let texts = [
            "",
            " ",
            "\"",
            "\"x\"",
            "a\nb",
            "\r",
            "\t",
            "a\0",
            "\x1b[31m",
            "\u{7f}\u{9b}",
            "\u{85}",
            "a\u{202e}b",
            "\u{200e}",
            "\u{2066}x\u{2069}",
            "\u{feff}",
            "x\u{feff}",
            "\u{2028}",
            "a\u{2029}b",
            "\\u202e",
            "\u{a0}x\u{3000}",
            "Start: 1",
            "# x | y",
            "Zoë 将棋 👩‍🚀",
        ];
        for text in texts {
            for &language in Language::ALL {
                let sheet = sheet([text; 6].map(str::to_owned));
                assert_eq!(read_back(&sheet, language), sheet, "{text:?}");
            }
        }
    }

    const ANY_STRING: &str = "([\\PC\\pC]|[\"\\\\: \r\n\u{200e}\u{202e}\u{feff}\u{2028}]){0,12}";

    proptest! {
        #[test]
        fn any_string_survives_round_trip(texts in [(); 6].map(|()| ANY_STRING)) {
            let sheet = sheet(texts);
            for language in [Language::English, Language::Romanian] {
                prop_assert_eq!(&read_back(&sheet, language), &sheet);
            }
        }
    }
}
