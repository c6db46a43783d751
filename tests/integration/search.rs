//! What the search proves is true, and what it is told to do it does.

use std::collections::HashSet;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use oshi::draw::Draw;
use oshi::game::{Evaluator, Game, Outcome, RoundProof, Searchable, Text};
use oshi::games::kamisado::{Match, Move, Target};
use oshi::games::kamon::Kamon;
use oshi::games::notation::Notation;
use oshi::games::{SearchVisitor, Variant};
use oshi::search::{Control, Limits, MoveTime, Report, Searcher, Settings, Value};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn search(position: &Match, limits: &Limits<Move>) -> (Vec<Report<Move>>, Report<Move>) {
    let mut reports = Vec::new();
    let mut searcher = Searcher::new(Settings { hash_mib: 512, ..Settings::default() });
    let last = searcher
        .run(position, limits, &Control::default(), &mut |report| reports.push(report.clone()));
    (reports, last)
}

fn nodes(nodes: u64) -> Limits<Move> {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// A report without what the clock writes into it.
fn timeless(mut report: Report<Move>) -> Report<Move> {
    report.elapsed = Duration::ZERO;
    report
}

#[test]
fn exactly_sixteen_opening_moves_win_the_simple_game() {
    const WINNING: [&str; 16] = [
        "a1a2", "a1a5", "b1b6", "b1b7", "c1c4", "c1c7", "d1d5", "d1d6", "h1h2", "h1h5", "g1g6",
        "g1g7", "f1f4", "f1f7", "e1e5", "e1e6",
    ];
    let start = Match::start(Target::Simple);
    let mut proven = 0;
    for mv in start.legal_moves() {
        let mut position = start;
        position.play(mv);
        let (_, report) = search(&position, &Limits::default());
        match report.lines[0].value {
            Value::Loss(_) => {
                assert!(WINNING.contains(&mv.to_string().as_str()), "{mv} does not win")
            }
            Value::Win(_) => assert!(!WINNING.contains(&mv.to_string().as_str()), "{mv} wins"),
            value => panic!("{mv} is not proven: {value:?}"),
        }
        proven += 1;
    }
    assert_eq!(proven, 102);
}

/// By proof numbers at the opening itself, and not at its favourite move, it is 73 % of them.
#[test]
fn most_openings_are_proven_by_the_favourite_move() {
    let positions = include_str!("../data/kamisado-rounds-opening.txt").lines().step_by(2);
    let openings: Vec<Match> =
        positions.map(|line| line.split(';').next().unwrap().parse().unwrap()).collect();
    let is_proven = |opening: &&Match| {
        !matches!(search(opening, &nodes(40_000)).1.lines[0].value, Value::WinProbability(_))
    };
    let (proven, all) = (openings.iter().filter(is_proven).count(), openings.len());
    assert!(all > 50 && 5 * proven >= 4 * all, "{proven} of {all}");
}

#[test]
fn a_proven_line_can_be_played_to_its_end() {
    let start = Match::start(Target::Simple);
    let (_, report) = search(&start, &Limits::default());
    let Value::Win(bound) = report.lines[0].value else {
        panic!("the simple game is a first player win")
    };
    let mut position = start;
    for &mv in &report.lines[0].moves {
        assert!(position.legal_moves().contains(&mv), "{mv} in {position}");
        position.play(mv);
    }
    assert_eq!(position.outcome(), Some(Outcome::Win(start.turn())));
    let own = report.lines[0].moves.len() as u32 / 2 + 1;
    assert!(own <= bound, "{own} own moves are more than the {bound} of the proof");
}

/// The table may have forgotten the winning move and not another one.
#[test]
fn no_proven_line_ends_otherwise_than_proven() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut searcher = Searcher::new(Settings::default());
    let mut ends = 0;
    for _ in 0..400 {
        let mut position = Kamon::start().random_start(&mut rng);
        while position.ply() < 22
            && let Some(&mv) = position.legal_moves().choose(&mut rng)
        {
            position.play(mv);
        }
        searcher.clear();
        let limits = Limits { nodes: Some(4_000), ..Limits::default() };
        let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
        let Some(line) = report.lines.first() else { continue };
        let player = position.turn();
        let mut end = position;
        line.moves.iter().for_each(|&mv| end.play(mv));
        let expected = match line.value {
            Value::Win(_) => Outcome::Win(player),
            Value::Loss(_) => Outcome::Win(!player),
            Value::Draw => Outcome::Draw,
            Value::WinProbability(_) => continue,
        };
        if let Some(outcome) = end.outcome() {
            assert_eq!(outcome, expected, "{position}: {:?}", line.moves);
            ends += 1;
        }
    }
    assert!(ends > 100, "{ends} lines end");
}

/// Black needs one point: White's only move that wins the round loses the match later than all others.
#[test]
fn a_lost_match_goes_on_as_long_as_the_round_can_be_won() {
    let position: Match = "+L3RPOY/8/7r/8/1V6/2GB3v/b7/1+l1gy1o+p w l 2-1 3".parse().unwrap();
    let (_, report) = search(&position, &nodes(1_000_000));
    assert!(matches!(report.lines[0].value, Value::Loss(_)), "{:?}", report.lines[0]);
    assert_eq!(report.best_move().map(|mv| mv.to_string()).as_deref(), Some("a8a7"));
}

#[test]
fn the_same_seed_and_nodes_give_the_same_search() {
    let start = Match::start(Target::Marathon);
    let [first, second] = [(); 2].map(|()| {
        let (reports, last) = search(&start, &nodes(20_000));
        reports.into_iter().chain([last]).map(timeless).collect::<Vec<_>>()
    });
    assert_eq!(first, second);
}

#[test]
fn another_seed_gives_another_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let differ = |_| {
        let start = Match::start(Target::Marathon).random_start(&mut rng);
        let [first, second] = [1, 2].map(|seed| {
            let mut searcher = Searcher::new(Settings { seed, ..Settings::default() });
            timeless(searcher.run(&start, &nodes(5_000), &Control::default(), &mut |_| ()))
        });
        first != second
    };
    // What is soon proven is the same with any seed.
    assert!((0..5).any(differ));
}

#[test]
fn nodes_are_a_limit() {
    let (reports, last) = search(&Match::start(Target::Standard), &nodes(1_000));
    assert_eq!(last.nodes, 1_000);
    assert!(reports.windows(2).all(|pair| pair[0].nodes < pair[1].nodes));
}

/// A thread for which no nodes are left ends its own work, and not what others have begun.
#[test]
fn several_threads_together_use_up_the_nodes_and_no_more() {
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

/// Nothing limits this search: if the other thread did not hear of it, the test would not end.
#[test]
fn a_panic_on_one_thread_ends_the_others() {
    let search = || {
        let mut searcher = Searcher::new(Settings { threads: 2, ..Settings::default() });
        searcher.run(&Kamon::start(), &Limits::default(), &Control::default(), &mut |_| {
            panic!("whoever hears reports")
        });
    };
    assert!(catch_unwind(search).is_err());
}

#[test]
fn depth_is_a_limit() {
    let (_, last) =
        search(&Match::start(Target::Marathon), &Limits { depth: Some(4), ..Limits::default() });
    assert_eq!(last.depth, 4);
}

#[test]
fn only_the_search_moves_are_considered() {
    let start = Match::start(Target::Simple);
    let losing = start.parse_move("e1e7").unwrap();
    let (_, last) = search(&start, &Limits { search_moves: vec![losing], ..Limits::default() });
    assert_eq!(last.best_move(), Some(losing));
    assert!(matches!(last.lines[0].value, Value::Loss(_)));
}

#[test]
fn several_lines_are_ordered_and_start_with_different_moves() {
    let limits = Limits { lines: 5, ..nodes(20_000) };
    let (_, last) = search(&Match::start(Target::Standard), &limits);
    assert_eq!(last.lines.len(), 5);
    let mut first_moves: Vec<Move> = last.lines.iter().map(|line| line.moves[0]).collect();
    first_moves.sort();
    first_moves.dedup();
    assert_eq!(first_moves.len(), 5);
}

/// Several lines of random positions: all have a value, they are in order, and the first one is played.
fn check_lines(positions: u64, limits: &Limits<()>) {
    struct Lines<'a>(u64, &'a Limits<()>);
    impl SearchVisitor for Lines<'_> {
        type Output = ();
        fn visit<G: Searchable + Notation + Draw>(self, start: G) {
            let Lines(positions, limits) = self;
            let mut searcher = Searcher::new(Settings { hash_mib: 16, ..Settings::default() });
            for seed in 0..positions {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut position = start.random_start(&mut rng);
                for _ in 0..rng.random_range(0..30) {
                    let mut next = position;
                    next.play(*position.legal_moves().choose(&mut rng).unwrap());
                    if next.outcome().is_some() {
                        break;
                    }
                    position = next;
                }
                let Limits { nodes, time, .. } = *limits;
                let limits = Limits { nodes, time, lines: 4, ..Limits::default() };
                let report = searcher.run(&position, &limits, &Control::default(), &mut |_| ());
                let legal = position.legal_moves().len();
                assert_eq!(report.lines.len(), legal.min(4), "{position}");
                let values: Vec<Value> = report.lines.iter().map(|line| line.value).collect();
                assert!(
                    values.is_sorted_by(|a, b| order(*a) >= order(*b)),
                    "{position}: {values:?}"
                );
                // A chance of exactly one half would mean that nothing is known.
                assert!(!values.contains(&Value::WinProbability(0.5)), "{position}: {values:?}");
                assert_eq!(report.best_move(), Some(report.lines[0].moves[0]));
            }
        }
    }
    for &variant in Variant::ALL {
        variant.start().search(Lines(positions, limits));
    }
}

/// Wins, the shorter the better; chances; losses, the longer the better.
fn order(value: Value) -> (i32, i64) {
    match value {
        Value::Win(moves) => (2, -i64::from(moves)),
        Value::Loss(moves) => (0, i64::from(moves)),
        value => (1, (f64::from(value.win_probability()) * 1e9) as i64),
    }
}

#[test]
fn every_line_has_a_value_and_they_stand_in_order() {
    check_lines(20, &Limits { nodes: Some(1000), ..Limits::default() });
    check_lines(20, &Limits { nodes: Some(30), ..Limits::default() });
}

#[test]
#[ignore = "takes minutes: every line of a thousand positions of each variant"]
fn every_line_of_many_positions_has_a_value_and_they_stand_in_order() {
    check_lines(1000, &Limits { nodes: Some(1000), ..Limits::default() });
    check_lines(
        1000,
        &Limits { time: Some(MoveTime::exactly(Duration::from_millis(50))), ..Limits::default() },
    );
}

/// A clock that advances by a little whenever it is read.
fn ticking() -> impl Fn() -> Duration + Send + Sync + 'static {
    let looks = AtomicU64::new(0);
    move || Duration::from_millis(5 * looks.fetch_add(1, Relaxed))
}

/// In whichever phase the ponder hit comes, after five seconds, the move then has its second.
#[test]
fn after_a_ponder_hit_the_whole_time_is_the_moves() {
    for (phase, line) in [
        ("the round is settled", "YVROPLGB/8/8/8/8/8/8/lr++g++y+vpo++b b - 0-0 7"),
        ("the match is searched", "+V7/4+L1v1/+o5+Y+g/1+P1R+O2+l/2r5/G6B/5+b1+y/1+p6 w r 6-5 15"),
        ("a lost match is resisted", "+L3RPOY/8/7r/8/1V6/2GB3v/b7/1+l1gy1o+p w l 2-1 3"),
    ] {
        let position: Match = line.parse().unwrap();
        let control = Arc::new(Control::with_clock(true, ticking()));
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
        let hit_at = hit_at.unwrap_or_else(|| panic!("{phase}: over after {:?}", report.elapsed));
        let used = report.elapsed - hit_at;
        let second = Duration::from_secs(1);
        assert!(
            used >= second && used < second + Duration::from_millis(50),
            "{phase}: {used:?} after the hit"
        );
    }
}

#[test]
fn a_stopped_search_still_has_a_move() {
    let control = Control::default();
    control.stop();
    let mut searcher = Searcher::new(Settings::default());
    let report =
        searcher.run(&Match::start(Target::Marathon), &Limits::default(), &control, &mut |_| ());
    assert!(report.best_move().is_some());
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let over: Match = "1L3+p2/2V1Y2B/1P4v1/5ol1/2G1O3/3g1R2/8/b1ry4 w - 1-0 1".parse().unwrap();
    let (_, last) = search(&over, &nodes(10));
    assert_eq!(last.best_move(), None);
    assert_eq!(last.nodes, 0);
}

/// Each thread looks at the clock while it searches; time is up once all of them have done so.
#[test]
fn all_threads_search() {
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
    // Kamon has one phase only, and memory enough: no thread is started twice.
    let mut searcher =
        Searcher::new(Settings { hash_mib: 512, threads: THREADS, ..Settings::default() });
    searcher.run(&Kamon::start(), &limits, &Control::with_clock(false, clock), &mut |_| ());
    assert_eq!(seen.lock().unwrap().len(), THREADS);
}

/// Kamon's searches spend most nodes on the tree, so that they fill it soon.
#[test]
fn a_full_tree_is_recycled_and_ends_neither_the_search_nor_the_program() {
    let mut searcher = Searcher::new(Settings { hash_mib: 1, ..Settings::default() });
    let limits = Limits { nodes: Some(300_000), ..Limits::default() };
    let mut used = Vec::new();
    let report = searcher.run(&Kamon::start(), &limits, &Control::default(), &mut |report| {
        used.push(report.hashfull)
    });
    assert!(
        used.windows(2).any(|pair| pair[1] < pair[0]),
        "the tree has only grown: {used:?} permille"
    );
    assert_eq!(report.nodes, 300_000);
    assert!(report.best_move().is_some());
}

#[test]
fn the_only_move_costs_no_time_on_the_clock() {
    let start = Match::start(Target::Marathon);
    let only = start.legal_moves()[0];
    let soft = Duration::from_secs(300);
    // Where little is left, no move may take more than its share.
    for hard in [soft, 2 * soft] {
        let time = Some(MoveTime { soft, hard, is_on_a_clock: true });
        let (_, last) =
            search(&start, &Limits { time, search_moves: vec![only], ..Limits::default() });
        assert_eq!(last.best_move(), Some(only));
    }
}

/// Smart pruning, on a clock that ticks whenever it is looked at: with as many nodes as there would have been, the move is the same.
#[test]
fn on_a_clock_a_search_ends_once_no_other_move_can_overtake_the_best() {
    let soft = Duration::from_secs(3);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut ended_early = 0;
    for _ in 0..30 {
        let mut position = Kamon::start().random_start(&mut rng);
        (0..8).for_each(|_| position.play(*position.legal_moves().choose(&mut rng).unwrap()));
        let search = |limits, control| {
            Searcher::new(Settings::default()).run(&position, &limits, &control, &mut |_| ())
        };
        let time = Some(MoveTime { soft, hard: soft, is_on_a_clock: true });
        let early =
            search(Limits { time, ..Limits::default() }, Control::with_clock(false, ticking()));
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
    assert!(ended_early >= 10, "{ended_early} are too few");
}

/// The deciding round's too: on a clock that ticks whenever it is looked at.
#[test]
fn the_first_move_of_a_round_may_take_all_that_a_move_may_unless_it_is_proven() {
    let [soft, hard] = [10, 30].map(Duration::from_millis);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut open = 0;
    for target in [Target::Simple, Target::Long] {
        for _ in 0..20 {
            let position = Match::start(target).random_start(&mut rng);
            let ticks = AtomicU64::new(0);
            let control = Control::with_clock(false, move || {
                Duration::from_millis(ticks.fetch_add(1, Relaxed))
            });
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
    assert!(open > 20, "{open} are too few");
}

/// A match that looks lost gets half of the nodes before it is resisted; where it looks better then, the rest is its own.
#[test]
fn what_is_not_proven_has_had_all_nodes() {
    const NODES: u64 = 1_000;
    let mut unproven = 0;
    // In each of these games the half has changed what a match looked like that the kept tree had seen lost.
    for seed in [4, 13, 14, 22] {
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
    assert!(unproven > 200, "{unproven} are too few");
}

/// A round that is won by one of the moves that are asked for is won, though the others were not looked at.
#[test]
fn search_moves_do_not_lose_a_won_round_of_a_match() {
    let (mut kept, mut all) = (0, 0);
    for line in include_str!("../data/kamisado-decide.txt").lines().step_by(5) {
        let [position, best, ..] = line.split(';').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let position: Match = position.replace("0-0 1", "0-0 7").parse().unwrap();
        let best: Vec<Move> = best
            .strip_prefix("bm ")
            .unwrap()
            .split(' ')
            .map(|mv| position.parse_move(mv).unwrap())
            .collect();
        let moves = position.legal_moves();
        let Some(&other) = moves.iter().find(|mv| !best.contains(mv)) else { continue };
        let limits = Limits { search_moves: vec![best[0], other], ..nodes(20_000) };
        kept += usize::from(search(&position, &limits).1.best_move() == Some(best[0]));
        all += 1;
    }
    assert!(all > 50 && 20 * kept >= 19 * all, "{kept} of {all}");
}

/// Both openings are proven to be the opener's, one of them by ten or a hundred times the expansions: players who have no more time let it slip.
#[test]
fn whoever_refills_chooses_the_opening_that_is_hard_to_win() {
    let hard = [
        ("RG++BV+oLO+P/8/8/8/4Y3/8/8/g+br++vp1ly b refill 5-4 7", "left"),
        ("GPYLOV+gR/8/8/8/2B5/8/8/1lopvyrb b refill 1-0 7", "right"),
        ("1LP+BY1RV/1p6/8/8/8/8/5G2/+Oglrybv+o w refill 1-2 7", "right"),
        // There the prizes of the next round say otherwise.
        ("+L1+v1+P+O+RV/8/1G6/1B2o2+p/6Y1/8/8/ry+g++l2b1 b refill 6-4 7", "right"),
        ("+LG1V+PBR+O/5+b2/8/8/8/8/1+Y6/y+rv+gl1+p+o b refill 5-4 7", "left"),
    ];
    for (line, expected) in hard {
        let position: Match = line.parse().unwrap();
        let best = search(&position, &nodes(200_000)).1.best_move().unwrap();
        assert_eq!(best.to_string(), expected, "{line}");
    }
}

/// Where the winner of a round can force a win of it that is worth more, the match is searched among the moves that keep it.
#[test]
fn the_winner_of_a_round_keeps_the_better_prize() {
    let mut rng = ChaCha8Rng::seed_from_u64(29);
    let evaluator = <Match as Searchable>::Evaluator::default();
    let mut solver = Searcher::new(Settings::default());
    let mut wins = |contest: &Match, player| {
        solver.solve(contest, 2_000).map(|proof| proof.is_win_for(player))
    };
    let mut asked = 0;
    while asked < 30 {
        let mut position = Match::start(Target::Long).random_start(&mut rng);
        while let Some(&mv) = position.legal_moves().choose(&mut rng) {
            let (player, prizes) =
                (position.turn(), evaluator.round_payoffs(&position, position.turn()));
            let after = |mv| {
                let mut next = prizes[0].contest;
                next.play(mv);
                next
            };
            if prizes.len() == 2 && wins(&prizes[0].contest, player) == Some(true) {
                let legal = position.legal_moves();
                let keeps: Vec<_> = legal.iter().map(|&mv| wins(&after(mv), player)).collect();
                if keeps.contains(&Some(false)) && !keeps.contains(&None) {
                    let best = search(&position, &nodes(50_000)).1.best_move();
                    let chosen = legal.iter().position(|&mv| Some(mv) == best).unwrap();
                    assert_eq!(keeps[chosen], Some(true), "{best:?} in {position}");
                    asked += 1;
                }
            }
            position.play(mv);
        }
    }
}

/// How many moves win, and how many there are, after this one.
fn winning_replies<G: Searchable>(position: &G, mv: G::Move) -> (usize, usize) {
    let mut solver = Searcher::new(Settings::default());
    let mut next = *position;
    next.play(mv);
    let replies = next.legal_moves();
    let mut wins = |&reply: &G::Move| {
        let mut after = next;
        after.play(reply);
        solver.solve(&after, 1_000_000).expect("it is proven").is_win_for(next.turn())
    };
    (replies.iter().filter(|reply| wins(reply)).count(), replies.len())
}

/// After both moves a single reply wins: one of four after the longest loss, one of eight after the
/// other. Without limits the search ends with the proof.
#[test]
fn a_lost_round_sets_the_task_that_is_hardest_to_solve() {
    let mut position: Match = "LRVBOGPY/8/8/8/8/8/8/obylprvg b - 0-0 1".parse().unwrap();
    for mv in "f1f7 h8h7 g1g3 g8g7 b1b5 c8c3 b5d7 f8c5 d1d4".split(' ') {
        position.play(position.parse_move(mv).unwrap());
    }
    let [longest, hardest] = ["d8e7", "d8a5"].map(|mv| position.parse_move(mv).unwrap());
    assert_eq!(search(&position, &Limits::default()).1.best_move(), Some(longest));
    assert_eq!([longest, hardest].map(|mv| winning_replies(&position, mv)), [(1, 4), (1, 8)]);
    assert_eq!(search(&position, &nodes(100_000)).1.best_move(), Some(hardest));
}

/// The moves lose as late as one another.
#[test]
fn a_lost_game_of_kamon_goes_on_where_fewer_replies_win() {
    let positions = [
        (
            "o2r4y4o4/y5o3p1--l2/g3y2y1y3p6g1/y6p5g2o1o5l4g5/g6o6l3g4l6r2/r5p2l5p4r3/l1r1p3r6 wb2/1b2b/1bw3/wb1bw2/6/www2/3b b b3",
            "c3",
            "c5",
        ),
        (
            "p4o4g5r4/r6y2g2y3g1/g4o5p3r2y1y6/l3o3p5p6g3l2l1/r1--p1l4l5p2/r5o2r3o1g6/o6l6y5y4 wb1b/wwb2/b3bw/3b1b1/3w2/1w2b/wb1w w d6",
            "c5",
            "e4",
        ),
    ];
    for (line, many, few) in positions {
        let position: Kamon = line.parse().unwrap();
        let search_moves: Vec<_> =
            [many, few].iter().map(|mv| position.parse_move(mv).unwrap()).collect();
        let [of_many, of_few] =
            [0, 1].map(|choice| winning_replies(&position, search_moves[choice]).0);
        assert!(of_few < of_many, "{of_few} and {of_many} in {line}");
        let limits = Limits {
            search_moves: search_moves.clone(),
            nodes: Some(100_000),
            ..Limits::default()
        };
        let report = Searcher::new(Settings::default()).run(
            &position,
            &limits,
            &Control::default(),
            &mut |_| (),
        );
        assert_eq!(report.best_move(), Some(search_moves[1]), "{line}");
    }
}
