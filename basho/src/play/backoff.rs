//! Waiting for what the system does in its own time and tells nobody: naps between two looks.

use std::time::Duration;

/// Naps that double from 0.2 to 20 ms, until they have lasted `timeout` together; each is over when it is returned. Time is not read from a
/// clock: while the machine stands still, nothing that is waited for can come, and none of the timeout is used up.
pub fn backoff(timeout: Duration) -> impl Iterator<Item = ()> {
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
    fn there_are_as_many_naps_as_the_patience_lasts() {
        assert_eq!(
            [0, 1, 3, 31].map(|ms| backoff(Duration::from_millis(ms)).count()),
            [0, 3, 4, 8]
        );
    }
}
