//! Any bytes are a system or an error: `cargo +nightly fuzz run matrix_market`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pommel_kkt::pattern::{Partitions, System, read_matrix_market};

fuzz_target!(|bytes: &[u8]| {
    let Ok(matrix) = read_matrix_market(bytes) else { return };
    let systems = [
        System::from_kkt_matrix_market(&matrix, None, Partitions::found()),
        System::from_kkt_matrix_market(&matrix, Some(matrix.rows / 2), Partitions::found()),
        System::from_matrix_market(&matrix, &matrix, Some(&matrix), Partitions::found()),
    ];
    for system in systems.into_iter().flatten() {
        system.values().check(&system.pattern).expect("a system has its values");
    }
});
