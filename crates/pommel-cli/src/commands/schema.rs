//! `pommel schema`.

use serde_json::json;

use crate::failure::Failure;
use crate::output;

pub(crate) fn run() -> Result<(), Failure> {
    output::json(&json!({
        "model": pommel::model::schema(),
        "sweep": pommel::batch::plan_schema(),
    }))
}
