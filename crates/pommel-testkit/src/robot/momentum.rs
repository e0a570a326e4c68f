//! Energy and momentum, from the motions of the bodies.

use nalgebra::Vector3;

use super::Robot;

/// Momentum of a [`Robot`] in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotMomentum {
    /// Mass of all bodies, kg.
    pub mass: f64,
    /// Mass centre of all bodies, m.
    pub centre: Vector3<f64>,
    /// Linear momentum, kg·m/s.
    pub linear: Vector3<f64>,
    /// Angular momentum about the mass centre, kg·m²/s, with the spin of geared rotors, those on
    /// the ground too. Armature has none.
    pub angular: Vector3<f64>,
}

impl RobotMomentum {
    /// Angular momentum about the world's origin, kg·m²/s.
    pub fn angular_about_origin(&self) -> Vector3<f64> {
        self.angular + self.centre.cross(&self.linear)
    }
}

impl Robot {
    /// Kinetic energy, J: of the bodies, of geared rotors and of armature (`½ a v²` for each
    /// velocity).
    pub fn kinetic_energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let motions = self.motions(q, v);
        let mut energy: f64 = self.armature().iter().zip(v).map(|(a, v)| 0.5 * a * v * v).sum();
        for (body, motion) in self.bodies.iter().zip(&motions) {
            let omega = motion.angular_velocity;
            let inertia = body.world_inertia(&motion.rotation);
            energy += 0.5 * body.mass * motion.velocity.norm_squared();
            energy += 0.5 * omega.dot(&(inertia * omega));
        }
        for spin in self.spins(&motions) {
            let speed = spin.ratio * v[spin.velocity];
            let omega = spin.carrier.map_or(Vector3::zeros(), |p| motions[p].angular_velocity);
            energy += spin.inertia * speed * (spin.axis.dot(&omega) + 0.5 * speed);
        }
        energy
    }

    /// Potential energy of gravity, `−Σ m g·c`, J.
    pub fn potential_energy(&self, q: &[f64]) -> f64 {
        let motions = self.motions(q, &vec![0.0; self.sizes().1]);
        let gravity = Vector3::from(self.gravity);
        let bodies = self.bodies.iter().zip(&motions);
        bodies.map(|(body, motion)| -body.mass * gravity.dot(&motion.centre)).sum()
    }

    /// Momentum of all bodies, also of those fixed to the ground, which do not move but count in
    /// the mass and the mass centre. The centre is not a number if there is no mass.
    pub fn momentum(&self, q: &[f64], v: &[f64]) -> RobotMomentum {
        let motions = self.motions(q, v);
        let bodies = || self.bodies.iter().zip(&motions);
        let mass: f64 = bodies().map(|(body, _)| body.mass).sum();
        let centre: Vector3<f64> = bodies().map(|(body, m)| m.centre * body.mass).sum();
        let centre = centre / mass;
        let linear = bodies().map(|(body, m)| m.velocity * body.mass).sum();
        let mut angular = Vector3::zeros();
        for (body, m) in bodies() {
            angular += body.world_inertia(&m.rotation) * m.angular_velocity;
            angular += (m.centre - centre).cross(&(m.velocity * body.mass));
        }
        for spin in self.spins(&motions) {
            angular += spin.axis * (spin.inertia * spin.ratio * v[spin.velocity]);
        }
        RobotMomentum { mass, centre, linear, angular }
    }
}
