//! The example of README.md; run it from the repository root.
#![allow(clippy::print_stdout, reason = "an example prints")]

use pommel::prelude::*;

fn main() -> Result<(), Error> {
    let arm = Mechanism::from_path("datasets/robots/ets7_payload/model.toml")?;
    let dynamics = TreeDynamics::new(&arm)?;
    let mut options = SimulateOptions::new(10.0);
    options.every = Some(1.0);
    let trajectory = simulate(&dynamics, arm.initial_state(), &options, &mut |_| ())?;
    for sample in &trajectory.samples {
        println!("{:5.1} s: base at {:?}", sample.t, &sample.q[..3]);
    }
    println!("energy drift {:.1e} J", trajectory.diagnostics.energy_drift);
    Ok(())
}
