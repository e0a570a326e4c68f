//! Hot calls do not allocate.

use pommel_math::{Lanes, Real, Twist, Vec3};
use pommel_testkit::{Rng, count_allocations, count_bytes, random_mechanism};
use pommel_tree::{
    BodyMotion, Model, Workspace, energy, factorize, forward_dynamics, forward_kinematics,
    inverse_dynamics, momentum, position_rate,
};

use crate::common::{dh_chain, lift, model, random_state, wrenches};

fn nothing_allocates<T: Real>(seed: u64, cast: impl Fn(&Model<f64>) -> Model<T>) {
    let mut rng = Rng::new(seed);
    for free in [false, true] {
        let robot = random_mechanism(&mut rng, 20, free);
        let s = random_state(&mut rng, &robot);
        let model = cast(&model(&robot));
        let mut ws = Workspace::new(&model);
        let (q, v, tau) = (lift::<T>(&s.q), lift::<T>(&s.v), lift::<T>(&s.tau));
        let external = wrenches::<T>(&s.wrenches);
        let mut qdd = vec![T::zero(); model.nv()];
        let mut back = qdd.clone();
        let mut qd = vec![T::zero(); model.nq()];
        let mut bodies = vec![BodyMotion::default(); model.body_count()];
        let ((), allocations) = count_allocations(|| {
            forward_dynamics(&model, &mut ws, &q, &v, &tau, Some(&external), &mut qdd)
                .expect("regular");
            inverse_dynamics(&model, &mut ws, &q, &v, &qdd, Some(&external), &mut back);
            forward_kinematics(&model, &mut ws, &q, &v, &mut bodies);
            position_rate(&model, &q, &v, &mut qd);
            std::hint::black_box((momentum(&model, &v, &bodies), energy(&model, &v, &bodies)));
        });
        assert_eq!(allocations, 0);
    }
}

#[test]
fn dynamics_and_kinematics_do_not_allocate() {
    nothing_allocates(51, Model::clone);
    nothing_allocates(52, Model::cast::<Lanes<4>>);
}

fn nothing_of_a_factor_allocates<T: Real>(seed: u64, cast: impl Fn(&Model<f64>) -> Model<T>) {
    let mut rng = Rng::new(seed);
    let robot = random_mechanism(&mut rng, 20, true);
    let s = random_state(&mut rng, &robot);
    let model = cast(&model(&robot));
    let n = model.nv();
    let mut ws = Workspace::new(&model);
    let (q, b) = (lift::<T>(&s.q), lift::<T>(&s.tau));
    let (mut x, mut matrix) = (vec![T::zero(); n], vec![T::zero(); n * n]);
    let (three, mut thrice) = ([&b[..], &b, &b].concat(), vec![T::zero(); 3 * n]);
    let external = wrenches::<T>(&s.wrenches);
    let bodies: Vec<_> = model.topology().bodies().collect();
    let mut twists = vec![Twist::default(); bodies.len()];
    let ((), allocations) = count_allocations(|| {
        let mut factor = factorize(&model, &mut ws, &q).expect("regular");
        factor.solve(&b, &mut x);
        factor.solve_many(&three, &mut thrice);
        std::hint::black_box((factor.condition_estimate(), factor.log_determinant()));
        factor.write_u(&mut matrix);
        factor.write_d(&mut matrix);
        factor.write_mass_matrix(&mut matrix);
        factor.write_inverse(&mut matrix);
        factor.apply_mobility(&bodies, &external, &mut twists);
        std::hint::black_box(factor.operational_inertia(bodies[0], Vec3::zero()).expect("free"));
    });
    assert_eq!(allocations, 0);
}

#[test]
fn a_factor_does_not_allocate() {
    nothing_of_a_factor_allocates(53, Model::clone);
    nothing_of_a_factor_allocates(54, Model::cast::<Lanes<4>>);
}

/// The counter itself counts.
#[test]
fn an_allocation_is_noticed() {
    let (_, allocations) = count_allocations(|| std::hint::black_box(vec![0.0; 3]));
    assert_eq!(allocations, 1);
}

/// Each further link takes the same number of bytes, up to thousands.
#[test]
fn memory_grows_linearly_with_the_links() {
    let bytes = |n: usize| {
        let model = model(&dh_chain(n, true, 6));
        count_bytes(|| Workspace::new(&model)).1
    };
    let [a, b, c] = [24, 240, 2400].map(bytes);
    assert!(a > 0);
    assert_eq!((b - a) % 216, 0, "{a} {b}");
    assert_eq!((c - b) / 2160, (b - a) / 216);
    assert_eq!((c - b) % 2160, 0);
    // about three kilobytes a link
    assert!((b - a) / 216 < 4096, "{} bytes a link", (b - a) / 216);
}
