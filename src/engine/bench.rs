//! The benchmark: fixed positions, seed and nodes. The sum of the nodes is the signature of the build's behaviour, since a
//! search that proves its answer ends early.

use std::time::Instant;

use super::report;
use crate::game::Estimate;
use crate::games::kamisado::Layout;
use crate::games::{Variant, Visitor, visit_position};
use crate::protocol::Reply;
use crate::search::{Control, Limits, Searcher, Settings};

/// The most nodes for each position.
const NODES: u64 = 50_000;

/// Positions in the middle of a match: without Sumos, with many in a round's first move and later, and with a refill due.
const POSITIONS: [&str; 4] = [
    "OLVP1RG1/7g/8/8/3l4/7B/4Y3/b1rypv1o w v 0-0 3",
    "YVROPLGB/8/8/8/8/8/8/lr++g++y+vpo++b b - 0-0 7",
    "+V7/4+L1v1/+o5+Y+g/1+P1R+O2+l/2r5/G6B/5+b1+y/1+p6 w r 6-5 15",
    "O+o+RPG1L+B/8/8/8/8/3+g1Y2/2r4V/p3yvbl b refill 2-2 3",
];

struct Search<'a> {
    control: &'a Control,
}

impl Visitor for Search<'_> {
    type Output = (String, u64);

    fn visit<G: Estimate>(self, position: G) -> (String, u64) {
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let report = Searcher::new(Settings::default()).run(&position, &limits, self.control, &mut |_| ());
        (position.to_string(), report.nodes)
    }
}

/// Searches every position afresh and says the sum of the nodes and their rate.
pub fn run(control: &Control, say: &dyn Fn(Vec<Reply>)) {
    let began = Instant::now();
    let starts = Variant::ALL.into_iter().map(|variant| variant.visit_start(Layout::default(), Search { control }));
    let others = POSITIONS.into_iter().filter_map(|text| visit_position(text, Search { control }).ok());
    let mut total = 0;
    for (position, nodes) in starts.chain(others) {
        if control.is_stopped() {
            say(vec![Reply::remark("bench stopped")]);
            return;
        }
        say(vec![Reply::Other(format!("{position}: {nodes}"))]);
        total += nodes;
    }
    let rate = report::per_second(total, began.elapsed());
    say(vec![Reply::Other(format!("Nodes searched  : {total}")), Reply::Other(format!("Nodes/second    : {rate}"))]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_valid() {
        struct Nothing;
        impl Visitor for Nothing {
            type Output = ();
            fn visit<G: Estimate>(self, _: G) {}
        }
        for text in POSITIONS {
            assert_eq!(visit_position(text, Nothing), Ok(()), "{text}");
        }
    }
}
