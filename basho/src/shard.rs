//! A shard: one of several nearly equal parts of a body of work, written `I/N`.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Part `index` of `count`, written `index/count`.
///
/// ```
/// use basho::shard::Shard;
///
/// let shard: Shard = "2/3".parse()?;
/// let pieces: Vec<u64> = (0..8).filter(|&piece| shard.contains(piece)).collect();
/// assert_eq!(pieces, [1, 4, 7]);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), basho::shard::ShardError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: u64,
    count: NonZeroU64,
}

impl Shard {
    /// The only shard of undivided work: `1/1`.
    pub const WHOLE: Shard = Shard { index: 1, count: NonZeroU64::MIN };

    /// Number of this shard, from 1 to [`count`](Shard::count).
    pub const fn index(self) -> u64 {
        self.index
    }

    /// Number of shards that the work is divided into.
    pub const fn count(self) -> NonZeroU64 {
        self.count
    }

    /// Whether this shard contains the piece of work with this number, from 0.
    pub fn contains(self, piece: u64) -> bool {
        piece % self.count == self.index - 1
    }

    /// Whether both shards belong to divisions into the same number of parts.
    pub fn is_sibling_of(self, other: Shard) -> bool {
        self.count == other.count
    }

    /// All shards of this division, in order.
    pub fn siblings(self) -> impl Iterator<Item = Shard> {
        (1..=self.count.get()).map(move |index| Shard { index, ..self })
    }

    /// The first 100 shards that `present` lacks for the whole work. Empty if `present` mixes
    /// several divisions, or has no shard.
    pub fn missing(present: impl Iterator<Item = Shard>) -> Vec<Shard> {
        const MAX_MISSING: usize = 100;
        let present: BTreeSet<Shard> = present.collect();
        match present.first() {
            Some(&first) if present.iter().all(|shard| shard.is_sibling_of(first)) => {
                let missing = first.siblings().filter(|shard| !present.contains(shard));
                missing.take(MAX_MISSING).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the work is undivided.
    pub fn is_whole(self) -> bool {
        self == Shard::WHOLE
    }
}

/// A text that is not a valid shard.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a shard `i/n` with 1 <= i <= n, such as `2/8`, got `{0}`")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let error = || ShardError(text.to_owned());
        let (index, count) = text.split_once('/').ok_or_else(error)?;
        let index: u64 = index.parse().map_err(|_| error())?;
        let count: NonZeroU64 = count.parse().map_err(|_| error())?;
        if (1..=count.get()).contains(&index) { Ok(Shard { index, count }) } else { Err(error()) }
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_text_that_is_not_a_shard() {
        for text in ["", "1", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
