//! The published table, and what it measured.

use pommel_mechanism::formulation::Method;

/// A row of the table of \[dFGP08\]: MATLAB, `ode45` with both tolerances 10⁻⁶, a mechanism with 24
/// coordinates and 24 rows of rank 22, on a machine that is not named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Processor time, s; none where the method failed.
    pub cpu_seconds: Option<f64>,
    /// Calls of the right-hand side.
    pub calls: Option<u32>,
}

/// The published figures of a method, if there are any.
pub fn published(method: Method) -> Option<Published> {
    let (cpu_seconds, calls) = match method {
        Method::ZeroEigenvalue => (66.2, 1840),
        Method::CoordinatePartitioning => (128.0, 1846),
        Method::Qr => (66.1, 1840),
        Method::Svd => return Some(Published { cpu_seconds: None, calls: None }),
        Method::Putd => (66.5, 1840),
        Method::Schur => (66.7, 1828),
        Method::UdwadiaKalaba => (2.65, 1954),
        Method::UdwadiaPhohomsiri => (3.88, 1828),
        Method::DeFalco1 => (2.61, 1828),
        Method::DeFalco2 => (3.60, 1828),
        _ => return None,
    };
    Some(Published { cpu_seconds: Some(cpu_seconds), calls: Some(calls) })
}

/// What the published figures measured, for readers of the comparison.
pub(super) const COMMENT: &str = "\
Published: D. de Falco, D. Guida, E. Pennestri, A review of multibody dynamics formulations, First \
AAM, New Orleans 2008 (MATLAB; the machine is not named). The published figures are of interpreted code: the methods near 66 s share one call of a row \
reduction written in the language itself, coordinate partitioning makes two; the methods near 3 s \
call compiled pseudoinverses. So the published factor of 25 between the two groups measures that \
row reduction, not the decompositions, and compiled code does not reproduce it. The published \
Udwadia-Kalaba listing has a misprint in its weight (v.^1/2 is half of v, not its root), which \
satisfies the constraints but not the equations of motion, and may be why it made 1954 calls where \
equivalent methods made 1828; here the root is taken. The failure of the SVD is not one of \
algebra: with the rank from a tolerance relative to the largest singular value it does not fail. \
The mechanism here has the counts of the published one (24 coordinates, 24 rows, rank 22), whose \
drawing is lost, not its numbers.";
