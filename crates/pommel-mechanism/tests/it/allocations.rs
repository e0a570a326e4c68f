//! Evaluating takes no memory.

use pommel_mechanism::Evaluation;
use pommel_testkit::{Rng, count_allocations};

use crate::models::{PLANAR, SPATIAL, Sample, sketch};

const GEAR: &str = r#"
[[constraints]]
type = "gear"
joint1 = "turn"
joint2 = "slide"
ratio = 2.0
[[drivers]]
joint = "turn"
motion = { type = "table", times = [0.0, 1.0], values = [0.0, 1.0] }
[[forces]]
type = "spring_damper"
body1 = "ground"
body2 = "c"
stiffness = 3.0
"#;

#[test]
fn nothing_that_is_called_at_every_step_allocates() {
    let mut rng = Rng::new(61);
    for (hinges, planar) in [(PLANAR, true), (SPATIAL, false)] {
        let mut sample = Sample::new(&sketch(60, hinges, planar, false, GEAR));
        let motion = sample.motion(&mut rng, 1.0);
        let system = &sample.system;
        let mut evaluation = Evaluation::new(system);
        let (mut q, mut rate) = (motion.q.clone(), vec![0.0; system.nq()]);
        let (mut theta, mut rates) = (motion.theta.clone(), motion.rates.clone());
        let mut a = motion.a.clone();
        let (energy, allocations) = count_allocations(|| {
            system.evaluate(0.3, &q, &motion.v, &mut evaluation);
            system.track(&mut evaluation);
            system.position_rate(&q, &motion.v, &mut rate);
            system.displace(&mut q, &motion.v);
            sample.space.to_joint(&motion.q, &motion.v, &mut theta, &mut rates);
            let mut v = [0.0; 80];
            let v = &mut v[..system.nv()];
            sample.space.to_absolute((&theta, &rates), &mut q, v);
            sample.space.accelerations(&theta, &rates, &motion.accelerations, &mut a);
            system.energy(&motion.v, &evaluation)
        });
        assert_eq!(allocations, 0, "planar: {planar}");
        assert!(energy.kinetic > 0.0);
        // and the way through joint coordinates gives the same
        for (found, expected) in a.iter().zip(&motion.a) {
            assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()));
        }
    }
}
