//! The benchmark: searches of fixed positions with a fixed seed and fixed limits.
//!
//! The total of the nodes is the signature of a build. Each search ends at a fixed depth or with a
//! proof, so its number of nodes changes with almost any change of behaviour.

use super::job::JobResult;
use super::report;
use crate::clock::Instant;
use crate::game::{Searchable, Text};
use crate::games::{SearchVisitor, Variant, search_position};
use crate::protocol::Reply;
use crate::search::{Control, Limits, Searcher, Settings};

/// Depth of each search, in plies with a choice of moves. Most searches must reach it before
/// [`DEFAULT_NODES`], because a search that ends at its node limit does not depend on the build.
const DEPTH: u32 = 3;

/// Default node limit per position, which bounds the time.
pub const DEFAULT_NODES: u64 = 100_000;

/// Positions within a game, in addition to the starts of all variants.
///
/// Kamisado: without Sumos, with many Sumos at the start of a round and later, with a refill due.
/// Kamon: early, and close to a proof.
const POSITIONS: [&str; 6] = [
    "OLVP1RG1/7g/8/8/3l4/7B/4Y3/b1rypv1o w v 0-0 3",
    "YVROPLGB/8/8/8/8/8/8/lr++g++y+vpo++b b - 0-0 7",
    "+V7/4+L1v1/+o5+Y+g/1+P1R+O2+l/2r5/G6B/5+b1+y/1+p6 w r 6-5 15",
    "O+o+RPG1L+B/8/8/8/8/3+g1Y2/2r4V/p3yvbl b refill 2-2 3",
    "l6p6p5g5/o3g3y3r1o1/l2g4l3g1r5p1/l4o5r4p4o6y4o2/g6y5p3p2r3r6/r2o4l1y1l5/--g2y6y2 \
     4/5/4w1/w1wb3/1b3b/2b1w/4 b d3",
    "r1l5y1p5/y2o4p1g2p6/l6g4p3g6g1l1/y3l4y4r6p4--o3/l2r2o2o1r4p2/y6l3r3g5r5/y5g3o6o5 \
     3w/1b3/2b3/2b1w2/2w1wb/w2wb/2b1 b b4",
];

struct Search<'a> {
    control: &'a Control,
    settings: Settings,
    nodes: u64,
}

impl SearchVisitor for Search<'_> {
    type Output = (String, u64);

    fn visit<G: Searchable + Text>(self, position: G) -> (String, u64) {
        let limits = Limits { depth: Some(DEPTH), nodes: Some(self.nodes), ..Limits::default() };
        let report =
            Searcher::new(self.settings).run(&position, &limits, self.control, &mut |_| ());
        (position.to_string(), report.nodes)
    }
}

/// Searches each position with a new searcher and a limit of `nodes`. Returns the positions and
/// the nodes used.
fn searches(
    control: &Control,
    settings: Settings,
    nodes: u64,
) -> impl Iterator<Item = (String, u64)> {
    let search = move || Search { control, settings, nodes };
    let starts = Variant::ALL.iter().map(move |variant| variant.start().search(search()));
    starts.chain(POSITIONS.into_iter().filter_map(move |text| search_position(text, search()).ok()))
}

/// Searches each position with a limit of `nodes`, and prints the total and the nodes per second.
pub fn run(control: &Control, nodes: u64, print: &dyn Fn(Vec<Reply>)) -> JobResult {
    let began = Instant::now();
    let mut total = 0;
    for (position, nodes) in searches(control, Settings::default(), nodes) {
        if control.is_stopped() {
            return JobResult::lines(vec![Reply::info_string("bench stopped")]);
        }
        print(vec![Reply::Other(format!("{position}: {nodes}"))]);
        total += nodes;
    }
    let rate = report::per_second(total, began.elapsed());
    JobResult::lines(vec![
        Reply::Other(format!("Nodes searched  : {total}")),
        Reply::Other(format!("Nodes/second    : {rate}")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_changes_with_seed() {
        // Another seed only chooses differently between equal moves, like a small change of play.
        let nodes = |seed| -> Vec<u64> {
            searches(&Control::default(), Settings { seed, ..Settings::default() }, DEFAULT_NODES)
                .map(|(_, nodes)| nodes)
                .collect()
        };
        let (one, other) = (nodes(0), nodes(1));
        assert_ne!(one.iter().sum::<u64>(), other.iter().sum::<u64>());
        let below_limit = one.iter().filter(|&&nodes| nodes < DEFAULT_NODES).count();
        assert!(
            2 * below_limit > one.len(),
            "only {below_limit} of {} positions end before the node limit: {one:?}",
            one.len()
        );
    }

    #[test]
    fn positions_are_valid() {
        struct Nothing;
        impl SearchVisitor for Nothing {
            type Output = ();
            fn visit<G: Searchable>(self, _: G) {}
        }
        for text in POSITIONS {
            assert_eq!(search_position(text, Nothing), Ok(()), "{text}");
        }
    }
}
