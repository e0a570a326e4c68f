//! Zeros and ones that rounding hid.

use pommel_math::Vec3;

use super::{Model, Screw};

/// What is within so many units of rounding of zero or one was that before rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Model<f64> {
    /// The same model with zeros and ones that rounding hid made exact: right angles between joint
    /// axes, axes that meet, mass centres on axes, principal axes.
    ///
    /// A placement of a file by angles has a cosine of 6·10⁻¹⁷ where a right angle was meant. Such
    /// numbers cost nothing in a sweep, which multiplies by them all the same. Code that is
    /// generated for one robot leaves out what is exactly zero. Entries of directions are set to 0,
    /// 1 or −1 if they are within 8 units of rounding of it; lengths, first moments and second
    /// moments to 0 if they are that small beside the others of the same link.
    ///
    /// Forward dynamics of the result eliminates towards the free body, whatever it weighs: the way by
    /// another root ([`Elimination`](crate::Elimination)) has choices that depend on the state, and
    /// generated code has none.
    ///
    /// Results change as by a rounding of the model's numbers. A right angle of a file with fewer
    /// digits, such as 1.5708, is none.
    pub fn with_exact_zeros(&self) -> Model<f64> {
        let mut model = self.clone();
        model.rerooted = None;
        for link in &mut model.links {
            clear_screw(&mut link.screw);
            clear_small(&mut vector(&mut link.inertia.first_moment));
            let p = &mut link.inertia.second_moment;
            clear_small(&mut [&mut p.xx, &mut p.yy, &mut p.zz, &mut p.xy, &mut p.xz, &mut p.yz]);
        }
        for rigid in &mut model.rigid {
            clear_small(&mut vector(&mut rigid.first_moment));
            let i = &mut rigid.inertia;
            clear_small(&mut [&mut i.xx, &mut i.yy, &mut i.zz, &mut i.xy, &mut i.xz, &mut i.yz]);
        }
        for rotor in &mut model.rotors {
            vector(&mut rotor.axis).into_iter().for_each(clear_direction);
        }
        for root in &mut model.roots {
            for row in
                [&mut root.world.rotation.x, &mut root.world.rotation.y, &mut root.world.rotation.z]
            {
                vector(row).into_iter().for_each(clear_direction);
            }
        }
        model.set_gravity(self.gravity);
        model.derive();
        model
    }
}

fn clear_screw(screw: &mut Screw<f64>) {
    let Screw { a, b, sin_alpha, cos_alpha, theta, sin_theta, cos_theta, d, sin_phi, cos_phi, s } =
        screw;
    for x in [sin_alpha, cos_alpha, sin_theta, cos_theta, sin_phi, cos_phi] {
        clear_direction(x);
    }
    if theta.abs() <= ROUNDING {
        *theta = 0.0;
    }
    clear_small(&mut [a, b, d, s]);
}

fn clear_direction(x: &mut f64) {
    for exact in [0.0, 1.0, -1.0] {
        if (*x - exact).abs() <= ROUNDING {
            *x = exact;
        }
    }
}

/// Zeros for what is small beside the largest.
fn clear_small(list: &mut [&mut f64]) {
    let largest = list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for x in list {
        if x.abs() <= ROUNDING * largest {
            **x = 0.0;
        }
    }
}

fn vector(x: &mut Vec3<f64>) -> [&mut f64; 3] {
    [&mut x.x, &mut x.y, &mut x.z]
}
