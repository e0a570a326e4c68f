//! program
fn main(){}
