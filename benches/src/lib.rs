//! Criterion benches of pommel; see `benches/`.
