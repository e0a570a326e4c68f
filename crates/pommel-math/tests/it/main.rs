//! Tests of pommel-math.

mod jets;
mod registers;
mod scalars;
mod spatial;
mod tangents;
mod traced;
mod trigonometry;
