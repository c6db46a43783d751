//! A limit that is never reached changes nothing.

use std::sync::Mutex;
use std::time::Duration;

use oshi::game::{Searchable, Text};
use oshi::games::{SearchVisitor, Variant};
use oshi::search::{Clock, Control, Limits, MoveTime, Report, Searcher, Settings};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Creates a control with a clock that advances by up to 20 ms at each reading.
fn control(seed: u64) -> Control {
    let state = Mutex::new((ChaCha8Rng::seed_from_u64(seed), Duration::ZERO));
    Control::with_clock(false, move || {
        let (rng, now) = &mut *state.lock().unwrap();
        *now += Duration::from_micros(rng.random_range(0..20_000));
        *now
    })
}

/// Returns all reports of a search by a new searcher, without their times.
fn reports<G: Searchable>(
    position: &G,
    limits: &Limits<G::Move>,
    control: &Control,
) -> Vec<Report<G::Move>> {
    let mut reports = Vec::new();
    let mut searcher = Searcher::new(Settings { hash_mib: 8, ..Settings::default() });
    let last = searcher.run(position, limits, control, &mut |report| reports.push(report.clone()));
    let timeless = |report| Report { elapsed: Duration::ZERO, ..report };
    reports.into_iter().chain([last]).map(timeless).collect()
}

/// Returns times that the searches of these tests never reach by the clock above.
fn times() -> [MoveTime; 2] {
    let clock = Clock {
        remaining: Duration::from_secs(1 << 24),
        increment: Duration::ZERO,
        moves_to_go: None,
        moves_to_come: 24,
    };
    [MoveTime::exactly(Duration::from_secs(1 << 20)), MoveTime::from_clock(clock, Duration::ZERO)]
}

/// Compares searches of random positions with and without a time limit.
struct SameWithTime<'a> {
    nodes: Option<u64>,
    depth: Option<u32>,
    is_compared: &'a dyn Fn(usize, usize) -> bool,
}

impl SearchVisitor for SameWithTime<'_> {
    type Output = ();

    fn visit<G: Searchable + Text>(self, start: G) {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for game in 0..6 {
            let mut position = start.random_start(&mut rng);
            for _ in 0..rng.random_range(0..=4 * game) {
                let Some(&mv) = position.legal_moves().choose(&mut rng) else { break };
                position.play(mv);
            }
            let limits = Limits { nodes: self.nodes, depth: self.depth, ..Limits::default() };
            let compared = |limits: &Limits<G::Move>, seed| {
                let reports = reports(&position, limits, &control(seed));
                let all = reports.len();
                let kept = reports
                    .into_iter()
                    .enumerate()
                    .filter(|&(index, _)| (self.is_compared)(index, all));
                kept.map(|(_, report)| report).collect::<Vec<_>>()
            };
            let expected = compared(&limits, 0);
            for (seed, time) in (1..).zip(times()) {
                assert_eq!(
                    compared(&Limits { time: Some(time), ..limits.clone() }, seed),
                    expected,
                    "{position}: {time:?}"
                );
            }
        }
    }
}

#[test]
fn unreached_time_keeps_reports_of_node_search() {
    for &variant in Variant::ALL {
        for nodes in [50, 2_000, 20_000] {
            variant.start().search(SameWithTime {
                nodes: Some(nodes),
                depth: None,
                is_compared: &|_, _| true,
            });
        }
    }
}

/// Earlier reports depend on the clock.
#[test]
fn unreached_time_keeps_answer_of_depth_search() {
    for &variant in Variant::ALL {
        variant.start().search(SameWithTime {
            nodes: None,
            depth: Some(2),
            is_compared: &|index, all| index + 1 == all,
        });
    }
}
