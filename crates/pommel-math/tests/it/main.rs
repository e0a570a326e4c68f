//! Tests of pommel-math.

mod registers;
mod scalars;
mod spatial;
mod traced;
mod trigonometry;
