//! `pommel accel`.

use pommel::{acceleration_units, velocity_units};
use serde_json::{Value, json};

use super::{RECURSION, check_formulation, dynamics, state};
use crate::args::Accel;
use crate::failure::Failure;
use crate::output::{self, Table, number};

pub(crate) fn run(args: &Accel) -> Result<(), Failure> {
    check_formulation(&args.formulation, &["all"])?;
    let mechanism = args.model.load()?;
    let state = state(&mechanism, args.state.as_deref())?;
    let dynamics = dynamics(&mechanism, &args.model.model)?;
    let found = dynamics
        .accelerations(&state)
        .map_err(|error| Failure::computation(&args.model.model, error))?;
    if args.json {
        let document = json!({
            "coordinates": mechanism.coordinate_names(),
            "velocities": mechanism.velocity_names(),
            "q": state.q,
            "v": state.v,
            "a": found.a,
            "multipliers": [],
            "backward_error": found.backward_error,
            "formulation": RECURSION,
        });
        let all = args.formulation == "all";
        return output::json(&if all { Value::Array(vec![document]) } else { document });
    }
    let mut table = Table::new(&["velocity", "v", "", "a", ""]);
    let units = velocity_units(&mechanism).into_iter().zip(acceleration_units(&mechanism));
    for (k, (name, units)) in mechanism.velocity_names().into_iter().zip(units).enumerate() {
        let (v, a) = (number(state.v[k]), number(found.a[k]));
        table.row(&[name, v, units.0.to_owned(), a, units.1.to_owned()]);
    }
    output::text(&format!(
        "{table}\nformulation: {RECURSION}, backward error {:.1e}\n",
        found.backward_error
    ))
}
