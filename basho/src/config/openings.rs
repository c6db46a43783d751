//! The `openings` table of a tournament file.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Start positions of the games; by default the usual start of the variant.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "OpeningsTable")]
pub struct Openings {
    /// Whether the first arrangement is random.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_start: bool,
    /// Number of random moves before the engines begin, at most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_plies: Option<u32>,
    /// File of openings, one per line, instead of random ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Order of the openings in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Number of the first opening to play in that order, from 1. Numbers past the end wrap around.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<NonZeroU64>,
    /// Maximum number of moves to play from each opening in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

impl Openings {
    /// Name of the file without its folder; empty if there is no file.
    pub fn file_name(&self) -> String {
        let name = self.file.as_deref().and_then(Path::file_name);
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Order of the openings in a file, repeated after the last one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// In the order of the file.
    #[default]
    Sequential,
    /// Shuffled by the tournament's seed.
    Random,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpeningsTable {
    #[serde(default, alias = "random-start")]
    random_start: bool,
    #[serde(alias = "random-plies")]
    random_plies: Option<u32>,
    file: Option<PathBuf>,
    order: Option<Order>,
    start: Option<NonZeroU64>,
    plies: Option<u32>,
}

/// More would be a game, not an opening.
const MAX_RANDOM_PLIES: u32 = 64;

impl TryFrom<OpeningsTable> for Openings {
    type Error = String;

    fn try_from(table: OpeningsTable) -> Result<Openings, String> {
        let OpeningsTable { random_start, random_plies, file, order, start, plies } = table;
        if file.is_some() && (random_start || random_plies.is_some()) {
            return Err(
                "openings: expected either `file` or `random_start` and `random_plies`, got both"
                    .to_owned(),
            );
        }
        let of_file =
            [("order", order.is_some()), ("start", start.is_some()), ("plies", plies.is_some())];
        if let Some((key, _)) =
            of_file.into_iter().find(|(_, is_given)| *is_given && file.is_none())
        {
            return Err(format!("openings: `{key}` needs a `file` of openings, and none is given"));
        }
        if let Some(plies) = random_plies.filter(|&plies| plies > MAX_RANDOM_PLIES) {
            return Err(format!(
                "openings: expected at most {MAX_RANDOM_PLIES} random_plies, got {plies}"
            ));
        }
        Ok(Openings { random_start, random_plies, file, order, start, plies })
    }
}
