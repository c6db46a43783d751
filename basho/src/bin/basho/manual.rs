//! `basho completions` and `man`: shell completions and manual pages, generated from the
//! declaration of the command line.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use basho::output::terminal;
use basho::output_file;
use basho::records::folder::RecordError;

use crate::Cli;

/// Command-line arguments of `basho completions`.
#[derive(Args)]
pub struct Completions {
    /// Shell to print completions for.
    shell: Shell,
}

impl Completions {
    /// Prints the script and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "basho", &mut script);
        terminal::say(&String::from_utf8(script)?);
        Ok(0)
    }
}

/// Command-line arguments of `basho man`.
#[derive(Args)]
pub struct Man {
    /// Folder for the pages of all commands. Without it, the main page is printed.
    #[arg(long)]
    into: Option<PathBuf>,
}

impl Man {
    /// Prints the main page or writes all pages, and returns the exit code.
    pub fn execute(self) -> anyhow::Result<u8> {
        match self.into {
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(Cli::command().disable_help_subcommand(true))
                    .render(&mut page)?;
                terminal::say(&String::from_utf8(page)?);
            }
            Some(dir) => {
                let written = std::fs::create_dir_all(&dir).and_then(|()| write_all(&dir));
                written.map_err(|source| RecordError::Io { path: dir, source })?;
            }
        }
        Ok(0)
    }
}

/// Writes the pages of all commands, replacing older ones.
fn write_all(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "1") {
            output_file::check(&path)?;
        }
    }
    clap_mangen::generate_to(Cli::command(), dir)
}
