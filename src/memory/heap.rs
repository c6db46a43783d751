//! Zeroed memory from the heap, for targets without memory maps.

use zerocopy::FromZeros;

/// A zeroed slice on the heap.
pub struct Zeroed<T>(Box<[T]>);

impl<T: FromZeros> Zeroed<T> {
    /// Allocates `count` values; `None` if the heap cannot grow.
    pub fn new(count: usize) -> Option<Zeroed<T>> {
        <[T]>::new_box_zeroed_with_elems(count).ok().map(Zeroed)
    }

    /// Allocates `count` values if the heap then has `spare` bytes left.
    pub fn with_spare(count: usize, spare: usize) -> Option<Zeroed<T>> {
        let zeroed = Zeroed::new(count)?;
        Vec::<u8>::new().try_reserve_exact(spare).ok().map(|()| zeroed)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn values(&mut self) -> &[T] {
        &self.0
    }
}
