//! Searches of engines: the dialogue of a search as a state machine, its driver, and a pool of
//! running engines.

mod driver;
mod pool;
mod search;

pub use driver::{Driver, DriverError, SearchResult};
pub use pool::{EnginePool, Job, Purpose};
pub use search::{AnswerError, SearchRequest};
