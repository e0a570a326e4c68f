//! Impacts: against closed forms, dense calculations of their own, and energy.

use pommel_mechanism::formulation::{Formulation, SparseKkt};
use pommel_mechanism::impact::{
    ActiveSet, GapKind, Held, Impact, ImpactError, ImpactSolver, Interactions, Restitution, Target,
    Touching,
};
use pommel_mechanism::joint_space::JointSpace;
use pommel_mechanism::pommel_model::{Mechanism, TimeFunction};
use pommel_mechanism::{Evaluation, System};

use Restitution::{Newton, Poisson};

/// A mechanism at a state, with the rows of all its gaps.
struct Case {
    system: System<f64>,
    evaluation: Evaluation<f64>,
    rows: Vec<f64>,
    v: Vec<f64>,
}

/// At joint coordinates and velocities.
fn case(model: &str, q: &[f64], v: &[f64]) -> Case {
    let model = Mechanism::from_toml_str(model).unwrap();
    let system = System::with_active(&model, &ActiveSet::default()).unwrap();
    let mut space = JointSpace::new(&model, &system).unwrap();
    let (mut absolute, mut rates) = (vec![0.0; system.nq()], vec![0.0; system.nv()]);
    space.to_absolute((q, v), &mut absolute, &mut rates);
    let mut evaluation = Evaluation::new(&system);
    system.evaluate(0.0, &absolute, &rates, &mut evaluation);
    let interactions = Interactions::new(&model).unwrap();
    let mut rows = Vec::new();
    for (gap, info) in interactions.gaps().iter().enumerate() {
        let mut row = vec![0.0; system.nv()];
        interactions.row(interactions.rubs().len() + gap, &system, &evaluation, &mut row);
        rows.extend(row.into_iter().map(|x| info.sign * x));
    }
    Case { system, evaluation, rows, v: rates }
}

impl Case {
    fn solve(&self, e: &[f64], law: Restitution) -> Result<(Impact, Vec<f64>), ImpactError> {
        let mut v = self.v.clone();
        let touching = Touching { rows: &self.rows, restitution: e };
        let impact =
            ImpactSolver::new().solve(&self.system, &self.evaluation, &touching, law, &mut v)?;
        Ok((impact, v))
    }

    fn energy(&self, v: &[f64]) -> f64 {
        self.system.energy(v, &self.evaluation).kinetic
    }
}

/// Blocks on a line, each with a rail on the one before, whose limit is where they touch.
fn line(count: usize) -> String {
    let mut text = "name = \"line\"\nkind = \"planar\"\ngravity = [0.0, 0.0]\n".to_owned();
    for i in 0..count {
        text += &format!("[[bodies]]\nname = \"b{i}\"\nmass = 2.0\ninertia = 1.0\n");
        let parent = if i == 0 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let limits = if i == 0 { "" } else { "limits = { lower = 0.1 }\n" };
        text += &format!(
            "[[joints]]\nname = \"r{i}\"\ntype = \"prismatic\"\naxis = [1.0, 0.0]\nparent = \"{parent}\"\n\
             child = \"b{i}\"\n{limits}"
        );
    }
    text
}

/// Three equal blocks that touch, the first with velocity 1: solved for at once, momentum, energy and both
/// conditions give −1/3, 2/3, 2/3 (Moreau), not 0, 0, 1.
#[test]
fn a_cradle_of_blocks_that_touch_shares_the_impact() {
    let case = case(&line(3), &[0.0, 0.1, 0.1], &[1.0, -1.0, 0.0]);
    for law in [Newton, Poisson] {
        let (impact, v) = case.solve(&[1.0, 1.0], law).unwrap();
        for (found, expected) in [v[0], v[3], v[6]].iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{law:?}: {v:?}");
        }
        assert!(impact.energy.abs() < 1e-14);
        // Λ = 8/3 and 4/3 N·s
        assert!((impact.impulses[0] - 8.0 / 3.0).abs() < 1e-13, "{:?}", impact.impulses);
        assert!((impact.impulses[1] - 4.0 / 3.0).abs() < 1e-13, "{:?}", impact.impulses);
    }
    // without restitution all go on together
    let (_, v) = case.solve(&[0.0, 0.0], Newton).unwrap();
    assert!([v[0], v[3], v[6]].iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-14), "{v:?}");
}

/// The two hypotheses differ where several conditions with different coefficients are struck.
#[test]
fn hypotheses_agree_for_one_condition_and_differ_for_several() {
    let one = case(&line(2), &[0.0, 0.1], &[1.0, -3.0]);
    for e in [0.0, 0.3, 1.0] {
        let ((a, va), (b, vb)) =
            (one.solve(&[e], Newton).unwrap(), one.solve(&[e], Poisson).unwrap());
        assert!((a.impulses[0] - b.impulses[0]).abs() < 1e-14);
        assert!(va.iter().zip(&vb).all(|(a, b)| (a - b).abs() < 1e-14));
        assert!((a.after[0] + e * a.before[0]).abs() < 1e-14 && a.before[0] == -3.0);
    }
    let three = case(&line(3), &[0.0, 0.1, 0.1], &[1.0, -1.0, 0.0]);
    let e = [1.0, 0.0];
    let ((_, va), (_, vb)) = (three.solve(&e, Newton).unwrap(), three.solve(&e, Poisson).unwrap());
    // Newton: the first pair separates with 1, the second does not; momentum: v1 + 2 v2 = 1, v2 − v1 = 1
    assert!((va[0] + 1.0 / 3.0).abs() < 1e-14 && (va[6] - 2.0 / 3.0).abs() < 1e-14, "{va:?}");
    // Poisson: compression 2/3, 1/3 of the momentum; expansion: 2/3 more on the first pair, and on the second
    // what keeps it closed: v1 = −1/3, v2 = v3 = 2/3
    assert!((vb[0] + 1.0 / 3.0).abs() < 1e-14 && (vb[6] - 2.0 / 3.0).abs() < 1e-14, "{vb:?}");
    // e = 0 and 1: Newton keeps the second pair at no rate, Poisson gives back a third
    let e = [0.0, 1.0];
    let ((_, va), (_, vb)) = (three.solve(&e, Newton).unwrap(), three.solve(&e, Poisson).unwrap());
    assert!((va[6] - va[3]).abs() < 1e-14, "{va:?}");
    assert!(vb[6] - vb[3] > 0.1, "{vb:?}");
}

const DOUBLE_PENDULUM: &str = r#"
name = "double pendulum over a floor"
kind = "planar"
gravity = [0.0, -9.81]
bodies = [
    { name = "upper", mass = 2.0, inertia = 0.3 },
    { name = "lower", mass = 1.5, inertia = 0.1 },
]
joints = [
    { name = "shoulder", type = "revolute", parent = "ground", child = "upper", in_child = { position = [-0.4, 0.0] } },
    { name = "elbow", type = "revolute", parent = "upper", in_parent = { position = [0.5, 0.0] }, child = "lower", in_child = { position = [-0.3, 0.0] } },
]
[[contacts]]
name = "tip"
body = "lower"
point = [0.35, 0.1]
radius = 0.05
plane = { point = [0.0, -0.7], normal = [0.2, 1.0] }
restitution = 0.6
"#;

/// An eccentric impact of the tip of a double pendulum, calculated in two angles by hand: inertia matrix by
/// Lagrange, gap rate by the velocity of the point, a 2 × 2 solve.
#[test]
fn an_eccentric_impact_of_a_double_pendulum() {
    let (q, w) = ([-0.7, 0.4], [-1.3, 0.8]);
    let e = 0.6;
    let case = case(DOUBLE_PENDULUM, &q, &w);
    // absolute angles a, b and their rates
    let (a, b) = (q[0], q[0] + q[1]);
    let rates = [w[0], w[0] + w[1]];
    // centre of the upper link at 0.4, elbow at 0.9, centre of the lower one 0.3 beyond
    let cosine = (a - b).cos();
    let m = [
        [2.0 * 0.16 + 0.3 + 1.5 * 0.81, 1.5 * 0.9 * 0.3 * cosine],
        [1.5 * 0.9 * 0.3 * cosine, 1.5 * 0.09 + 0.1],
    ];
    let norm = (0.04_f64 + 1.0).sqrt();
    let n = [0.2 / norm, 1.0 / norm];
    // the point is 0.65 along and 0.1 across the lower link, from the elbow
    let across_upper = [-0.9 * a.sin(), 0.9 * a.cos()];
    let across_lower = [-0.65 * b.sin() - 0.1 * b.cos(), 0.65 * b.cos() - 0.1 * b.sin()];
    let j = [
        n[0] * across_upper[0] + n[1] * across_upper[1],
        n[0] * across_lower[0] + n[1] * across_lower[1],
    ];
    let determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let x = [
        (m[1][1] * j[0] - m[0][1] * j[1]) / determinant,
        (m[0][0] * j[1] - m[1][0] * j[0]) / determinant,
    ];
    let rate = j[0] * rates[0] + j[1] * rates[1];
    assert!(rate < 0.0, "it closes: {rate}");
    let impulse = -(1.0 + e) * rate / (j[0] * x[0] + j[1] * x[1]);
    let expected = [rates[0] + impulse * x[0], rates[1] + impulse * x[1]];
    for law in [Newton, Poisson] {
        let (impact, v) = case.solve(&[e], law).unwrap();
        assert!((impact.before[0] - rate).abs() < 1e-14, "{} {rate}", impact.before[0]);
        assert!((impact.impulses[0] - impulse).abs() < 1e-13 * impulse, "{}", impact.impulses[0]);
        assert!((v[2] - expected[0]).abs() < 1e-13 && (v[5] - expected[1]).abs() < 1e-13, "{v:?}");
        // joints hold, and the impulses of the pivot are what the momentum of both bodies needs
        assert!(case.system.velocity_residual(&v, &case.evaluation) < 1e-14);
        let jump = |k: usize| v[k] - case.v[k];
        for k in 0..2 {
            let momentum = 2.0 * jump(k) + 1.5 * jump(3 + k);
            let pivot = impulse * n[k] - momentum;
            // rows of the pivot are the position of the link: its multipliers are the forces against it
            assert!((impact.reactions[k] - pivot).abs() < 1e-13, "{:?} {pivot}", impact.reactions);
        }
        let change = case.energy(&v) - case.energy(&case.v);
        assert!((impact.energy - change).abs() < 1e-13, "{} {change}", impact.energy);
    }
}

/// With coefficients of at most one, no impact increases energy, whatever touches: chains of blocks, of which
/// all rates close, with one coefficient and with many. With one of 1, energy stays.
#[test]
fn energy_never_increases() {
    let mut seed = 11_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    for round in 0..200 {
        let count = 2 + round % 6;
        let mut q = vec![0.1; count];
        q[0] = 0.0;
        let rates: Vec<f64> = (0..count).map(|i| if i == 0 { 1.0 } else { -next() }).collect();
        let case = case(&line(count), &q, &rates);
        let e: Vec<f64> = (1..count).map(|_| next()).collect();
        let scale = case.energy(&case.v);
        for law in [Newton, Poisson] {
            let (impact, v) = case.solve(&e, law).unwrap();
            assert!(impact.energy <= 1e-13 * scale, "{law:?} {e:?} {rates:?}: {}", impact.energy);
            assert!(impact.impulses.iter().all(|x| *x >= 0.0), "{:?}", impact.impulses);
            assert!(impact.after.iter().all(|x| *x >= -1e-12), "{law:?}: {:?}", impact.after);
            let momentum: f64 = v.iter().step_by(3).sum();
            let before: f64 = case.v.iter().step_by(3).sum();
            assert!((momentum - before).abs() < 1e-12);
            let ones = vec![1.0; count - 1];
            let (impact, _) = case.solve(&ones, Newton).unwrap();
            assert!(impact.energy.abs() < 1e-12 * scale, "{}", impact.energy);
        }
    }
}

/// Conditions that say the same, on a mechanism with redundant constraints: a slide on two parallel rails.
#[test]
fn redundant_conditions_and_constraints_share_the_impulse() {
    let model = r#"
name = "slide"
kind = "planar"
bodies = [{ name = "slide", mass = 3.0, inertia = 1.0 }]
joints = [
    { name = "a", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "slide", limits = { upper = 0.0 } },
    { name = "b", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "slide", limits = { upper = 0.0 } },
]
"#;
    let case = case(model, &[0.0], &[2.0]);
    for law in [Newton, Poisson] {
        let (impact, v) = case.solve(&[0.5, 0.5], law).unwrap();
        assert!((v[0] + 1.0).abs() < 1e-14, "{v:?}");
        assert!((impact.impulses.iter().sum::<f64>() - 9.0).abs() < 1e-13, "{:?}", impact.impulses);
    }
}

#[test]
fn impacts_that_cannot_be_are_refused() {
    let driven = r#"
name = "driven"
kind = "planar"
bodies = [{ name = "ram", mass = 3.0, inertia = 1.0 }]
joints = [{ name = "rail", type = "prismatic", axis = [1.0, 0.0], parent = "ground", child = "ram", limits = { upper = 0.0 } }]
drivers = [{ joint = "rail", motion = { type = "polynomial", coefficients = [0.0, 2.0] } }]
"#;
    let driven = case(driven, &[0.0], &[2.0]);
    let refused = driven.solve(&[0.0], Newton);
    assert_eq!(refused.unwrap_err(), ImpactError::NoImpulse { index: 0, rate: -2.0 });
    let mut one = case(&line(2), &[0.0, 0.1], &[1.0, -3.0]);
    let refused = one.solve(&[1.5], Newton).unwrap_err();
    assert_eq!(refused, ImpactError::Restitution { index: 0, value: 1.5 });
    let refused = one.solve(&[f64::NAN], Newton).unwrap_err();
    assert_eq!(refused, ImpactError::NotFinite { what: "restitution", index: 0 });
    one.v[4] = f64::INFINITY;
    let refused = one.solve(&[0.5], Newton).unwrap_err();
    assert_eq!(refused, ImpactError::NotFinite { what: "velocity", index: 4 });
}

/// What is not known is named, not left out.
#[test]
fn friction_in_contacts_and_ball_joints_is_refused() {
    let slippery =
        DOUBLE_PENDULUM.replace("restitution = 0.6", "restitution = 0.6\nfriction = 0.3");
    let error = Interactions::new(&Mechanism::from_toml_str(&slippery).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("contacts[0] 'tip': friction in contacts"), "{error}");
    let ball = r#"
name = "ball"
bodies = [{ name = "b", mass = 1.0, com = [0.0, 0.0, 1.0], inertia = [1.0, 1.0, 1.0] }]
joints = [{ name = "socket", type = "spherical", parent = "ground", child = "b", friction = [{ coulomb = 1.0 }, { coulomb = 1.0 }, { coulomb = 1.0 }] }]
"#;
    let error = Interactions::new(&Mechanism::from_toml_str(ball).unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("joints[0] 'socket'"), "{error}");
}

/// Names, kinds and order of what a model has.
#[test]
fn interactions_are_listed_in_the_order_of_the_model() {
    let model = r#"
name = "all"
bodies = [{ name = "b", mass = 1.0, com = [0.0, 0.0, 1.0], inertia = [1.0, 1.0, 1.0] }]
joints = [{ name = "arm", type = "cylindrical", parent = "ground", child = "b", friction = [{ coulomb = 1.0 }, { coulomb = 0.0 }], limits = [{ lower = -1.0, upper = 2.0 }, { upper = 3.0, restitution = 0.5 }] }]
contacts = [{ body = "b", plane = { normal = [0.0, 0.0, 2.0] }, radius = 0.2 }]
"#;
    let found = Interactions::new(&Mechanism::from_toml_str(model).unwrap()).unwrap();
    assert_eq!(found.rubs().iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["arm.angle"]);
    let gaps: Vec<(&str, GapKind, f64)> =
        found.gaps().iter().map(|g| (g.name.as_str(), g.kind, g.bound)).collect();
    let expected = [
        ("arm.angle (lower limit)", GapKind::LowerLimit, -1.0),
        ("arm.angle (upper limit)", GapKind::UpperLimit, 2.0),
        ("arm.slide (upper limit)", GapKind::UpperLimit, 3.0),
        ("contacts[0]", GapKind::Contact, 0.0),
    ];
    assert_eq!(gaps, expected);
    assert_eq!(found.count(), 5);
}

/// A box that stands on four feet, of which three would do: nothing accelerates, and the feet bear its weight. What
/// is left of rows is rounding of forces in balance, which is no inaccuracy and no contradiction.
#[test]
fn what_stands_on_more_feet_than_needed_is_solved_for() {
    let mut model = r#"
name = "box"
gravity = [0.0, 0.0, -9.7]
bodies = [{ name = "box", mass = 3.1, com = [0.03, 0.07, 0.4], inertia = [0.5, 0.6, 0.7] }]
joints = [{ name = "free", type = "free", parent = "ground", child = "box" }]
"#
    .to_owned();
    let mut active = ActiveSet::default();
    for (k, (x, y)) in [(-0.5, -1.1), (0.5, -1.0), (-0.5, 1.0), (0.5, 0.9)].iter().enumerate() {
        model += &format!(
            "[[contacts]]\nbody = \"box\"\npoint = [{x}, {y}, 0.0]\nplane = {{ normal = [0.0, 0.0, 1.0] }}\n"
        );
        let (target, motion) = (Target::Gap { contact: k }, TimeFunction::default());
        active.held.push(Held { target, motion, name: format!("foot {k}") });
    }
    let model = Mechanism::from_toml_str(&model).unwrap();
    let system = System::with_active(&model, &active).unwrap();
    assert_eq!(system.held_rows(), 0..4);
    let (q, v) = ([0.03, 0.07, 0.4, 1.0, 0.0, 0.0, 0.0], [0.0; 6]);
    let mut evaluation = Evaluation::new(&system);
    system.evaluate(0.0, &q, &v, &mut evaluation);
    assert!(evaluation.phi().iter().all(|phi| phi.abs() < 1e-15), "{:?}", evaluation.phi());
    let equations = system.equations(&evaluation, (&q, &v));
    let (mut a, mut lambda) = ([0.0; 6], [0.0; 4]);
    let mut sparse = SparseKkt::for_values(&equations).unwrap();
    let outcome = sparse.solve(&equations, &mut a, &mut lambda).unwrap();
    assert_eq!(outcome.rank, Some(3));
    assert!(a.iter().all(|a| a.abs() < 1e-13), "{a:?}");
    let borne = -lambda.iter().sum::<f64>();
    assert!((borne - 3.1 * 9.7).abs() < 1e-12, "{lambda:?}");
}
