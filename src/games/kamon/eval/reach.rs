//! Shortest paths between opposite sides, and threats to complete a figure.

use arrayvec::ArrayVec;

use crate::games::kamon::board::{Cell, Cells, SIDES};
use crate::games::kamon::figure::{self, closes_ring};
use crate::games::kamon::hexagons::Hexagons;

/// Shortest paths and threats of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// Minimum number of free cells to fill for a connection; [`FAR`] if at least that many or
    /// impossible.
    pub missing: usize,
    /// The free cells on the shortest paths.
    pub paths: Cells,
    /// The free cells on which a hexagon completes a figure.
    pub threats: Cells,
    /// For each of [`SIDES`], the free cells on which a hexagon is connected to it.
    adjacent: [[Cells; 2]; 3],
}

/// Limit of [`Reach::missing`]: only winding paths need more cells.
pub const FAR: usize = 8;

impl Reach {
    /// Analyses the hexagons of a player, which hold no figure, with these `free` cells.
    pub fn new(hexagons: &Hexagons, free: Cells) -> Reach {
        let own = hexagons.cells();
        let (joined, adjacent) = (hexagons.joined(), hexagons.adjacent());
        let fronts: [[Waves; 2]; 3] = std::array::from_fn(|pair| {
            std::array::from_fn(|side| Waves {
                own,
                free,
                apart: own - joined[pair][side],
                next: adjacent[pair][side] & free,
            })
        });
        let mut reach = Reach {
            missing: FAR,
            paths: Cells::NONE,
            threats: Cells::NONE,
            adjacent: adjacent.map(|pair| pair.map(|cells| cells & free)),
        };
        for [forth, back] in fronts {
            reach.consider(forth, back);
        }
        let connecting = if reach.missing == 1 { reach.paths } else { Cells::NONE };
        let closing = (between_arcs(own) & free) - connecting;
        let closing: Cells = closing.iter().filter(|&cell| closes_ring(own, cell)).collect();
        reach.threats = connecting | closing;
        reach
    }

    /// Adds the shortest paths between two opposite sides, unless the known ones are shorter.
    fn consider(&mut self, forth: Waves, back: Waves) {
        let goal = back.next;
        let mut passed = ArrayVec::<Cells, FAR>::new();
        for front in forth.take(self.missing.min(FAR - 1)) {
            passed.push(front);
            if front.meets(goal) {
                if passed.len() < self.missing {
                    self.missing = passed.len();
                    self.paths = Cells::NONE;
                }
                let met = passed.iter().rev().zip(back).map(|(&front, back)| front & back);
                self.paths = met.fold(self.paths, |all, cells| all | cells);
                break;
            }
        }
    }

    /// The threats that a hexagon on `cell` adds. `own` are the hexagons before the move, `free`
    /// the free cells after it.
    pub fn new_threats(&self, own: &Hexagons, free: Cells, cell: Cell) -> Cells {
        let own = own.cells() | cell.into();
        let chain = Cells::from(cell).spread_within(own);
        let around = chain.neighbours() & (free - self.threats);
        // The chain reaches one side, so an adjacent cell that reaches the other side connects
        // them.
        let mut connecting = Cells::NONE;
        for ([side, opposite], [adjacent, adjacent_opposite]) in
            SIDES.into_iter().zip(self.adjacent)
        {
            if chain.meets(side) {
                connecting |= around & adjacent_opposite;
            }
            if chain.meets(opposite) {
                connecting |= around & adjacent;
            }
        }
        let closing = (around & between_arcs(own)) - connecting;
        closing
            .iter()
            .filter(|&cell| closes_ring(own, cell))
            .fold(connecting, |all, cell| all | cell.into())
    }

    /// The threats that a hexagon on `cell` removes, because it fills the only cell that a loop
    /// would enclose. `own` are the hexagons before the move.
    pub fn removed_threats(&self, own: &Hexagons, cell: Cell) -> Cells {
        let open = cell.neighbours() - own.cells();
        let spoils = open.len() == 1 && !Cells::RIM.contains(cell);
        let threatened = if spoils { open & self.threats } else { Cells::NONE };
        threatened.iter().filter(|&threat| own.with(cell).completed_by(threat).is_none()).collect()
    }
}

/// Whether a player may complete a figure with half of the cells of `part` and one cell of
/// `outside`. May return false positives, but no false negatives.
pub fn can_complete(own: &Hexagons, part: Cells, outside: Cells) -> bool {
    let connects = || Hexagons::from(own.cells() | part).connect_with(outside);
    let has_time = || Reach::new(own, part | outside).missing <= part.len() as usize / 2 + 1;
    can_enclose(own.cells(), part, outside) || connects() && has_time()
}

/// Whether `own` and `part`, with at most one cell of `outside`, may hold a loop.
fn can_enclose(own: Cells, part: Cells, outside: Cells) -> bool {
    let most = own | part;
    // A loop encloses a cell that the player cannot fill, or a cell of the part and all around it.
    own.len() + part.len() / 2 + 1 >= 6
        && (part.meets((most | outside).inner())
            || figure::encloses(most)
            || outside.iter().any(|cell| figure::encloses(most | cell.into())))
}

/// The cells on which a hexagon may close a ring. A ring needs six hexagons.
fn between_arcs(own: Cells) -> Cells {
    if own.len() < 5 { Cells::NONE } else { own.between_arcs() }
}

/// Breadth-first search from a side: yields the free cells at distance 1, 2, …
struct Waves {
    own: Cells,
    /// The free cells not reached yet.
    free: Cells,
    /// The own hexagons not reached yet.
    apart: Cells,
    next: Cells,
}

impl Iterator for Waves {
    type Item = Cells;

    fn next(&mut self) -> Option<Cells> {
        let front = self.next;
        if front.is_empty() {
            return None;
        }
        self.free -= front;
        let mut around = front.neighbours();
        if around.meets(self.apart) {
            let joined = (around & self.apart).spread_within(self.own);
            self.apart -= joined;
            around |= joined.neighbours();
        }
        self.next = around & self.free;
        Some(front)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::kamon::figure::{Figure, figure_in};
    use rand::SeedableRng;
    use rand::seq::SliceRandom;
    use rand_chacha::ChaCha8Rng;

    /// Random own hexagons without a figure, and random free cells.
    fn random_cells(count: usize) -> impl Iterator<Item = (Hexagons, Cells)> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut cells: Vec<Cell> = Cell::all().collect();
        let sizes = (0..).map(|number| (number % 16, number % 21));
        sizes
            .map(move |(own, free)| {
                cells.shuffle(&mut rng);
                (
                    cells[..own].iter().copied().collect::<Cells>().into(),
                    cells[own..][..free].iter().copied().collect(),
                )
            })
            .filter(|(own, _): &(Hexagons, Cells)| figure_in(own.cells()).is_none())
            .take(count)
    }

    #[test]
    fn threats_complete_figures() {
        for (own, free) in random_cells(20_000) {
            let completing: Cells =
                free.iter().filter(|&cell| own.completed_by(cell).is_some()).collect();
            assert_eq!(Reach::new(&own, free).threats, completing, "{own:?} {free:?}");
        }
    }

    #[test]
    fn filling_enclosed_cell_removes_threat() {
        let cells = |text: &str| -> Cells { text.split(' ').filter_map(Cell::from_text).collect() };
        let own = Hexagons::from(cells("c3 c4 d3 d5 e3"));
        let reach = Reach::new(&own, Cells::BOARD - own.cells());
        let centre = Cell::from_text("d4").unwrap();
        assert_eq!(reach.threats, cells("e4"));
        assert_eq!(reach.removed_threats(&own, centre), cells("e4"));
    }

    #[test]
    fn threat_changes_agree_with_new_analysis() {
        for (own, free) in random_cells(5_000) {
            let before = Reach::new(&own, free);
            for cell in free - before.threats {
                let free = free - cell.into();
                let after = Reach::new(&own.with(cell), free);
                assert_eq!(
                    before.new_threats(&own, free, cell),
                    after.threats - before.threats,
                    "{own:?} {free:?} {cell}"
                );
                assert_eq!(
                    before.removed_threats(&own, cell),
                    before.threats - after.threats,
                    "{own:?} {free:?} {cell}"
                );
            }
        }
    }

    /// Minimum number of cells of `free` that connect the sides with `own`, by brute force.
    fn fewest_missing(own: Cells, free: Cells, [side, opposite]: [Cells; 2]) -> Option<usize> {
        let free: Vec<Cell> = free.iter().collect();
        (0..1_usize << free.len())
            .filter(|subset| {
                let filled = (0..free.len())
                    .filter(|place| subset >> place & 1 == 1)
                    .map(|place| free[place])
                    .collect();
                side.spread_within(own | filled).meets(opposite)
            })
            .map(|subset| subset.count_ones() as usize)
            .min()
    }

    #[test]
    fn missing_agrees_with_brute_force() {
        for (own, free) in random_cells(3_000).filter(|(_, free)| free.len() <= 10) {
            let fewest = SIDES
                .into_iter()
                .filter_map(|sides| fewest_missing(own.cells(), free, sides))
                .min();
            assert_eq!(
                Reach::new(&own, free).missing,
                fewest.unwrap_or(FAR).min(FAR),
                "{own:?} {free:?}"
            );
        }
    }

    #[test]
    fn connecting_cells_complete_connections() {
        for (own, free) in random_cells(5_000) {
            let completing = |&cell: &Cell| own.completed_by(cell) == Some(Figure::Connection);
            assert_eq!(
                own.connecting() & free,
                free.iter().filter(completing).collect(),
                "{own:?} {free:?}"
            );
        }
    }

    #[test]
    fn can_complete_has_no_false_negatives() {
        let mut answers = [0; 2];
        for (own, free) in random_cells(6_000).filter(|(_, free)| free.len() <= 12) {
            let cells: Vec<Cell> = free.iter().collect();
            let (part, outside) = cells.split_at(cells.len() / 4 * 2);
            let is_figure = |cells: Cells| figure_in(cells).is_some();
            let some_complete = (0..1_usize << part.len())
                .filter(|set| set.count_ones() as usize <= part.len() / 2)
                .any(|set| {
                    let filled = (0..part.len())
                        .filter(|place| set >> place & 1 == 1)
                        .map(|place| part[place])
                        .collect();
                    is_figure(own.cells() | filled)
                        || outside.iter().any(|&cell| is_figure(own.cells() | filled | cell.into()))
                });
            let answer = can_complete(
                &own,
                part.iter().copied().collect(),
                outside.iter().copied().collect(),
            );
            assert!(answer || !some_complete, "{own:?} {part:?} {outside:?}");
            answers[usize::from(answer)] += 1;
        }
        assert!(answers[0] > 100 && answers[1] > 100, "{answers:?}");
    }

    #[test]
    fn cells_on_shortest_paths_reduce_missing() {
        for (own, free) in random_cells(5_000) {
            let reach = Reach::new(&own, free);
            for cell in (free - reach.threats).iter().filter(|_| reach.missing < FAR) {
                let nearer =
                    Reach::new(&own.with(cell), free - cell.into()).missing < reach.missing;
                assert_eq!(reach.paths.contains(cell), nearer, "{own:?} {free:?} {cell}");
            }
        }
    }
}
