//! Opens files and folders of games.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use super::{Archive, TextForm, collect};
use crate::records::folder::{GAMES, RecordError};
use crate::records::manifest;
use oshi::games::Variant;
use oshi::text::{Lines, open_regular};

impl Archive {
    /// Opens the folder of a tournament, or a file.
    ///
    /// `from` overrides the detected format. `variant` sets the meaning of `startpos`. The default is
    /// the variant of the tournament that the file belongs to.
    ///
    /// # Errors
    /// [`RecordError`] names the file that cannot be read.
    pub fn open(
        path: &Path,
        from: Option<TextForm>,
        variant: Option<Variant>,
    ) -> Result<Archive, RecordError> {
        let (path, variant, open): (_, _, fn(&Path) -> io::Result<File>) = if path.is_dir() {
            let played =
                variant.map_or_else(|| Ok(manifest::read(path)?.tournament.variant.0), Ok)?;
            (path.join(GAMES), played, open_regular)
        } else {
            // A file of games may lie outside the folder of its tournament.
            let manifest = || manifest::read(path.parent().filter(|_| path.ends_with(GAMES))?).ok();
            let played = variant.or_else(|| Some(manifest()?.tournament.variant.0));
            (path.to_owned(), played.unwrap_or_default(), open_stream)
        };
        let lines = open(&path).and_then(|file| match Lines::of_file(file) {
            Ok(lines) => Ok(Ok(collect(lines)?)),
            Err(error) => error.downcast().map(Err),
        });
        let lines = lines.map_err(|source| RecordError::Io { path: path.clone(), source })?;
        Ok(match lines {
            Ok(lines) => Archive::of_lines(path, lines, from, vec![variant]),
            Err(not_text) => Archive {
                not_text: Some(not_text),
                ..Archive::of_lines(path, Vec::new(), from, vec![variant])
            },
        })
    }
}

/// Opens a regular file or a pipe. Other files, such as devices, may never end.
fn open_stream(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.file_type().is_fifo() { File::open(path) } else { open_regular(path) }
}
