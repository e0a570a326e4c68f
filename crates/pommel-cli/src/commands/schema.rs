//! `pommel schema`.

use serde_json::{Value, json};

use crate::args::{Schema, SchemaKind};
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(args: &Schema) -> Result<(), Failure> {
    let (model, sweep) = (pommel::model::schema, pommel::batch::plan_schema);
    let alone = |schema: Value| output::text(&format!("{schema:#}\n"));
    match args.kind {
        Some(SchemaKind::Model) => alone(model()),
        Some(SchemaKind::Sweep) => alone(sweep()),
        None => output::json(&json!({ "model": model(), "sweep": sweep() })),
    }
}
