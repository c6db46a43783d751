//! Files that the user names for output: logs, pages, pictures.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

/// Devices that are always ready. `/dev/fd/N` are the streams that the program inherited.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr"];
const OPEN_FILES: &str = "/dev/fd";

/// Checks that a path can be written to.
///
/// It may be a regular file, a new file, or one of `/dev/null`, `/dev/full`, `/dev/tty`,
/// `/dev/stdout`, `/dev/stderr` and `/dev/fd/N`. A pipe is refused, since opening one waits for a
/// reader.
///
/// # Errors
/// The path is something else, or its metadata cannot be read.
pub fn check(path: &Path) -> io::Result<()> {
    let is_device = DEVICES.iter().any(|device| path == Path::new(device))
        || path.parent() == Some(Path::new(OPEN_FILES));
    match fs::metadata(path) {
        Ok(found) if found.is_file() || is_device => Ok(()),
        Ok(_) => {
            Err(io::Error::new(ErrorKind::InvalidInput, "expected a regular file or a new one"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a file for output with these options, if it passes [`check`].
///
/// # Errors
/// Those of [`check`] and of the system.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    check(path)?;
    // Reopening standard output would wait if its pipe has lost the reader.
    let file = options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let flags = OFlag::from_bits_truncate(fcntl(&file, FcntlArg::F_GETFL)?);
    fcntl(&file, FcntlArg::F_SETFL(flags & !OFlag::O_NONBLOCK))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use nix::sys::stat::Mode;

    use super::*;

    #[test]
    fn opens_files_and_devices_that_are_always_ready() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        fs::write(&old, "").unwrap();
        for path in [old.as_path(), &new, Path::new("/dev/null")] {
            open(path, File::options().append(true).create(true)).unwrap();
        }
    }

    #[test]
    fn refuses_pipes_sockets_folders_and_other_devices() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, socket) = (dir.path().join("pipe"), dir.path().join("socket"));
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        let _listener = UnixListener::bind(&socket).unwrap();
        for path in [pipe.as_path(), &socket, dir.path(), Path::new("/dev/zero")] {
            let error =
                open(path, File::options().append(true).create(true)).unwrap_err().to_string();
            assert_eq!(error, "expected a regular file or a new one", "{}", path.display());
        }
    }
}
