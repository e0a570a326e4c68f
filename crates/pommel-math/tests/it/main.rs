//! Tests of pommel-math.

mod scalars;
mod spatial;
mod trigonometry;
