//! Checks before the first game: openings, engines, and changed programs.

use std::collections::BTreeMap;

use super::client::{Client, StartError};
use super::failure::TournamentError;
use super::interrupt::{GRACE, Interrupt};
use super::player::Player as Contestant;
use super::process::SpawnError;
use super::program::ProgramFile;

use crate::config::{Engine, OptionText, Program, Tournament};
use crate::openings::{Book, OpeningError};
use crate::output::progress::Progress;
use crate::printable::one_line;
use crate::records::manifest::Manifest;
use oshi::games::Visitor;
use oshi::games::notation::Notation;
use oshi::protocol::OptionKind;

/// Checks engines and openings; returns false after an interrupt.
pub(super) fn prepare(
    manifest: &mut Manifest,
    interrupt: &Interrupt,
) -> Result<bool, TournamentError> {
    let progress = Progress::without_bar();
    for warning in check_engines(manifest, interrupt)? {
        progress.warn(&warning);
    }
    if interrupt.is_raised() {
        progress.say("Stopped before the first game; nothing is recorded");
        return Ok(false);
    }
    manifest.tournament.variant.0.start().visit(CheckOpenings(&manifest.tournament))?;
    Ok(true)
}

/// Reads the program file of each engine. It must have the recorded digest, if there is one.
pub(super) fn program_files(
    engines: &[Engine],
    known: &BTreeMap<String, String>,
) -> Result<Vec<Option<ProgramFile>>, TournamentError> {
    let file = |(index, engine): (usize, &Engine)| {
        let Program::Child(program) = &engine.program else { return Ok(None) };
        let path = program.path.clone();
        let digest = known.get(&engine.name);
        let source = match ProgramFile::read(&program.path) {
            Ok(file) if digest.is_none_or(|digest| digest == file.digest()) => {
                return Ok(Some(file));
            }
            Ok(_) => SpawnError::Changed { path },
            // Nothing to compare with. An unreadable file may still be executable.
            Err(_) if digest.is_none() => return Ok(None),
            Err(source) => SpawnError::Program { path, source },
        };
        Err(TournamentError::Program {
            number: index + 1,
            name: one_line(&engine.name).into_owned(),
            source,
        })
    };
    engines.iter().enumerate().map(file).collect()
}

/// Starts every engine once to check its options. One that does not answer only causes a warning:
/// it will lose its games. Records its default `Hash` and `Threads`.
fn check_engines(
    manifest: &mut Manifest,
    interrupt: &Interrupt,
) -> Result<Vec<String>, TournamentError> {
    let tournament = &mut manifest.tournament;
    let variant = tournament.variant.0;
    let mut warnings = Vec::new();
    for (index, (engine, table)) in
        tournament.engines()?.into_iter().zip(&mut tournament.engines).enumerate()
    {
        let name = one_line(&engine.name).into_owned();
        let (engine_name, options) = (engine.name.clone(), engine.options.clone());
        let hindered = |name, source| TournamentError::Program { number: index + 1, name, source };
        if let Program::Child(program) = &engine.program {
            match ProgramFile::read(&program.path)
                .map_err(|source| SpawnError::Program { path: program.path.clone(), source })
            {
                Ok(file) => {
                    drop(manifest.programs.insert(engine.name.clone(), file.digest().to_owned()))
                }
                Err(error) if error.is_shortage() => return Err(hindered(name, error)),
                // An unreadable file may still be executable.
                Err(_) => {}
            }
        }
        match Contestant::new(engine, None, variant, interrupt.clone()).start() {
            Ok(Some(client)) => {
                if client.option("UCI_Variant").is_none() {
                    warnings.push(format!(
                        "engine {} ({name}) declares no option `UCI_Variant`; \
                         it is taken to play `{}`; \
                         if another game was meant, set `--variant` (`variant =` in a file)",
                        index + 1,
                        variant.name()
                    ));
                }
                for option in ["Hash", "Threads"] {
                    if let Some(default) = default_number(client, option)
                        && !options.keys().any(|known| known.eq_ignore_ascii_case(option))
                    {
                        table.option.insert(option.to_owned(), OptionText(default.to_string()));
                        manifest
                            .defaults
                            .entry(engine_name.clone())
                            .or_default()
                            .push(option.to_owned());
                    }
                }
            }
            Ok(None) => {}
            // An engine that is signalled to end may end in any way.
            Err(StartError::Client { .. }) if interrupt.is_raised_within(GRACE) => {
                return Ok(warnings);
            }
            Err(failure @ StartError::Client { .. }) => warnings
                .push(format!("engine {} ({name}) does not start properly: {failure}", index + 1)),
            Err(StartError::Spawn(error)) if error.is_shortage() => {
                return Err(hindered(name, error));
            }
            Err(source) => return Err(TournamentError::Engine { number: index + 1, name, source }),
        }
    }
    Ok(warnings)
}

fn default_number(client: &Client, option: &str) -> Option<i64> {
    match client.option(option)?.kind {
        OptionKind::Spin { default, .. } => Some(default),
        _ => None,
    }
}

/// Visitor that reads the openings and prepares the first one.
struct CheckOpenings<'a>(&'a Tournament);

impl Visitor for CheckOpenings<'_> {
    type Output = Result<(), OpeningError>;

    fn visit<G: Notation>(self, start: G) -> Self::Output {
        let schedule = self.0.schedule();
        Book::new(&self.0.openings, &schedule, start)?.opening(&schedule, 0).map(drop)
    }
}
