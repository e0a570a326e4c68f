//! Operations, counted.

use pommel_math::{Counted, OperationCount, count_operations};
use pommel_tree::{Workspace, forward_dynamics};

use crate::common::{dh_chain, lift, model};

fn count(n: usize, free: bool) -> OperationCount {
    let model = model(&dh_chain(n, free, 7)).cast::<Counted>();
    let mut ws = Workspace::new(&model);
    let x = |len: usize| lift::<Counted>(&vec![0.3; len]);
    let (q, v, mut qdd) = (x(model.nq()), x(model.nv()), x(model.nv()));
    let ((), count) = count_operations(|| {
        forward_dynamics(&model, &mut ws, &q, &v, &v, None, &mut qdd).expect("regular")
    });
    count
}

/// The published recursion needs 201 multiplications (divisions included) and 193 additions a
/// joint; ours 189 and 175, and every further joint exactly the same.
#[test]
fn operation_count_of_a_revolute_chain_is_affine_in_n() {
    for free in [false, true] {
        let slope = |a: usize, b: usize| {
            let (x, y) = (count(a, free), count(b, free));
            let per_joint = |x: u64, y: u64| {
                let n = (b - a) as u64;
                assert_eq!((y - x) % n, 0, "not affine");
                (y - x) / n
            };
            [
                per_joint(x.mul + x.div, y.mul + y.div),
                per_joint(x.add, y.add),
                per_joint(x.trig, y.trig),
                per_joint(x.sqrt, y.sqrt),
            ]
        };
        let slopes = slope(5, 6);
        for (a, b) in [(6, 7), (7, 24), (24, 60)] {
            assert_eq!(slope(a, b), slopes, "free {free}");
        }
        assert_eq!(slopes, [189, 175, 1, 0], "free {free}");
    }
    // the ends of a chain, too: the table of `the_algorithm`
    for n in [6_u64, 10, 20, 40] {
        let count = count(n as usize, false);
        assert_eq!((count.mul + count.div, count.add), (189 * n - 288, 175 * n - 288), "n = {n}");
        assert_eq!((count.div, count.trig, count.sqrt), (n - 1, n, 0), "n = {n}");
    }
}
