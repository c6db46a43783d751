//! Polling with exponential backoff.

use std::time::Duration;

/// Tries at once and then with [`backoff`] until an attempt has a result; `None` after `timeout`.
pub fn poll<T>(timeout: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    attempt().or_else(|| backoff(timeout).find_map(|()| attempt()))
}

/// Sleeps between the items of an iterator, from 0.2 ms doubling to 20 ms, until the sleeps add up
/// to `timeout`.
///
/// The sum counts only the sleeps, not the time of a clock. So a stalled machine, on which nothing
/// can happen, does not use up the timeout.
fn backoff(timeout: Duration) -> impl Iterator<Item = ()> {
    let lengths = std::iter::successors(Some(Duration::from_micros(200)), |&pause| {
        Some((pause * 2).min(Duration::from_millis(20)))
    });
    let with_sum = lengths.scan(Duration::ZERO, |sum, pause| {
        let before = *sum;
        *sum += pause;
        Some((before, pause))
    });
    with_sum
        .take_while(move |&(before, _)| before < timeout)
        .map(|(_, pause)| std::thread::sleep(pause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_until_timeout_is_used_up() {
        assert_eq!(
            [0, 1, 3, 31].map(|ms| backoff(Duration::from_millis(ms)).count()),
            [0, 3, 4, 8]
        );
    }
}
