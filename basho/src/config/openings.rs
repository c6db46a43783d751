//! Where the games of a tournament start, as its file says it.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where games start: at the start of the variant by default.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "OpeningsTable")]
pub struct Openings {
    /// Whether the first arrangement is drawn at random.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_start: bool,
    /// How many random moves are played before the engines begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_plies: Option<u32>,
    /// A file of openings, one per line, instead of random ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The order of a file's openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Which of a file's openings is the first in that order, from 1; past the last one it goes on with the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<NonZeroU64>,
    /// How many moves at most are played of each of a file's openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
}

impl Openings {
    /// The name of the file, without its folder, for reports; empty if there is no file.
    pub fn file_name(&self) -> String {
        let name = self.file.as_deref().and_then(Path::file_name);
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The order of a file's openings; after the last one it starts again.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As in the file.
    #[default]
    Sequential,
    /// Shuffled with the tournament's seed.
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
