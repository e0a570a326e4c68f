//! Rooted trees, which index the order conditions of Runge-Kutta methods.
//!
//! A method has order `p` if `Σ b_i Φ_i(τ) = 1 / γ(τ)` for every rooted tree `τ` with at most `p`
//! vertices, with the elementary weights `Φ_i` and the density `γ` [HNW93, section II.2].

use std::fmt;

/// A rooted tree: a root that bears trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootedTree {
    children: Vec<RootedTree>,
}

impl RootedTree {
    /// All trees with 1 to `order` vertices, small ones first: 1, 1, 2, 4, 9, 20, 48, … of each.
    pub fn up_to(order: usize) -> Vec<RootedTree> {
        let mut all: Vec<RootedTree> = Vec::new();
        for n in 1..=order {
            let mut of_order_n = Vec::new();
            grow(&all, 0, n - 1, &mut Vec::new(), &mut of_order_n);
            all.extend(of_order_n);
        }
        all
    }

    /// Number of vertices.
    pub fn order(&self) -> usize {
        1 + self.children.iter().map(RootedTree::order).sum::<usize>()
    }

    /// The density `γ`: the number of vertices times the densities of the branches.
    pub fn density(&self) -> f64 {
        self.order() as f64 * self.children.iter().map(RootedTree::density).product::<f64>()
    }

    /// The elementary weights `Φ_i = Π_children Σ_j a_ij Φ_j(child)` for the `stages` × `stages`
    /// matrix `a`, row by row.
    pub fn elementary_weights(&self, a: &[f64], stages: usize) -> Vec<f64> {
        let mut phi = vec![1.0; stages];
        for child in &self.children {
            let below = child.elementary_weights(a, stages);
            for (i, phi) in phi.iter_mut().enumerate() {
                *phi *= (0..stages).map(|j| a[i * stages + j] * below[j]).sum::<f64>();
            }
        }
        phi
    }
}

/// Collects every tree whose branches are `branches` and more of `all[first..]`, with `vertices`
/// vertices left to place; branches come in the order of `all`, so no tree comes twice.
fn grow(
    all: &[RootedTree],
    first: usize,
    vertices: usize,
    branches: &mut Vec<RootedTree>,
    out: &mut Vec<RootedTree>,
) {
    if vertices == 0 {
        out.push(RootedTree { children: branches.clone() });
        return;
    }
    for (index, tree) in all.iter().enumerate().skip(first) {
        let order = tree.order();
        if order <= vertices {
            branches.push(tree.clone());
            grow(all, index, vertices - order, branches, out);
            branches.pop();
        }
    }
}

/// Bracket notation: `τ` is the single vertex, `[τ,[τ]]` bears a vertex and a branch of two.
impl fmt::Display for RootedTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.children.is_empty() {
            return f.write_str("τ");
        }
        f.write_str("[")?;
        for (i, child) in self.children.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            child.fmt(f)?;
        }
        f.write_str("]")
    }
}
