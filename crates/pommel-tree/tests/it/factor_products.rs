//! What a factor gives besides solutions, against dense matrices.

use nalgebra::{DMatrix, DVector, Vector3};
use pommel_math::{Lanes, Mask, Real, Transform, Twist, Vec3, Wrench};
use pommel_testkit::{DenseTerms, Rng, Robot, RobotBody, RobotJoint, random_mechanism};
use pommel_tree::{
    BodyId, BodySpec, Joint, Model, TreeBuilder, TreeError, UdutFactor, Workspace, factorize,
    forward_dynamics, jacobian,
};

use crate::common::{State, dh_chain, lift, model, random_state, wrenches};

/// Rounding of some 20 nested steps, relative to the largest entry.
const TOLERANCE: f64 = 1e-13;

/// Rounding of a solution with a matrix of condition κ, in units of κ ε: the dense inverse has it
/// as well as the factor.
const SOLVED: f64 = 30.0;

/// Random mechanisms of all joints, half of them on a free root, with their dense terms and the
/// inverse of the dense inertia matrix.
fn cases(seed: u64, mut check: impl FnMut(usize, &Robot, &State, &DenseTerms, &DMatrix<f64>)) {
    let mut rng = Rng::new(seed);
    for case in 0..300 {
        let robot = random_mechanism(&mut rng, 1 + case % 20, case % 2 == 0);
        let s = random_state(&mut rng, &robot);
        let terms = robot.terms(&s.q, &s.v, None);
        let inverse = terms.mass_matrix.clone().cholesky().expect("positive definite").inverse();
        check(case, &robot, &s, &terms, &inverse);
    }
}

fn norm(m: &DMatrix<f64>) -> f64 {
    m.column_iter().map(|c| c.abs().sum()).fold(0.0, f64::max)
}

fn written(
    factor: &mut UdutFactor<'_, f64>,
    write: fn(&mut UdutFactor<'_, f64>, &mut [f64]),
) -> DMatrix<f64> {
    let n = factor.model().nv();
    let mut matrix = vec![f64::NAN; n * n];
    write(factor, &mut matrix);
    DMatrix::from_row_slice(n, n, &matrix)
}

/// The Jacobian of a point of a body, from that of its mass centre.
fn point_jacobian(robot: &Robot, terms: &DenseTerms, body: usize, point: [f64; 3]) -> DMatrix<f64> {
    let motion = &terms.motions[body];
    let arm = Vector3::from(point) - Vector3::from(robot.bodies[body].centre);
    let arm = motion.rotation * arm;
    let mut j = motion.jacobian.clone();
    let shift = -arm.cross_matrix() * j.rows(0, 3);
    let mut linear = j.rows_mut(3, 3);
    linear += shift;
    j
}

fn square(rows: &[[f64; 6]; 6]) -> DMatrix<f64> {
    DMatrix::from_row_slice(6, 6, rows.as_flattened())
}

#[test]
fn written_matrices_are_the_dense_ones() {
    cases(171, |case, robot, s, terms, inverse| {
        let model = model(robot);
        let n = model.nv();
        let mut ws = Workspace::new(&model);
        let mut factor = factorize(&model, &mut ws, &s.q).expect("regular");
        let u = written(&mut factor, |f, m| f.write_u(m));
        let d = written(&mut factor, |f, m| f.write_d(m));
        let m = written(&mut factor, |f, m| f.write_mass_matrix(m));
        let w = written(&mut factor, |f, m| f.write_inverse(m));
        let dense = &terms.mass_matrix;
        let scale = dense.amax();
        let error = (&u * &d * u.transpose() - dense).amax();
        assert!(error <= TOLERANCE * scale, "case {case} U D Uᵀ: {error:.1e} of {scale:.1e}");
        let error = (&m - dense).amax();
        assert!(error <= TOLERANCE * scale, "case {case} M: {error:.1e} of {scale:.1e}");
        let limit = SOLVED * f64::EPSILON * norm(dense) * norm(inverse);
        let error = (&w - inverse).amax() / inverse.amax();
        assert!(error <= limit, "case {case} M⁻¹: {error:.1e} of {limit:.1e}");
        for matrix in [&d, &m, &w] {
            assert_eq!(*matrix, matrix.transpose(), "case {case}: symmetric to the bit");
        }
        // the columns of a matrix are what its operation gives
        for k in 0..n {
            let mut unit = vec![0.0; n];
            unit[k] = 1.0;
            let mut column = vec![0.0; n];
            factor.multiply_u(&unit, &mut column);
            assert_eq!(u.column(k).as_slice(), column, "case {case}");
        }
    });
}

/// For each velocity its body and its place in the body's joint.
fn owners(robot: &Robot) -> Vec<(usize, usize)> {
    let own = |i: usize| (0..robot.bodies[i].joint.velocity_count()).map(move |k| (i, k));
    (0..robot.bodies.len()).flat_map(own).collect()
}

#[test]
fn what_joints_do_not_share_is_exactly_zero() {
    let (mut apart, mut unrelated) = (0, 0);
    cases(172, |case, robot, s, _, _| {
        // a second tree beside the first
        let mut robot = robot.clone();
        let count = robot.bodies.len();
        for i in 0..count {
            let mut body = robot.bodies[i].clone();
            body.parent = body.parent.map(|p| p + count);
            robot.bodies.push(body);
        }
        let q = [s.q.clone(), s.q.clone()].concat();
        let model = model(&robot);
        let mut ws = Workspace::new(&model);
        let mut factor = factorize(&model, &mut ws, &q).expect("regular");
        let u = written(&mut factor, |f, m| f.write_u(m));
        let d = written(&mut factor, |f, m| f.write_d(m));
        let m = written(&mut factor, |f, m| f.write_mass_matrix(m));
        let w = written(&mut factor, |f, m| f.write_inverse(m));
        let owners = owners(&robot);
        let path = |mut body: usize| {
            let mut path = vec![body];
            while let Some(parent) = robot.bodies[body].parent {
                path.push(parent);
                body = parent;
            }
            path
        };
        for (a, &(body_a, place_a)) in owners.iter().enumerate() {
            for (b, &(body_b, place_b)) in owners.iter().enumerate() {
                let carries = path(body_b).contains(&body_a);
                let carried = path(body_a).contains(&body_b);
                let what = format!("case {case}, {a} and {b}");
                if !carries || (body_a == body_b && place_a > place_b) {
                    assert_eq!(u[(a, b)], 0.0, "{what}");
                }
                if body_a != body_b {
                    assert_eq!(d[(a, b)], 0.0, "{what}");
                }
                if !carries && !carried {
                    assert_eq!(m[(a, b)], 0.0, "{what}");
                    unrelated += 1;
                }
                if (body_a < count) != (body_b < count) {
                    assert_eq!(w[(a, b)], 0.0, "{what}");
                    apart += 1;
                }
            }
        }
    });
    assert!(apart > 10_000 && unrelated > apart, "{apart} {unrelated}");
}

#[test]
fn the_condition_estimate_is_a_bound_near_the_truth() {
    let (mut sharp, mut worst, mut count) = (0, 1.0_f64, 0);
    cases(173, |case, robot, s, terms, inverse| {
        let model = model(robot);
        let mut ws = Workspace::new(&model);
        let estimate = factorize(&model, &mut ws, &s.q).expect("regular").condition_estimate();
        if model.nv() == 0 {
            assert_eq!(estimate, 1.0);
            return;
        }
        let truth = norm(&terms.mass_matrix) * norm(inverse);
        let ratio = estimate / truth;
        // a lower bound, but for the rounding of the truth itself
        assert!(ratio <= 1.0 + 1e-10, "case {case}: {estimate:.6e} of {truth:.6e}");
        assert!(ratio >= 0.1, "case {case}: {estimate:.6e} of {truth:.6e}");
        worst = worst.min(ratio);
        sharp += usize::from(ratio > 0.999);
        count += 1;
    });
    // a search that always stopped at its first vector would be exact in almost none
    assert!(2 * sharp > count, "exact in {sharp} of {count}, at worst {worst}");
}

#[test]
fn the_operational_inertia_is_the_dense_one() {
    let (mut regular, mut refused) = (0, 0);
    cases(174, |case, robot, s, terms, inverse| {
        let model = model(robot);
        let mut ws = Workspace::new(&model);
        let point = [0.3, -0.2, 0.5];
        let at = Vec3::from_f64(point);
        let kappa = norm(&terms.mass_matrix) * norm(inverse);
        for body in model.topology().bodies() {
            let what = format!("case {case} body {}", body.index());
            let j = point_jacobian(robot, terms, body.index(), point);
            let mut own = vec![0.0; 6 * model.nv()];
            jacobian(&model, &mut ws, &s.q, body, at, &mut own);
            let own = DMatrix::from_row_slice(6, model.nv(), &own);
            assert!((&own - &j).amax() <= TOLERANCE * (1.0 + j.amax()), "{what}: frame");
            let mut factor = factorize(&model, &mut ws, &s.q).expect("regular");
            let rows = factor.inverse_operational_inertia(body, at);
            let got = square(&rows);
            let truth = &j * inverse * j.transpose();
            assert_eq!(got, got.transpose(), "{what}: symmetric to the bit");
            let size = (j.abs() * inverse.abs() * j.transpose().abs()).amax();
            let error = (&got - &truth).amax();
            let limit = SOLVED * f64::EPSILON * kappa * size;
            assert!(error <= limit, "{what}: {error:.1e} of {size:.1e}, κ {kappa:.1e}");
            match factor.operational_inertia(body, at) {
                Ok(inertia) => {
                    let inertia = square(&inertia);
                    assert_eq!(inertia, inertia.transpose(), "{what}");
                    let spread = (got.abs() * inertia.abs()).amax();
                    let error = (&got * &inertia - DMatrix::identity(6, 6)).amax();
                    // a solution by L D Lᵀ of six rows
                    assert!(error <= TOLERANCE * spread, "{what}: {error:.1e} of {spread:.1e}");
                    regular += 1;
                }
                Err(TreeError::NoOperationalInertia { share, limit, velocities, .. }) => {
                    assert!(share <= limit, "{what}");
                    if velocities >= 6 {
                        // scaled to a unit diagonal, the dense matrix has no least eigenvalue left
                        let d = truth.diagonal().map(|x| x.max(f64::MIN_POSITIVE).sqrt().recip());
                        let scaled =
                            DMatrix::from_diagonal(&d) * &truth * DMatrix::from_diagonal(&d);
                        let least = scaled.symmetric_eigenvalues().min();
                        // no pivot is below the least eigenvalue; both have the rounding of M⁻¹
                        let limit = limit + SOLVED * f64::EPSILON * kappa;
                        assert!(limit < 1e-6, "{what}: κ {kappa:.1e} hides everything");
                        assert!(least < limit, "{what}: {least:.1e} of {limit:.1e}");
                    }
                    refused += 1;
                }
                Err(error) => panic!("{what}: {error}"),
            }
        }
    });
    assert!(regular > 500 && refused > 100, "{regular} regular, {refused} refused");
}

#[test]
fn mobility_is_the_dense_product() {
    let mut rng = Rng::new(275);
    cases(175, |case, robot, s, terms, inverse| {
        let model = model(robot);
        let mut ws = Workspace::new(&model);
        let mut factor = factorize(&model, &mut ws, &s.q).expect("regular");
        let all: Vec<BodyId> = model.topology().bodies().collect();
        let kappa = norm(&terms.mass_matrix) * norm(inverse);
        let n = model.nv();
        for length in [0, 1, 2, all.len() + 2] {
            // some bodies stand there twice
            let bodies: Vec<BodyId> = (0..length).map(|_| all[rng.below(all.len())]).collect();
            let f: Vec<[f64; 6]> =
                bodies.iter().map(|_| s.wrenches[rng.below(all.len())]).collect();
            let mut force = DVector::zeros(n);
            let mut size = DVector::zeros(n);
            for (body, f) in bodies.iter().zip(&f) {
                let j = &terms.motions[body.index()].jacobian;
                force += j.transpose() * DVector::from_row_slice(f);
                size += j.transpose().abs() * DVector::from_row_slice(f).abs();
            }
            let (rates, size) = (inverse * force, inverse.abs() * size);
            let mut twists = vec![Twist::default(); length];
            factor.apply_mobility(&bodies, &wrenches(&f), &mut twists);
            for (body, twist) in bodies.iter().zip(&twists) {
                let j = &terms.motions[body.index()].jacobian;
                let truth = j * &rates;
                let limit = SOLVED * f64::EPSILON * kappa * (j.abs() * &size).amax();
                let got = [twist.angular.to_array(), twist.linear.to_array()].concat();
                let error = (DVector::from_vec(got) - truth).amax();
                assert!(error <= limit, "case {case}: {error:.1e} of {limit:.1e}, κ {kappa:.1e}");
            }
        }
    });
}

/// Wrenches move bodies as they do in forward dynamics: what they add to the accelerations.
#[test]
fn mobility_is_what_external_wrenches_add() {
    let mut rng = Rng::new(176);
    let mut robot = dh_chain(7, true, 5);
    // a balanced wheel, which the sweeps close in closed form
    let wheel = RobotBody::new(Some(7), RobotJoint::Revolute([0.0, 0.0, 1.0]))
        .placed([0.4, 0.2, -0.7], [0.1, 0.2, 0.3])
        .with_inertia(2.0, [0.0, 0.0, 0.1], [0.2, 0.2, 0.3, 0.0, 0.0, 0.0]);
    robot.bodies.push(wheel);
    let s = random_state(&mut rng, &robot);
    let model = model(&robot);
    let n = model.nv();
    let mut ws = Workspace::new(&model);
    let external = wrenches::<f64>(&s.wrenches);
    let (mut with, mut without) = (vec![0.0; n], vec![0.0; n]);
    let (q, v, tau) = (&s.q, &s.v, &s.tau);
    forward_dynamics(&model, &mut ws, q, v, tau, Some(&external), &mut with).expect("regular");
    forward_dynamics(&model, &mut ws, q, v, tau, None, &mut without).expect("regular");
    let added: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let mut twists = vec![Twist::default(); bodies.len()];
    let mut factor = factorize(&model, &mut ws, q).expect("regular");
    factor.apply_mobility(&bodies, &external, &mut twists);
    let own = factor.inverse_operational_inertia(bodies[8], model.centre_of_mass(bodies[8]));
    // the same again, and after other operations that use the workspace
    let mut again = vec![Twist::default(); bodies.len()];
    factor.solve(tau, &mut without);
    factor.condition_estimate();
    factor.apply_mobility(&bodies, &external, &mut again);
    assert_eq!(twists, again);
    let terms = robot.terms(q, v, None);
    let added = DVector::from_vec(added);
    for (body, twist) in bodies.iter().zip(&twists) {
        let truth = &terms.motions[body.index()].jacobian * &added;
        let got = [twist.angular.to_array(), twist.linear.to_array()].concat();
        let error = (DVector::from_vec(got) - &truth).amax();
        // accelerations that differ by `added` carry the rounding of both
        assert!(error < 1e-11 * with.iter().fold(1.0, |m, x| x.abs().max(m)), "{error:.1e}");
    }
    // one body alone, by unit wrenches
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = 1.0;
        let mut twist = [Twist::default()];
        factor.apply_mobility(&bodies[8..], &wrenches(&[unit]), &mut twist);
        let got = [twist[0].angular.to_array(), twist[0].linear.to_array()].concat();
        for a in 0..6 {
            assert!((got[a] - own[a][k]).abs() < 1e-12 * (1.0 + own[a][a].abs()), "{a} {k}");
        }
    }
}

/// Three joints move a tip in three directions at most, six parallel ones in three as well.
#[test]
fn without_six_directions_there_is_no_operational_inertia() {
    let at = Vec3::from_f64([0.2, 0.1, 0.0]);
    let z = RobotJoint::Revolute([0.0, 0.0, 1.0]);
    for count in [3_usize, 6, 9] {
        let mut robot = Robot { bodies: Vec::new(), gravity: [0.0; 3] };
        for i in 0..count {
            let arm = RobotBody::new(i.checked_sub(1), z)
                .placed(if i == 0 { [0.7, -0.4, 0.2] } else { [0.0; 3] }, [0.4, 0.0, 0.0])
                .with_inertia(1.0, [0.2, 0.0, 0.0], [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]);
            robot.bodies.push(arm);
        }
        let model = model(&robot);
        let tip = model.topology().body(&format!("body{}", count - 1)).expect("the last");
        let mut ws = Workspace::new(&model);
        let q: Vec<f64> = (0..count).map(|i| 0.3 + 0.1 * i as f64).collect();
        let mut factor = factorize(&model, &mut ws, &q).expect("regular");
        let error = factor.operational_inertia(tip, at).expect_err("planar");
        let text = error.to_string();
        let TreeError::NoOperationalInertia { body, velocities, share, limit, lanes } = error
        else {
            panic!("{error}")
        };
        assert_eq!((body, velocities), (format!("body{}", count - 1), count));
        assert!((0.0..=limit).contains(&share), "{share:.1e}");
        assert_eq!(lanes, Mask::all(1));
        if count == 3 {
            assert_eq!(share, 0.0);
            assert!(text.contains("only 3 velocities carry it"), "{text}");
        } else {
            assert!(text.contains("in its posture"), "{text}");
        }
    }
    // a body on the ground
    let mut builder = TreeBuilder::<f64>::new();
    let base = builder.add(BodySpec::new("base", None, Joint::Fixed)).expect("valid");
    let model = builder.build().expect("valid");
    let mut ws = Workspace::new(&model);
    let mut factor = factorize(&model, &mut ws, &[]).expect("nothing to solve");
    assert_eq!(factor.inverse_operational_inertia(base, at), [[0.0; 6]; 6]);
    assert!(factor.operational_inertia(base, at).is_err());
    assert_eq!(factor.condition_estimate(), 1.0);
    let mut twists = [Twist::default()];
    factor.apply_mobility(&[base], &[Wrench::new(at, at)], &mut twists);
    assert_eq!(twists, [Twist::zero()]);
}

/// A gantry with a wrist of axes z, y, z: at the middle angle zero the outer axes coincide.
fn gantry() -> Model<f64> {
    let slide = |axis| Joint::Prismatic { axis };
    let turn = |axis| Joint::Revolute { axis };
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let mut builder = TreeBuilder::new();
    let mut parent = None;
    for joint in [slide(x), slide(y), slide(z), turn(z), turn(y), turn(z)] {
        let name = format!("part{}", parent.map_or(0, |p: BodyId| p.index() + 1));
        let spec = BodySpec::new(name, parent, joint)
            .placed(Transform::new(Transform::identity().rotation, Vec3::from_f64([0.0, 0.0, 0.1])))
            .with_inertia(1.0, Vec3::from_f64([0.02, 0.01, 0.05]), [0.1, 0.2, 0.3, 0.0, 0.0, 0.0]);
        parent = Some(builder.add(spec).expect("valid"));
    }
    builder.build().expect("valid")
}

#[test]
fn a_lane_in_a_singular_posture_is_named() {
    let model = gantry().cast::<Lanes<4>>();
    let mut q = lift::<Lanes<4>>(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let mut ws = Workspace::new(&model);
    let tip = model.topology().body("part5").expect("the last");
    let at = Vec3::zero();
    assert!(factorize(&model, &mut ws, &q).expect("regular").operational_inertia(tip, at).is_ok());
    q[4] = Lanes::from_lanes(|i| if i == 2 { 0.0 } else { 0.5 });
    let error = factorize(&model, &mut ws, &q).expect("regular").operational_inertia(tip, at);
    let error = error.expect_err("lane 2 is singular");
    let TreeError::NoOperationalInertia { velocities, share, lanes, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((velocities, lanes.bits()), (6, 0b0100));
    assert!(share < 1e-14, "{share:.1e}");
}

/// Everything that a factor gives, in one list.
fn everything<T: Real>(model: &Model<T>, q: &[T], f: &[Wrench<T>]) -> Vec<T> {
    let n = model.nv();
    let mut ws = Workspace::new(model);
    let mut factor = factorize(model, &mut ws, q).expect("regular");
    let mut all = vec![factor.condition_estimate()];
    let mut matrix = vec![T::zero(); n * n];
    let writers = [
        UdutFactor::write_u,
        UdutFactor::write_d,
        UdutFactor::write_mass_matrix,
        UdutFactor::write_inverse,
    ];
    for write in writers {
        write(&mut factor, &mut matrix);
        all.extend(&matrix);
    }
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let mut twists = vec![Twist::default(); bodies.len()];
    factor.apply_mobility(&bodies, f, &mut twists);
    for twist in twists {
        all.extend(twist.angular.to_array());
        all.extend(twist.linear.to_array());
    }
    for &body in &bodies {
        let point = Vec3::from_f64([0.1, 0.2, -0.3]);
        all.extend(factor.inverse_operational_inertia(body, point).as_flattened());
        // lanes that fail together, as fewer than six velocities do
        if let Ok(inertia) = factor.operational_inertia(body, point) {
            all.extend(inertia.as_flattened());
        }
    }
    all
}

#[test]
fn lanes_have_the_bits_of_single_factors_in_all_products() {
    let mut rng = Rng::new(177);
    for case in 0..12 {
        let robot = random_mechanism(&mut rng, 1 + case, case % 2 == 0);
        let model = model(&robot);
        let states: Vec<_> = (0..4).map(|_| random_state(&mut rng, &robot)).collect();
        let pack = |k: usize, pick: fn(&State, usize) -> f64| {
            Lanes::<4>::from_lanes(|i| pick(&states[i], k))
        };
        let q: Vec<_> = (0..model.nq()).map(|k| pack(k, |s, k| s.q[k])).collect();
        let alone: Vec<_> = states.iter().map(|s| wrenches::<f64>(&s.wrenches)).collect();
        let together: Vec<Wrench<Lanes<4>>> = (0..model.body_count())
            .map(|b| {
                let part = |pick: fn(&Wrench<f64>) -> Vec3<f64>, c: usize| {
                    Lanes::from_lanes(|i| pick(&alone[i][b]).to_array()[c])
                };
                let vector = |pick| Vec3::new(part(pick, 0), part(pick, 1), part(pick, 2));
                Wrench::new(vector(|w| w.moment), vector(|w| w.force))
            })
            .collect();
        let wide = everything(&model.cast::<Lanes<4>>(), &q, &together);
        for (i, s) in states.iter().enumerate() {
            let one = everything(&model, &s.q, &alone[i]);
            let lane: Vec<f64> = wide.iter().map(|x| x.lane(i)).collect();
            assert_eq!(lane, one, "case {case} lane {i}");
        }
    }
}

#[test]
#[should_panic(expected = "the matrix is nv × nv")]
fn a_matrix_of_another_size_is_refused() {
    let model = gantry();
    let mut ws = Workspace::new(&model);
    factorize(&model, &mut ws, &[0.5; 6]).expect("regular").write_u(&mut [0.0; 35]);
}

#[test]
#[should_panic(expected = "one wrench per body of the list")]
fn lists_of_different_lengths_are_refused() {
    let model = gantry();
    let bodies: Vec<BodyId> = model.topology().bodies().collect();
    let mut ws = Workspace::new(&model);
    let mut factor = factorize(&model, &mut ws, &[0.5; 6]).expect("regular");
    factor.apply_mobility(&bodies, &[Wrench::zero()], &mut vec![Twist::zero(); bodies.len()]);
}
