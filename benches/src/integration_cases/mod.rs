//! Motions that integrators are compared on, with their equations written out by hand for the partners.

pub mod andrews;
pub mod by_hand;
pub mod double_pendulum;
