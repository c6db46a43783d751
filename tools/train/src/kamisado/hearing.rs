//! Gradients back through what towers hear of each other.

use oshi::games::kamisado::layers::{Hearing, SHARE, Towers, add_times, sum_of};
use oshi::games::kamisado::view::View;

use crate::fitting::slopes::{Slopes, only_where_positive};

impl Slopes<'_> {
    /// Back from what towers have heard to what they were told; `by_heard` are the slopes of what came out.
    pub fn back_hearing<const N: usize>(
        &mut self,
        hearing: &Hearing,
        view: &View,
        [towers, heard]: [&Towers<N>; 2],
        mut by_heard: Towers<N>,
    ) -> Towers<N> {
        let mut by_towers = [[[0.0; N]; 8]; 2];
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_heard[side][colour];
            only_where_positive(by_tower, &heard[side][colour]);
            self.add_to(hearing.bias.start, by_tower);
            self.back(&hearing.own, &towers[side][colour], by_tower, &mut by_towers[side][colour]);
            let calls = view.towers[side][colour].calls;
            let mut by_called = [0.0; N];
            self.back(&hearing.called, &sum_of(&towers[1 - side], calls), by_tower, &mut by_called);
            back_sum(&mut by_towers[1 - side], calls, &by_called);
        }
        by_towers
    }
}

/// Back through [`sum_of`].
pub fn back_sum<const N: usize>(by_towers: &mut [[f32; N]; 8], set: u8, by_sum: &[f32; N]) {
    let heard = by_towers.iter_mut().enumerate().filter(|(colour, _)| set >> colour & 1 == 1);
    heard.for_each(|(_, by_tower)| add_times(by_tower, by_sum, SHARE));
}
