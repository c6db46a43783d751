//! Writes files that the user asked for: a page, a picture.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use basho::output_file;
use basho::records::folder::{RecordError, check_output, new_file};

/// Writes a file whole or not at all: until the new text is on the disk, the old one stays. The records of a tournament stay in any case.
pub fn write(file: &Path, text: &str) -> Result<(), RecordError> {
    check_output(file)?;
    replace(file, text).map_err(|source| RecordError::Io { path: file.to_owned(), source })
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    let old = match fs::metadata(file) {
        Ok(old) if !old.is_file() => {
            // A device has no content to lose, and must not be replaced.
            return output_file::open(file, File::options().write(true))?
                .write_all(text.as_bytes());
        }
        Ok(old) if old.permissions().readonly() => return Err(ErrorKind::PermissionDenied.into()),
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // A link is followed: its target is replaced, not the link.
    let place = if old.is_some() { file.canonicalize()? } else { file.to_owned() };
    let dir = place.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = new_file(dir)?;
    draft.write_all(text.as_bytes())?;
    if let Some(old) = old {
        draft.as_file().set_permissions(old.permissions())?;
    }
    draft.as_file().sync_all()?;
    draft.persist(&place)?;
    Ok(())
}
