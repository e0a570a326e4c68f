//! One parameter at a time: the centre, and what is changed.

use crate::support::sweep_of;
use pommel_batch::{Plan, Sweep};

const HEAD: &str = "name = \"s\"\nmodel = \"m.toml\"\nend = 1.0\n\
    design = { kind = \"one_at_a_time\" }\nintegrator = { rtol = 1e-6 }\n";

fn fault(parameters: &str) -> String {
    let plan = Plan::from_toml_str(&format!("{HEAD}parameters = [{parameters}]"));
    let error = plan.and_then(|plan| Sweep::new(plan, crate::support::model()));
    let faults = error.expect_err("faulty");
    assert_eq!(faults.faults().len(), 1, "{faults}");
    faults.faults()[0].to_string()
}

#[test]
fn each_parameter_alone_takes_its_values_and_the_centre_is_first() {
    let sweep = sweep_of(&format!(
        "{HEAD}parameters = [
            {{ path = \"bodies.L1.mass\", values = [3.0, 1.0], centre = 2.0 }},
            {{ path = \"integrator.rtol\", values = [1e-4] }},
            {{ path = \"gravity[0]\", linspace = {{ from = 0.5, to = 1.5, count = 3 }} }},
            {{ path = \"end\", values = [9.0] }},
        ]\n[[derived]]\nname = \"twice\"\nexpression = \"2 * end\""
    ));
    let gravity = crate::support::model().gravity()[0];
    let row = |mass, rtol, gravity, end| vec![mass, rtol, gravity, end, 2.0 * end];
    let expected = [
        row(2.0, 1e-6, gravity, 1.0),
        row(3.0, 1e-6, gravity, 1.0),
        row(1.0, 1e-6, gravity, 1.0),
        row(2.0, 1e-4, gravity, 1.0),
        row(2.0, 1e-6, 0.5, 1.0),
        row(2.0, 1e-6, 1.0, 1.0),
        row(2.0, 1e-6, 1.5, 1.0),
        row(2.0, 1e-6, gravity, 9.0),
    ];
    assert_eq!(sweep.len(), 8);
    for (index, expected) in expected.into_iter().enumerate() {
        assert_eq!(sweep.parameters(index as u64), expected, "{index}");
    }
}

#[test]
fn the_centre_is_the_model_unless_the_plan_says_otherwise() {
    let sweep = sweep_of(&format!(
        "{HEAD}parameters = [{{ path = \"initial.q.j_L2\", values = [0.1] }},
         {{ path = \"bodies.L2.mass\", values = [0.1] }}]"
    ));
    let model = sweep.base();
    let mass = model.bodies.iter().find(|body| body.name == "L2").expect("a link").mass;
    assert_eq!(sweep.parameters(0)[1], mass);
    assert_eq!(sweep.description(0), *model);
}

#[test]
fn a_centre_that_nobody_gives_is_a_fault() {
    assert_eq!(
        fault("{ path = 'integrator.atol', values = [1.0] }"),
        "parameters[0]: the plan gives no 'integrator.atol'; give `centre`"
    );
    assert_eq!(
        fault("{ paths = ['bodies.L1.mass', 'bodies.base.mass'], values = [1.0] }"),
        "parameters[0]: the paths lead to different values; give `centre`"
    );
    assert_eq!(
        fault("{ path = 'bodies.L1.mass', values = [1.0], centre = nan }"),
        "parameters[0].centre (line 6): NaN is not a finite number"
    );
    assert_eq!(
        fault("{ path = 'bodies.L1.mass', uniform = [1.0, 2.0] }"),
        "parameters[0].uniform (line 6): a one-at-a-time design has no uniform distribution; its instances \
         are the centre and each parameter alone at its `values` or `linspace`"
    );
    assert!(
        fault("{ path = 'bodies.L9.mass', values = [1.0] }").contains("bodies has no 'L9'"),
        "only the path is told"
    );
}
