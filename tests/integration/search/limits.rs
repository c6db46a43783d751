//! Limits, clocks, threads and memory.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use oshi::game::{Game, RoundProof};
use oshi::games::kamisado::{Match, Target};
use oshi::games::kamon::Kamon;
use oshi::search::{Control, Limits, MoveTime, Searcher, Settings, Value};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::search;
use crate::support::random_play::play_random;
use crate::support::search::nodes;

#[test]
fn stops_at_node_limit() {
    let (reports, last) = search(&Match::start(Target::Standard), &nodes(1_000));
    assert_eq!(last.nodes, 1_000);
    assert!(reports.windows(2).all(|pair| pair[0].nodes < pair[1].nodes));
}

/// A thread without nodes left does not interrupt the others.
#[test]
fn threads_share_the_node_limit() {
    let mut searcher = Searcher::new(Settings { threads: 8, ..Settings::default() });
    let report = searcher.run(
        &Match::start(Target::Marathon),
        &nodes(20_000),
        &Control::default(),
        &mut |_| (),
    );
    assert_eq!(report.nodes, 20_000);
    assert!(report.best_move().is_some());
}

/// The search has no limit, so it ends only if the other thread stops too.
#[test]
fn panic_on_one_thread_stops_the_others() {
    let search = || {
        let mut searcher = Searcher::new(Settings { threads: 2, ..Settings::default() });
        searcher.run(&Kamon::start(), &Limits::default(), &Control::default(), &mut |_| {
            panic!("expected by the test")
        });
    };
    assert!(catch_unwind(search).is_err());
}

#[test]
fn stops_at_depth_limit() {
    let (_, last) =
        search(&Match::start(Target::Marathon), &Limits { depth: Some(4), ..Limits::default() });
    assert_eq!(last.depth, 4);
}

/// A clock that advances by `step` milliseconds whenever it is read.
fn ticking(step: u64) -> impl Fn() -> Duration + Send + Sync + 'static {
    let reads = AtomicU64::new(0);
    move || Duration::from_millis(step * reads.fetch_add(1, Relaxed))
}

/// The ponder hit comes after five seconds, in each stage of the search.
#[test]
fn move_time_starts_at_ponder_hit() {
    for (stage, line) in [
        ("round search", "YVROPLGB/8/8/8/8/8/8/lr++g++y+vpo++b b - 0-0 7"),
        ("tree search", "+V7/4+L1v1/+o5+Y+g/1+P1R+O2+l/2r5/G6B/5+b1+y/1+p6 w r 6-5 15"),
    ] {
        let position: Match = line.parse().unwrap();
        let control = Arc::new(Control::with_clock(true, ticking(10)));
        let hit = Arc::clone(&control);
        let limits =
            Limits { time: Some(MoveTime::exactly(Duration::from_secs(1))), ..Limits::default() };
        let mut hit_at = None;
        let mut searcher = Searcher::new(Settings::default());
        let report = searcher.run(&position, &limits, &control, &mut |report| {
            if report.elapsed >= Duration::from_secs(5) && hit_at.is_none() {
                hit.ponder_hit();
                hit_at = Some(report.elapsed);
            }
        });
        let hit_at = hit_at.unwrap_or_else(|| panic!("{stage}: ended after {:?}", report.elapsed));
        let used = report.elapsed - hit_at;
        let second = Duration::from_secs(1);
        assert!(
            used >= second && used < second + Duration::from_millis(100),
            "{stage}: {used:?} after the hit"
        );
    }
}

#[test]
fn stopped_search_has_a_move() {
    let control = Control::default();
    control.stop();
    let mut searcher = Searcher::new(Settings::default());
    let report =
        searcher.run(&Match::start(Target::Marathon), &Limits::default(), &control, &mut |_| ());
    assert!(report.best_move().is_some());
}

#[test]
fn finished_game_has_no_move() {
    let over: Match = "1L3+p2/2V1Y2B/1P4v1/5ol1/2G1O3/3g1R2/8/b1ry4 w - 1-0 1".parse().unwrap();
    let (_, last) = search(&over, &nodes(10));
    assert_eq!(last.best_move(), None);
    assert_eq!(last.nodes, 0);
}

/// The time runs out once every thread has read the clock.
#[test]
fn every_thread_searches() {
    const THREADS: usize = 3;
    let seen = Arc::new(Mutex::new(HashSet::new()));
    let clock = {
        let seen = Arc::clone(&seen);
        move || {
            let mut seen = seen.lock().unwrap();
            seen.insert(thread::current().id());
            if seen.len() < THREADS { Duration::ZERO } else { Duration::MAX }
        }
    };
    let time = Some(MoveTime::exactly(Duration::from_secs(1)));
    let limits = Limits { time, nodes: Some(20_000_000), ..Limits::default() };
    // A search of Kamon has one stage, so no thread starts twice.
    let mut searcher =
        Searcher::new(Settings { hash_mib: 512, threads: THREADS, ..Settings::default() });
    searcher.run(&Kamon::start(), &limits, &Control::with_clock(false, clock), &mut |_| ());
    assert_eq!(seen.lock().unwrap().len(), THREADS);
}

/// Kamon's searches spend most nodes on the tree.
#[test]
fn full_tree_is_recycled() {
    let mut searcher = Searcher::new(Settings { hash_mib: 1, ..Settings::default() });
    let limits = Limits { nodes: Some(300_000), ..Limits::default() };
    let mut used = Vec::new();
    let report = searcher.run(&Kamon::start(), &limits, &Control::default(), &mut |report| {
        used.push(report.hashfull)
    });
    assert!(
        used.windows(2).any(|pair| pair[1] < pair[0]),
        "the tree never shrank: {used:?} permille"
    );
    assert_eq!(report.nodes, 300_000);
    assert!(report.best_move().is_some());
}

#[test]
fn single_move_uses_no_clock_time() {
    let start = Match::start(Target::Marathon);
    let only = start.legal_moves()[0];
    let soft = Duration::from_secs(300);
    // On a short clock, the soft and the hard limit are equal.
    for hard in [soft, 2 * soft] {
        let time = Some(MoveTime { soft, hard, is_on_a_clock: true });
        let (_, last) =
            search(&start, &Limits { time, search_moves: vec![only], ..Limits::default() });
        assert_eq!(last.best_move(), Some(only));
    }
}

/// Smart pruning: the whole budget of nodes gives the same move.
#[test]
fn stops_on_clock_once_best_move_cannot_be_overtaken() {
    let soft = Duration::from_secs(3);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut ended_early = 0;
    for _ in 0..30 {
        let start = Kamon::start().random_start(&mut rng);
        let position = play_random(start, 8, &mut rng);
        let search = |limits, control| {
            Searcher::new(Settings::default()).run(&position, &limits, &control, &mut |_| ())
        };
        let time = Some(MoveTime { soft, hard: soft, is_on_a_clock: true });
        let early =
            search(Limits { time, ..Limits::default() }, Control::with_clock(false, ticking(5)));
        if early.elapsed < soft && matches!(early.lines[0].value, Value::WinProbability(_)) {
            ended_early += 1;
            let in_all =
                (early.nodes as f64 * soft.as_secs_f64() / early.elapsed.as_secs_f64()) as u64;
            let whole =
                search(Limits { nodes: Some(in_all), ..Limits::default() }, Control::default());
            assert_eq!(
                early.best_move(),
                whole.best_move(),
                "{position} after {:?}",
                early.elapsed
            );
        }
    }
    assert!(ended_early >= 10, "only {ended_early} searches stopped early");
}

#[test]
fn unproven_opening_of_round_uses_the_hard_limit() {
    let [soft, hard] = [10, 30].map(Duration::from_millis);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut open = 0;
    for target in [Target::Simple, Target::Long] {
        for _ in 0..20 {
            let position = Match::start(target).random_start(&mut rng);
            let control = Control::with_clock(false, ticking(1));
            let limits = Limits {
                time: Some(MoveTime { soft, hard, is_on_a_clock: true }),
                ..Limits::default()
            };
            let mut searcher = Searcher::new(Settings::default());
            let report = searcher.run(&position, &limits, &control, &mut |_| ());
            let game_is_proven = !matches!(report.lines[0].value, Value::WinProbability(_));
            let round_is_proven =
                matches!(searcher.prove(&position.round().contest, 0), RoundProof::Won(_));
            if !game_is_proven && !round_is_proven {
                open += 1;
                assert!(report.elapsed >= hard, "{position}: {:?}", report.elapsed);
            }
        }
    }
    assert!(open > 20, "only {open} open rounds");
}

#[test]
fn unproven_search_uses_all_nodes() {
    const NODES: u64 = 1_000;
    let mut unproven = 0;
    for seed in 0..4 {
        let mut position =
            Match::start(Target::Long).random_start(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut searcher = Searcher::new(Settings::default());
        for _ in 0..110 {
            let report = searcher.run(&position, &nodes(NODES), &Control::default(), &mut |_| ());
            let Some(best) = report.best_move() else { break };
            if let Value::WinProbability(_) = report.lines[0].value {
                assert_eq!(report.nodes, NODES, "{position}");
                unproven += 1;
            }
            position.play(best);
        }
    }
    assert!(unproven > 200, "only {unproven} unproven searches");
}
