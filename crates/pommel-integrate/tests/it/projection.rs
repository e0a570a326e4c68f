//! Projection after every accepted step.

use std::convert::Infallible;

use pommel_integrate::{Adaptive, Control, Options, Step, System, Tableau, integrate};
use pommel_math::{Lanes, Real};

/// A body that turns with the constant angular velocity (1, 2, 3): `q' = q ∘ (0, ω) / 2`.
struct Spin {
    projected: u64,
}

impl Spin {
    fn derivative<T: Real>(q: &[T], dq: &mut [T]) {
        let [x, y, z] = [0.5, 1.0, 1.5].map(T::from_f64);
        dq[0] = -(q[1] * x + q[2] * y + q[3] * z);
        dq[1] = q[0] * x + q[2] * z - q[3] * y;
        dq[2] = q[0] * y + q[3] * x - q[1] * z;
        dq[3] = q[0] * z + q[1] * y - q[2] * x;
    }
}

impl<T: Real> System<T> for Spin {
    type Error = Infallible;

    fn dim(&self) -> usize {
        4
    }
    fn rhs(&mut self, _t: T, q: &[T], dq: &mut [T]) -> Result<(), Infallible> {
        Self::derivative(q, dq);
        Ok(())
    }
    fn project(&mut self, _t: T, q: &mut [T], dq: &mut [T]) {
        self.projected += 1;
        let norm = q.iter().fold(T::zero(), |sum, &q| q.mul_add(q, sum)).sqrt();
        for q in q.iter_mut() {
            *q = *q / norm;
        }
        Self::derivative(q, dq);
    }
}

fn norm(q: &[f64]) -> f64 {
    q.iter().map(|q| q * q).sum::<f64>().sqrt()
}

#[test]
fn quaternions_stay_of_unit_length_with_a_consistent_first_stage() {
    let adaptive = |tableau| Options::adaptive(tableau, Adaptive::new(1e-4, 1e-4));
    for options in [
        adaptive(Tableau::dormand_prince_54()),
        adaptive(Tableau::heun()),
        Options::fixed(Tableau::rk4(), 0.1),
    ] {
        let mut observer = |step: &Step<'_, f64>| {
            assert!((norm(step.y_new()) - 1.0).abs() < 4.0 * f64::EPSILON);
            let mut derivative = [0.0; 4];
            Spin::derivative(step.y_new(), &mut derivative);
            assert_eq!(step.dy_new(), derivative);
            Control::Continue
        };
        let mut spin = Spin { projected: 0 };
        let mut q = [1.0, 0.0, 0.0, 0.0];
        let outcome = integrate(&mut spin, 0.0, 10.0, &mut q, &options, &mut observer).unwrap();
        assert_eq!(spin.projected, outcome.statistics(0).steps);
        let half_angle = 5.0 * 14_f64.sqrt();
        assert!((q[0] - half_angle.cos()).abs() < 1e-2);
    }
}

/// The interpolant starts and ends in the projected states.
#[test]
fn dense_output_joins_projected_states() {
    let mut last = [1.0, 0.0, 0.0, 0.0];
    let mut observer = |step: &Step<'_, f64>| {
        let mut q = [0.0; 4];
        step.interpolate(step.t_old(), &mut q);
        assert_eq!(q, last);
        let t = step.t_new() - 1e-9 * (step.t_new() - step.t_old());
        step.interpolate(t, &mut q);
        for (q, end) in q.iter().zip(step.y_new()) {
            assert!((q - end).abs() < 1e-8);
        }
        last.copy_from_slice(step.y_new());
        Control::Continue
    };
    let options = Options::fixed(Tableau::dormand_prince_54(), 0.5);
    let mut q = [1.0, 0.0, 0.0, 0.0];
    integrate(&mut Spin { projected: 0 }, 0.0, 10.0, &mut q, &options, &mut observer).unwrap();
}

/// Projection is not repeated on lanes that stand still: dividing by a norm once more would change
/// bits.
#[test]
fn lanes_are_projected_only_with_their_own_steps() {
    let options = Options::adaptive(Tableau::dormand_prince_54(), Adaptive::new(1e-7, 1e-7));
    let ends = [3.0, 11.0, -5.0, 0.1];
    let start = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-0.28, 0.96]];
    let mut q = std::array::from_fn::<_, 4, _>(|c| {
        if c < 2 { Lanes(start.map(|q| q[c])) } else { Lanes([0.0; 4]) }
    });
    let mut spin = Spin { projected: 0 };
    integrate(&mut spin, Lanes([0.0; 4]), Lanes(ends), &mut q, &options, &mut ()).unwrap();
    for lane in 0..4 {
        let mut single = [start[lane][0], start[lane][1], 0.0, 0.0];
        let mut spin = Spin { projected: 0 };
        integrate(&mut spin, 0.0, ends[lane], &mut single, &options, &mut ()).unwrap();
        assert_eq!(single.map(f64::to_bits), q.map(|q| q.lane(lane).to_bits()));
    }
}
