//! Memory of the derivatives.

use std::sync::Arc;

use pommel_math::{Mat3, Real, RigidInertia, Twist, Vec3, Wrench};

use super::Tile;
use super::relation::Relation;
use crate::model::{Model, Topology};
use crate::workspace::Workspace;

/// Memory for the derivatives of the dynamics, allocated once for one topology: quadratic in the
/// number of velocities, so it is kept apart from a [`Workspace`].
///
/// Like that, it holds no results and no state. Use one per thread.
#[derive(Clone, Debug)]
pub struct DerivativeWorkspace<T> {
    pub(super) tree: Workspace<T>,
    pub(super) topology: Arc<Topology>,
    pub(super) relation: Relation,
    /// rows of `∂τ/∂q` within each joint with several velocities, by the numbers of its velocities
    pub(super) own: Vec<[T; 6]>,
    pub(super) composites: Vec<Composite<T>>,
    pub(super) loads: Vec<Load<T>>,
    pub(super) above: Vec<Above<T>>,
    pub(super) below: Vec<Below<T>>,
    pub(super) felt: Vec<Felt<T>>,
    /// rows of `[∂τ/∂q, ∂τ/∂v, M]`, in tiles of the whole width
    pub(super) rows: Vec<Tile<T>>,
    /// entries of `−L` in the order of the lists of [`Relation`]: by rows, and by columns
    pub(super) rows_before: Vec<T>,
    pub(super) columns_beyond: Vec<T>,
    /// the pivots' inverses
    pub(super) inverse: Vec<T>,
}

/// How one velocity moves the links beyond it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<T> {
    /// `S`, `ψ`, `ψ′`, `χ`
    pub(super) axis: Twist<T>,
    pub(super) rate: Twist<T>,
    pub(super) second: Twist<T>,
    pub(super) drift: Twist<T>,
}

impl<T: Real> Column<T> {
    /// Unlike a derived default, it is inlined.
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = Twist::zero();
        Column { axis: zero, rate: zero, second: zero, drift: zero }
    }
}

/// Sums over a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Composite<T> {
    pub(super) inertia: RigidInertia<T>,
    pub(super) wrench: Wrench<T>,
    /// `Σ m u rᵀ`, and with rotors `½ [L q̇]×`
    pub(super) spread: Mat3<T>,
    /// `Σ m u`
    pub(super) momentum: Vec3<T>,
}

/// Sums of the external wrenches on a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load<T> {
    /// `Σ f cᵀ`
    pub(super) spread: Mat3<T>,
    /// `Σ n`, each about its own point
    pub(super) moment: Vec3<T>,
    pub(super) force: Vec3<T>,
}

/// `S` (6), the angular part of `ψ` (3), `ψ′` (6), `χ` (6) of a tile of velocities.
pub(super) type Above<T> = [Tile<T>; 21];

/// What else a tile of velocities makes of the sums beyond it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Felt<T> {
    /// `Bᵀ S` with the rotor
    pub(super) turning: [Tile<T>; 3],
    /// `Eᵀ S`
    pub(super) external: [Tile<T>; 3],
    /// the entries on the diagonals of `∂τ/∂q`, `∂τ/∂v`, `M`
    pub(super) diagonal: [Tile<T>; 3],
}

impl<T: Real> Felt<T> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        let zero = [Tile::zero(); 3];
        Felt { turning: zero, external: zero, diagonal: zero }
    }
}

/// What velocities before meet: `I S` with the rotor (6) and the wrenches of `∂q` (6) and `∂v` (6).
pub(super) type Below<T> = [Tile<T>; 18];

impl<T: Real> DerivativeWorkspace<T> {
    /// Memory for models of the topology of `model`.
    pub fn new(model: &Model<T>) -> Self {
        let topology = Arc::clone(&model.topology);
        let relation = Relation::new(&topology);
        let (n, tiles) = (model.nv(), relation.tiles());
        let links = topology.links.len();
        let zero = Tile::zero();
        DerivativeWorkspace {
            tree: Workspace::new(model),
            topology,
            own: vec![[T::zero(); 6]; n],
            composites: vec![Composite::default(); links],
            loads: vec![Load::default(); links],
            above: vec![[zero; 21]; tiles],
            below: vec![[zero; 18]; tiles],
            felt: vec![Felt::zero(); tiles],
            rows: vec![zero; n * tiles * 3],
            rows_before: vec![T::zero(); relation.before.len()],
            columns_beyond: vec![T::zero(); relation.beyond.len()],
            inverse: vec![T::zero(); n],
            relation,
        }
    }

    /// Whether the memory is for the topology of `model`.
    pub(super) fn fits(&self, model: &Model<T>) -> bool {
        let (a, b) = (&self.topology, &model.topology);
        if Arc::ptr_eq(a, b) {
            return true;
        }
        let structure = |t: &Topology, i: usize| {
            let s = &t.links[i];
            (s.kind, s.parent, s.v, s.q)
        };
        self.tree.fits(model)
            && a.links.len() == b.links.len()
            && (0..a.links.len()).all(|i| structure(a, i) == structure(b, i))
    }
}
