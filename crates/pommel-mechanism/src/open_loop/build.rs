//! From a model to coordinates that embed its joints.

use std::collections::BTreeMap;
use std::sync::Arc;

use pommel_kkt::Pattern;
use pommel_model::{JointType, Mechanism};

use super::tree::{Base, Hinge, Tree};
use super::{Coupling, Moment, OpenLoop, OpenLoopEvaluation, Products};
use crate::system::Bodies;
use crate::{System, SystemError};

impl OpenLoop {
    /// A mechanism in the angles of its bodies; none if it is not in the plane.
    ///
    /// # Errors
    /// As [`System::new`].
    pub fn new(mechanism: &Mechanism) -> Result<Option<Self>, SystemError> {
        let whole = System::new(mechanism)?;
        if !whole.is_planar() {
            return Ok(None);
        }
        let bodies = Bodies::new(mechanism);
        let hinges: Vec<Hinge> = (bodies.links(mechanism).iter().enumerate())
            .filter(|(_, link)| link.joint.joint_type == JointType::Revolute)
            .map(|(joint, link)| Hinge {
                joint,
                poses: link.ends.map(|end| end.pose as usize),
                points: link.ends.map(|end| [end.point.x, end.point.y]),
            })
            .filter(|hinge| hinge.poses[0] != hinge.poses[1])
            .collect();
        let (tree, embedded) = Tree::new(bodies.count, &hinges);
        let mut left_out = vec![false; mechanism.joints().len()];
        embedded.iter().for_each(|&joint| left_out[joint] = true);
        let mut system = System::build(mechanism, None, &left_out)?;
        // lengths are those of the whole mechanism
        let mut about = (*system.about).clone();
        about.length = whole.about.length;
        about.scales.clone_from(&whole.about.scales);
        system.about = Arc::new(about);
        Ok(Some(Self::from_parts(system, tree, embedded)?))
    }

    fn from_parts(
        system: System<f64>,
        tree: Tree,
        embedded: Vec<usize>,
    ) -> Result<Self, SystemError> {
        let inertia = Inertia::new(&system, &tree);
        let mut places = Vec::new();
        let mut index = BTreeMap::new();
        // each row with its entries together
        let mut entries: Vec<_> = system.pattern().jacobian_entries().collect();
        entries.sort_unstable();
        let (mut of_rows, mut of_bias) = (Vec::new(), Vec::new());
        let on: Vec<usize> = positions(&tree);
        let one = 2 * tree.arms.len() as u32;
        for (row, column, value) in entries {
            let mut to = |column: u32| {
                *index.entry((row, column as usize)).or_insert_with(|| {
                    places.push((row, column as usize));
                    places.len() - 1
                })
            };
            let (body, component, from) = (column / 3, column % 3, value as u32);
            if component == 2 {
                of_rows.push((to(tree.angles[body]), [from, one]));
                continue;
            }
            of_bias.push((row, [from, (column - body) as u32]));
            let hung = tree.order[on[body]];
            if let Base::Body { column } = hung.base {
                of_rows.push((to(column + component as u32), [from, one]));
            }
            for arm in hung.first..hung.end {
                let angle = tree.angles[tree.arms[arm as usize].body as usize];
                of_rows.push((to(angle), [from, 2 * arm + component as u32]));
            }
        }
        let mut of_force = Vec::new();
        for hung in &tree.order {
            let at = 3 * hung.body;
            of_force.push((tree.angles[hung.body as usize] as usize, [at + 2, one]));
            for component in 0..2 {
                if let Base::Body { column } = hung.base {
                    of_force.push(((column + component) as usize, [at + component, one]));
                }
                for arm in hung.first..hung.end {
                    let angle = tree.angles[tree.arms[arm as usize].body as usize];
                    of_force.push((angle as usize, [at + component, 2 * arm + component]));
                }
            }
        }
        let heights: Vec<usize> =
            system.constraints().iter().map(|constraint| constraint.rows.len()).collect();
        let pattern = Pattern::from_places(&tree.blocks, &heights, &inertia.places, &places, &[])?;
        let (columns, rows) = (tree.columns.len(), pattern.rows());
        let scales = tree.columns.iter().map(|&at| system.scales()[at as usize]).collect();
        let Inertia { mass, couplings, moments, .. } = inertia;
        let mut mechanism = OpenLoop {
            system,
            tree,
            embedded,
            pattern,
            scales,
            mass,
            couplings,
            moments,
            jacobian: Products::new(places.len(), of_rows),
            force: Products::new(columns, of_force),
            bias: Products::new(rows, of_bias),
        };
        let rows: Vec<usize> = places.iter().map(|(row, _)| *row).collect();
        mechanism.clear_cancelled(&rows);
        Ok(mechanism)
    }

    /// Entries of Φ̂_q that cancel to rounding at positions that have nothing in common cancel at all of them, as those
    /// of a second hinge where one is already: they are zero from then on, as what rounding leaves must not pass for a
    /// constraint. Cams are left out: their profiles may be flat at some positions.
    ///
    /// `rows` has the row of each entry.
    fn clear_cancelled(&mut self, rows: &[usize]) {
        let n = self.coordinates();
        let length = self.system.typical_length();
        let mut evaluation = OpenLoopEvaluation::new(self);
        let cams = self.system.rows_of_cams();
        let mut cancelled: Vec<bool> = rows.iter().map(|row| !cams.contains(row)).collect();
        for trial in 0..3 {
            // steps of the golden angle never return
            let turn = |k: usize| 4.0 * (0.7 + 2.399_963 * (k + trial * n) as f64).sin();
            let place = |(k, at): (usize, &u32)| turn(k) * if at % 3 == 2 { 1.0 } else { length };
            let u: Vec<f64> = self.tree.columns.iter().enumerate().map(place).collect();
            self.evaluate(0.0, (&u, &vec![0.0; n]), &[], &mut evaluation);
            for (all, here) in cancelled.iter_mut().zip(evaluation.cancelled(self)) {
                *all &= here;
            }
        }
        self.jacobian.clear(&cancelled);
    }
}

/// For each body its place in the order.
fn positions(tree: &Tree) -> Vec<usize> {
    let mut on = vec![0; tree.order.len()];
    for (place, hung) in tree.order.iter().enumerate() {
        on[hung.body as usize] = place;
    }
    on
}

/// M̂.
#[derive(Default)]
struct Inertia {
    places: Vec<(usize, usize)>,
    mass: Vec<f64>,
    couplings: Vec<Coupling>,
    moments: Vec<Moment>,
}

impl Inertia {
    fn new(system: &System<f64>, tree: &Tree) -> Self {
        let mut found = Inertia::default();
        let mut diagonal = vec![0.0; tree.columns.len()];
        // pairs of bodies, and the first bodies of trees with others
        let mut pairs: BTreeMap<[u32; 2], [f64; 2]> = BTreeMap::new();
        let mut firsts: BTreeMap<[u32; 2], [f64; 2]> = BTreeMap::new();
        for hung in &tree.order {
            let at = 3 * hung.body as usize;
            let [mass, moment] = [system.mass()[at], system.mass()[at + 2]];
            diagonal[tree.angles[hung.body as usize] as usize] += moment;
            if let Base::Body { column } = hung.base {
                diagonal[column as usize] += mass;
                diagonal[column as usize + 1] += mass;
            }
            let arms = &tree.arms[hung.first as usize..hung.end as usize];
            for (k, a) in arms.iter().enumerate() {
                let [x, y] = a.vector;
                diagonal[tree.angles[a.body as usize] as usize] += mass * (x * x + y * y);
                if let Base::Body { column } = hung.base {
                    let sum = firsts.entry([column, a.body]).or_default();
                    sum[0] += mass * x;
                    sum[1] += mass * y;
                }
                for b in &arms[k + 1..] {
                    let sum = pairs.entry([a.body, b.body]).or_default();
                    sum[0] += mass * (x * b.vector[0] + y * b.vector[1]);
                    sum[1] += mass * (x * b.vector[1] - y * b.vector[0]);
                }
            }
        }
        for (k, value) in diagonal.into_iter().enumerate() {
            found.add(k as u32, k as u32, value);
        }
        for (bodies, [even, odd]) in pairs {
            let columns = bodies.map(|body| tree.angles[body as usize]);
            let value = found.add(columns[0], columns[1], 0.0);
            found.couplings.push(Coupling { value, bodies, columns, even, odd });
        }
        for ([column, body], arm) in firsts {
            let (angle, columns) = (tree.angles[body as usize], [column, column + 1]);
            let values = columns.map(|column| found.add(column, angle, 0.0));
            found.moments.push(Moment { values, columns, body, arm });
        }
        found
    }

    /// An entry on or below the diagonal.
    fn add(&mut self, a: u32, b: u32, value: f64) -> u32 {
        self.places.push((a.max(b) as usize, a.min(b) as usize));
        self.mass.push(value);
        self.mass.len() as u32 - 1
    }
}
