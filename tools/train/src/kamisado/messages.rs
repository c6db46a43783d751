//! Gradients back through what towers hear of each other.

use oshi::games::kamisado::eval::features::Features;
use oshi::games::kamisado::eval::layers::{
    MessageLayer, SUM_SCALE, Towers, add_scaled, sum_selected,
};

use crate::fitting::slopes::{Slopes, only_where_positive};

impl Slopes<'_> {
    /// Back from what towers have heard to what they were told; `by_heard` are the slopes of what came out.
    pub fn back_messages<const N: usize>(
        &mut self,
        layer: &MessageLayer,
        view: &Features,
        [towers, updated]: [&Towers<N>; 2],
        mut by_updated: Towers<N>,
    ) -> Towers<N> {
        let mut by_towers = [[[0.0; N]; 8]; 2];
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let by_tower = &mut by_updated[side][colour];
            only_where_positive(by_tower, &updated[side][colour]);
            self.add_to(layer.bias.start, by_tower);
            self.back(&layer.own, &towers[side][colour], by_tower, &mut by_towers[side][colour]);
            let calls = view.towers[side][colour].calls;
            let mut by_called = [0.0; N];
            self.back(
                &layer.called,
                &sum_selected(&towers[1 - side], calls),
                by_tower,
                &mut by_called,
            );
            back_sum(&mut by_towers[1 - side], calls, &by_called);
        }
        by_towers
    }
}

/// Back through [`sum_selected`].
pub fn back_sum<const N: usize>(by_towers: &mut [[f32; N]; 8], set: u8, by_sum: &[f32; N]) {
    let updated = by_towers.iter_mut().enumerate().filter(|(colour, _)| set >> colour & 1 == 1);
    updated.for_each(|(_, by_tower)| add_scaled(by_tower, by_sum, SUM_SCALE));
}
