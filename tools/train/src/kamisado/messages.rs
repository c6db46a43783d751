//! Back propagation through the message layers.

use oshi::games::kamisado::eval::features::Features;
use oshi::games::kamisado::eval::layers::{
    MessageLayer, SUM_SCALE, Towers, add_scaled, sum_selected,
};

use crate::fitting::backprop::{Backprop, relu};

impl Backprop<'_> {
    /// Propagates through a message layer from its outputs to its inputs.
    pub fn messages<const N: usize>(
        &mut self,
        layer: &MessageLayer,
        features: &Features,
        [inputs, outputs]: [&Towers<N>; 2],
        mut d_outputs: Towers<N>,
    ) -> Towers<N> {
        let mut d_inputs = [[[0.0; N]; 8]; 2];
        for (side, colour) in (0..2).flat_map(|side| (0..8).map(move |colour| (side, colour))) {
            let d_output = &mut d_outputs[side][colour];
            relu(d_output, &outputs[side][colour]);
            self.row(layer.bias.start, d_output);
            self.matrix(&layer.own, &inputs[side][colour], d_output, &mut d_inputs[side][colour]);
            let calls = features.towers[side][colour].calls;
            let called = sum_selected(&inputs[1 - side], calls);
            let mut d_called = [0.0; N];
            self.matrix(&layer.called, &called, d_output, &mut d_called);
            sum(&mut d_inputs[1 - side], calls, &d_called);
        }
        d_inputs
    }
}

/// Propagates through [`sum_selected`].
pub fn sum<const N: usize>(d_towers: &mut [[f32; N]; 8], set: u8, d_sum: &[f32; N]) {
    let selected = d_towers.iter_mut().enumerate().filter(|(colour, _)| set >> colour & 1 == 1);
    selected.for_each(|(_, d_tower)| add_scaled(d_tower, d_sum, SUM_SCALE));
}
