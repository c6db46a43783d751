//! Messages between a page and a server, as JSON. `messages.md` in this package describes them.

mod analysis;
mod game;
mod reply;
mod request;
mod tournament;
mod welcome;

pub use analysis::{AnalysisView, EvalView, LineView, MarkView, ReviewView, ThinkingView};
pub use game::{CheckedView, ClockView, Entry, GameView, NodeView, Standing};
pub use reply::{Reply, TaggedReply};
pub use request::{ClockRequest, Request, StartRequest, TaggedRequest};
pub use tournament::{
    Finished, LiveView, Sent, SequentialTest, Standings, StandingsRow, TournamentView,
};
pub use welcome::{EngineView, LevelView, Limits, VariantView, Welcome};

/// Maximum length of a request in bytes: enough for a large collection of games.
pub const MAX_REQUEST_BYTES: usize = 16 << 20;

/// Maximum length of a message that is read and answered with an error. A longer one closes the
/// socket.
pub const MAX_READ_BYTES: usize = 4 * MAX_REQUEST_BYTES;

/// Maximum length of a reply in bytes: several times that of the largest game.
pub const MAX_REPLY_BYTES: usize = 16 * MAX_REQUEST_BYTES;
