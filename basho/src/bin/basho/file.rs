//! Writing of output files: a page or a picture.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use basho::output_file;
use basho::records::folder::{RecordError, check_output, new_file};

/// Replaces a file atomically: the old content stays until the new one is on disk.
///
/// # Errors
/// [`RecordError`] if the file cannot be written or belongs to the records of a tournament.
pub fn write(file: &Path, text: &str) -> Result<(), RecordError> {
    check_output(file)?;
    replace(file, text).map_err(|source| RecordError::Io { path: file.to_owned(), source })
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    let old = match fs::metadata(file) {
        Ok(old) if !old.is_file() => {
            // A device has no content to protect and must not be replaced by a file.
            return output_file::open(file, File::options().write(true))?
                .write_all(text.as_bytes());
        }
        Ok(old) if old.permissions().readonly() => return Err(ErrorKind::PermissionDenied.into()),
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Replace the target of a symbolic link, not the link.
    let target = if old.is_some() { file.canonicalize()? } else { file.to_owned() };
    let dir = target.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = new_file(dir)?;
    draft.write_all(text.as_bytes())?;
    if let Some(old) = old {
        draft.as_file().set_permissions(old.permissions())?;
    }
    draft.as_file().sync_all()?;
    draft.persist(&target)?;
    Ok(())
}
