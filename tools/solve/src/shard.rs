//! One part of a work that several processes share.

use std::fmt::{self, Display};
use std::str::FromStr;

/// Part `number` of `count` equal ones, from 1.
#[derive(Clone, Copy)]
pub struct Shard {
    number: usize,
    count: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("expected a shard `I/N` with 1 <= I <= N, such as `2/8`")]
pub struct ShardError;

impl Shard {
    /// Whether the piece of work with this number, from 0, is part of it.
    pub const fn has(self, piece: usize) -> bool {
        piece % self.count == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let (number, count) = text.split_once('/').ok_or(ShardError)?;
        let [number, count] = [number, count].map(str::parse);
        match (number, count) {
            (Ok(number), Ok(count)) if 1 <= number && number <= count => {
                Ok(Shard { number, count })
            }
            _ => Err(ShardError),
        }
    }
}

/// As names of files have it.
impl Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-of-{}", self.number, self.count)
    }
}
