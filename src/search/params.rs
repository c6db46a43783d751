//! Every number of the search that can be tuned, and a switch for each optional mechanism.
//!
//! A default build compiles them in. Under the feature `tune` each one is an option of the engine,
//! so that one binary can play with a mechanism against itself without it: see
//! `tournaments/ablation/`. Fractions are options in thousandths there.
//!
//! `docs/experiments.md` holds the measurements.

/// Declares the parameters: purpose, name, type, default, and range of the option.
macro_rules! parameters {
    ($($(#[doc = $purpose:literal])+ $name:ident: $type:ty = $default:expr, $range:expr;)+) => {
        $(
            $(#[doc = $purpose])+
            #[cfg(not(feature = "tune"))]
            #[inline]
            pub(in crate::search) const fn $name() -> $type {
                $default
            }

            $(#[doc = $purpose])+
            #[cfg(feature = "tune")]
            #[inline]
            pub(in crate::search) fn $name() -> $type {
                match tuned::$name.load(std::sync::atomic::Ordering::Relaxed) {
                    tuned::DEFAULT => $default,
                    units => <$type>::from_units(units),
                }
            }
        )+

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod tuned {
            use std::sync::atomic::AtomicI64;

            /// Mark of a parameter that was never set.
            pub(super) const DEFAULT: i64 = i64::MIN;

            $(pub(super) static $name: AtomicI64 = AtomicI64::new(DEFAULT);)+
        }

        /// All parameters, in the order of their declaration.
        #[cfg(feature = "tune")]
        pub fn all() -> Vec<Parameter> {
            vec![$(Parameter {
                name: stringify!($name),
                purpose: concat!($($purpose),+).trim(),
                is_switch: <$type>::IS_SWITCH,
                default: <$type>::units($default),
                range: {
                    let range: std::ops::RangeInclusive<$type> = $range;
                    (<$type>::units(*range.start()), <$type>::units(*range.end()))
                },
                value: &tuned::$name,
            }),+]
        }
    };
}

parameters! {
    // The tree search.

    /// The value of an unvisited move is that of its parent less this number of standard
    /// deviations.
    first_play_reduction: f32 = 0.4, 0.0..=2.0;
    /// Standard deviation of the values before any are known.
    first_deviation: f32 = 0.3, 0.0..=1.0;
    /// Minimum standard deviation of the values, so that a flat position is explored too.
    min_deviation: f32 = 0.2, 0.0..=1.0;
    /// Maximum change of a move's logit by the seed, so that other seeds play other games.
    jitter: f32 = 0.05, 0.0..=1.0;
    /// Expansions for the round in play and its payoff per evaluated leaf.
    leaf_expansions: u64 = 16, 0..=1 << 16;
    /// Visits during which the opening of a later round stays a leaf: the proof search decides it.
    opening_visits: u32 = 64, 1..=1 << 16;
    /// Expansions for the proof of a later round per visit of its opening.
    opening_expansions: u64 = 512, 0..=1 << 16;

    /// Minimum share of the most visited move's visits in the round search. While the round is
    /// open, other moves are excluded.
    min_round_share: f32 = 0.5, 0.0..=1.0;

    // The clock.

    /// Share of the increment that a move may use.
    increment_share: f32 = 0.75, 0.0..=1.0;
    /// Hard limit, in soft limits.
    hard_factor: f32 = 3.0, 1.0..=16.0;
    /// Maximum share of the clock for a move.
    max_clock_share: f32 = 0.25, 0.0..=1.0;
    /// Maximum share of the clock for the last move before a time control.
    last_clock_share: f32 = 0.8, 0.0..=1.0;

    // Switches of optional mechanisms.

    /// Averages the priors of the root with the policy of the round search.
    round_prior: bool = true, false..=true;
    /// Searches the round in play before the whole game.
    round_search: bool = true, false..=true;
    /// Uses the payoffs of a decided round.
    payoffs: bool = true, false..=true;
    /// Ends a search on a clock if no other move can overtake the best one in visits.
    early_stop: bool = true, false..=true;
    /// Chooses the move of a lost game by its chance of an error.
    defence: bool = true, false..=true;

    // The stages.

    /// Maximum nodes that an open round leaves to the tree search, for the value of the move.
    nodes_after_round: u64 = 64, 0..=1 << 16;
    /// Nodes that the tree search needs to overrule the move of a proven round.
    nodes_to_overrule: u64 = 512, 0..=1 << 16;
    /// Nodes of the defence: a proven game should be answered soon.
    defence_nodes: u64 = 1 << 15, 0..=1 << 24;
    /// Expansions for the proof of one reply. The opponent is taken not to find a longer one.
    reply_expansions: u64 = 1 << 10, 1..=1 << 20;
    /// Probability that the opponent keeps the win with each later move.
    keeps_win: f32 = 0.5, 0.0..=1.0;

    /// Maximum moves of the loser for an end that is near: its exact distance is soon proven.
    near_end: u32 = 12, 0..=1 << 10;
    /// Part of the nodes, as 1/n, for a shorter proof of a distant end.
    far_end_part: u64 = 16, 1..=1 << 10;
    /// Tenths of the remaining time for a shorter proof.
    distance_tenths: u32 = 5, 0..=10;

    // The scheduler of proofs.

    /// Maximum expansions per visit in a match. The number grows with the mean visits of a root
    /// move: with more moves, the tree needs longer to find the one that is worth a proof.
    max_expansions_in_match: u64 = 128, 0..=1 << 16;
    /// Visits before the proofs after root moves in a single-round game. A search of a few hundred
    /// nodes chooses better by visits.
    visits_before_proofs: u64 = 64, 0..=1 << 16;
    /// Growth of the expansions per visit in a single-round game, per later visit of a root move.
    proof_growth: u64 = 256, 0..=1 << 16;
    /// Maximum expansions per visit in a single-round game.
    max_expansions_in_round: u64 = 1 << 12, 0..=1 << 20;
    /// Part of the budget, as 1/n, for the proof of the position in a single-round game.
    root_budget_part: u32 = 32, 1..=1 << 16;
    /// Maximum expansions for the position before the first visit.
    root_expansions: u64 = 1 << 18, 0..=1 << 20;

    // Proof search.

    /// ε of the 1 + ε trick as 1/n: a child is searched until its number exceeds the second least
    /// one by this share.
    epsilon_part: u32 = 2, 1..=1 << 10;
    /// Increase of a child's number per other thread below it, if all moves must be refuted.
    virtual_weight: u32 = 4, 0..=1 << 10;
}

/// A type of parameters. Options count in units.
#[cfg(feature = "tune")]
trait Tunable: Copy {
    /// Whether the parameter switches a mechanism on.
    const IS_SWITCH: bool = false;

    fn units(self) -> i64;

    fn from_units(units: i64) -> Self;
}

#[cfg(feature = "tune")]
impl Tunable for f32 {
    fn units(self) -> i64 {
        (self * 1000.0).round() as i64
    }

    fn from_units(units: i64) -> f32 {
        units as f32 / 1000.0
    }
}

#[cfg(feature = "tune")]
impl Tunable for u32 {
    fn units(self) -> i64 {
        self.into()
    }

    fn from_units(units: i64) -> u32 {
        units as u32
    }
}

#[cfg(feature = "tune")]
impl Tunable for u64 {
    fn units(self) -> i64 {
        self as i64
    }

    fn from_units(units: i64) -> u64 {
        units as u64
    }
}

#[cfg(feature = "tune")]
impl Tunable for bool {
    const IS_SWITCH: bool = true;

    fn units(self) -> i64 {
        self.into()
    }

    fn from_units(units: i64) -> bool {
        units != 0
    }
}

/// A parameter as an option of the engine.
#[cfg(feature = "tune")]
pub struct Parameter {
    /// Name of the option.
    pub name: &'static str,
    /// Purpose, in a sentence or two.
    pub purpose: &'static str,
    /// Whether the parameter is a switch, with the values 0 and 1.
    pub is_switch: bool,
    /// Default value, fractions in thousandths.
    pub default: i64,
    /// Least and greatest value.
    pub range: (i64, i64),
    value: &'static std::sync::atomic::AtomicI64,
}

#[cfg(feature = "tune")]
impl Parameter {
    /// Sets the value for all later searches of this process.
    pub fn set(&self, value: i64) {
        self.value.store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_defaults() {
        assert_eq!((defence(), virtual_weight(), reply_expansions()), (true, 4, 1 << 10));
    }

    #[cfg(feature = "tune")]
    #[test]
    fn reads_what_was_set_within_the_range() {
        for parameter in all() {
            let Parameter { name, default, range: (min, max), is_switch, .. } = parameter;
            assert!((min..=max).contains(&default), "{name}");
            assert!(!is_switch || (min, max) == (0, 1), "{name}");
            // This changes nothing for the tests that run at the same time.
            parameter.set(default);
        }
        assert_eq!(
            (jitter(), defence(), virtual_weight(), defence_nodes()),
            (0.05, true, 4, 1 << 15)
        );
        // Small changes, which no other test notices.
        let set =
            |name, value| all().iter().find(|parameter| parameter.name == name).unwrap().set(value);
        set("keeps_win", 501);
        set("defence_nodes", (1 << 15) + 1);
        assert_eq!((keeps_win(), defence_nodes()), (0.501, (1 << 15) + 1));
        assert_eq!([0, 1].map(bool::from_units), [false, true]);
    }
}
