//! A writer for small SVG documents.

use std::fmt::{self, Display, Write as _};

/// The attributes of an element, in document order.
pub(crate) type Attributes<'a> = &'a [(&'a str, &'a dyn Display)];

/// XML as it is written. Each method writes whole elements and escapes text and attribute values.
#[derive(Default)]
pub(crate) struct Xml {
    text: String,
}

impl Xml {
    /// Writes an element. `content` writes its children.
    pub fn element(
        &mut self,
        name: &str,
        attributes: Attributes<'_>,
        content: impl FnOnce(&mut Xml),
    ) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        content(self);
        self.end(name);
    }

    /// Writes an element that contains only text.
    pub fn text(&mut self, name: &str, attributes: Attributes<'_>, text: impl Display) {
        self.start(name, attributes);
        self.text.push('>');
        self.escaped(&text);
        self.end(name);
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// Returns everything written so far.
    pub fn finish(self) -> String {
        self.text
    }

    fn start(&mut self, name: &str, attributes: Attributes<'_>) {
        self.text.extend(["<", name]);
        for (name, value) in attributes {
            self.text.extend([" ", name, "=\""]);
            self.escaped(value);
            self.text.push('"');
        }
    }

    fn end(&mut self, name: &str) {
        self.text.extend(["</", name, ">\n"]);
    }

    fn escaped(&mut self, value: &dyn Display) {
        // Writing to a string never fails.
        let _ = write!(Escaper(&mut self.text), "{value}");
    }
}

/// The attribute that moves an element from the origin to `at`, or hides it until a script does.
pub(crate) fn placement(at: Option<(f32, f32)>) -> (&'static str, String) {
    match at {
        Some((x, y)) => ("transform", format!("translate({x} {y})")),
        None => ("display", "none".to_owned()),
    }
}

/// Replaces the characters that have a meaning in XML by references.
struct Escaper<'a>(&'a mut String);

impl fmt::Write for Escaper<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '"' | '&' | '\'' | '<' | '>' => write!(self.0, "&#{};", u32::from(character))?,
                _ => self.0.push(character),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_text_and_attribute_values() {
        let mut xml = Xml::default();
        xml.text("text", &[("data-name", &"\"<"), ("x", &1.5)], "Black's & >");
        assert_eq!(
            xml.finish(),
            "<text data-name=\"&#34;&#60;\" x=\"1.5\">Black&#39;s &#38; &#62;</text>\n"
        );
    }

    #[test]
    fn nests_elements() {
        let mut xml = Xml::default();
        xml.element("g", &[], |xml| xml.empty("circle", &[("r", &10)]));
        assert_eq!(xml.finish(), "<g>\n<circle r=\"10\"/>\n</g>\n");
    }
}
