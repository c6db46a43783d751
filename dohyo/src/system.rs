//! The system's clocks, random numbers and time zone, as values for `dohyo_core`.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use dohyo_core::game::{GameId, Timestamp, milliseconds};

/// Start of the monotonic time.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Returns the current time.
pub fn now() -> Timestamp {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp { unix_ms: unix.map_or(0, milliseconds), monotonic: START.elapsed() }
}

/// Returns a random game id.
pub fn new_game_id() -> GameId {
    GameId::new(rand::random())
}

/// Returns the local date of a time in milliseconds since 1970.
pub fn local_date(unix_ms: u64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(unix_ms).ok()?).ok()?;
    Some(jiff::tz::TimeZone::system().to_datetime(time).date().to_string())
}
