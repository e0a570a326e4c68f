//! General differential-algebraic systems, `F(t, y, y') = 0`.

mod analysis;
mod systems;
