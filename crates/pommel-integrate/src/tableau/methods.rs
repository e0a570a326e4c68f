//! The methods that come with the crate, with their coefficients as exact fractions.

use super::{DenseParts, Embedded, ExtraStage, LowerWeights, Tableau, TableauParts, dop853};

impl Tableau {
    /// Euler's method: order 1, one stage, no error estimate.
    pub fn euler() -> Tableau {
        Tableau::new(TableauParts {
            name: "Euler".into(),
            a: vec![vec![]],
            b: vec![1.0],
            c: vec![0.0],
            order: 1,
            embedded: None,
            dense: None,
        })
        .expect("Euler's method satisfies its order condition")
    }

    /// The midpoint method (Runge 1895; the improved polygon method in \[Col60\]): order 2, two
    /// stages, no error estimate.
    ///
    /// \[Col60\]: L. Collatz, The Numerical Treatment of Differential Equations, Springer 1960.
    pub fn collatz() -> Tableau {
        Tableau::new(TableauParts {
            name: "Collatz 2".into(),
            a: vec![vec![], vec![1.0 / 2.0]],
            b: vec![0.0, 1.0],
            c: vec![0.0, 1.0 / 2.0],
            order: 2,
            embedded: None,
            dense: None,
        })
        .expect("the midpoint method satisfies its order conditions")
    }

    /// Heun's method of order 2 (1900) with Euler's as its error estimate, two stages.
    pub fn heun() -> Tableau {
        Tableau::new(TableauParts {
            name: "Heun 2(1)".into(),
            a: vec![vec![], vec![1.0]],
            b: vec![1.0 / 2.0, 1.0 / 2.0],
            c: vec![0.0, 1.0],
            order: 2,
            embedded: Some(Embedded { weights: vec![1.0, 0.0], order: 1, lower: None }),
            dense: None,
        })
        .expect("Heun's method satisfies its order conditions")
    }

    /// The pair 3(2) of Bogacki and Shampine (1989), 4 stages, of which the last is the first of
    /// the next step; MATLAB's `ode23` takes it.
    pub fn bogacki_shampine_32() -> Tableau {
        let b = vec![2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0.0];
        Tableau::new(TableauParts {
            name: "Bogacki-Shampine 3(2)".into(),
            a: vec![vec![], vec![1.0 / 2.0], vec![0.0, 3.0 / 4.0], b.clone()],
            c: vec![0.0, 1.0 / 2.0, 3.0 / 4.0, 1.0],
            order: 3,
            embedded: Some(Embedded {
                weights: vec![7.0 / 24.0, 1.0 / 4.0, 1.0 / 3.0, 1.0 / 8.0],
                order: 2,
                lower: None,
            }),
            dense: None,
            b,
        })
        .expect("the pair of Bogacki and Shampine satisfies its order conditions")
    }

    /// The 3/8 rule (Kutta 1901): order 4, 4 stages, no error estimate.
    pub fn three_eighths() -> Tableau {
        Tableau::new(TableauParts {
            name: "3/8 rule".into(),
            a: vec![vec![], vec![1.0 / 3.0], vec![-1.0 / 3.0, 1.0], vec![1.0, -1.0, 1.0]],
            b: vec![1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0],
            c: vec![0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
            order: 4,
            embedded: None,
            dense: None,
        })
        .expect("the 3/8 rule satisfies its order conditions")
    }

    /// The pair 4(5) of Fehlberg (1969), known as RKF45, 6 stages: the result is that of order 4,
    /// for which Fehlberg made the error small; that of order 5 estimates its error.
    pub fn fehlberg_45() -> Tableau {
        Tableau::new(TableauParts {
            name: "Fehlberg 4(5)".into(),
            a: vec![
                vec![],
                vec![1.0 / 4.0],
                vec![3.0 / 32.0, 9.0 / 32.0],
                vec![1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0],
                vec![439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0],
                vec![-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0],
            ],
            b: vec![25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0],
            c: vec![0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0],
            order: 4,
            embedded: Some(Embedded {
                weights: vec![
                    16.0 / 135.0,
                    0.0,
                    6656.0 / 12825.0,
                    28561.0 / 56430.0,
                    -9.0 / 50.0,
                    2.0 / 55.0,
                ],
                order: 5,
                lower: None,
            }),
            dense: None,
        })
        .expect("the pair of Fehlberg satisfies its order conditions")
    }

    /// The pair 8(5,3) of Dormand and Prince in the form of DOP853 \[HNW93, section II.10\], 12 stages:
    /// for tight tolerances. Its error is estimated by two methods of order 5 and 3; dense output of
    /// order 7 takes three more evaluations, made only where somebody looks into a step.
    pub fn dormand_prince_853() -> Tableau {
        let second = dop853::B.iter().zip(&dop853::ERROR).map(|(b, e)| b - e).collect();
        let lower = LowerWeights { weights: dop853::LOWER.to_vec(), order: 3 };
        let extra = dop853::EXTRA_A.iter().zip(dop853::EXTRA_C);
        let d: Vec<&[f64]> = dop853::DENSE.iter().map(|row| &row[..]).collect();
        Tableau::new(TableauParts {
            name: "Dormand-Prince 8(5,3)".into(),
            a: [&[][..]].iter().chain(&dop853::A).map(|row| row.to_vec()).collect(),
            b: dop853::B.to_vec(),
            c: dop853::C.to_vec(),
            order: 8,
            embedded: Some(Embedded { weights: second, order: 5, lower: Some(lower) }),
            dense: Some(DenseParts {
                weights: hermite_and(&dop853::B, 12, &d),
                order: 7,
                extra: extra.map(|(a, c)| ExtraStage { a: a.to_vec(), c }).collect(),
            }),
        })
        .expect("DOP853 satisfies its order conditions")
    }

    /// The classical method of order 4 (Kutta 1901), 4 stages; dense output by cubic Hermite
    /// interpolation (order 3). It has no error estimate: for fixed steps.
    pub fn rk4() -> Tableau {
        Tableau::new(TableauParts {
            name: "classical Runge-Kutta 4".into(),
            a: vec![vec![], vec![1.0 / 2.0], vec![0.0, 1.0 / 2.0], vec![0.0, 0.0, 1.0]],
            b: vec![1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
            c: vec![0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0],
            order: 4,
            embedded: None,
            dense: None,
        })
        .expect("the classical method satisfies its order conditions")
    }

    /// The pair 5(4) of Dormand and Prince (1980, "RK5(4)7M"), 7 stages, of which the last is the
    /// first of the next step; dense output of order 4 by Shampine (1986), as in DOPRI5
    /// [HNW93, section II.6].
    pub fn dormand_prince_54() -> Tableau {
        let b = vec![
            35.0 / 384.0,
            0.0,
            500.0 / 1113.0,
            125.0 / 192.0,
            -2187.0 / 6784.0,
            11.0 / 84.0,
            0.0,
        ];
        // the quartic part of the dense output
        let d = [
            -12715105075.0 / 11282082432.0,
            0.0,
            87487479700.0 / 32700410799.0,
            -10690763975.0 / 1880347072.0,
            701980252875.0 / 199316789632.0,
            -1453857185.0 / 822651844.0,
            69997945.0 / 29380423.0,
        ];
        Tableau::new(TableauParts {
            name: "Dormand-Prince 5(4)".into(),
            a: vec![
                vec![],
                vec![1.0 / 5.0],
                vec![3.0 / 40.0, 9.0 / 40.0],
                vec![44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
                vec![19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
                vec![
                    9017.0 / 3168.0,
                    -355.0 / 33.0,
                    46732.0 / 5247.0,
                    49.0 / 176.0,
                    -5103.0 / 18656.0,
                ],
                b.clone(),
            ],
            c: vec![0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
            order: 5,
            embedded: Some(Embedded {
                weights: vec![
                    5179.0 / 57600.0,
                    0.0,
                    7571.0 / 16695.0,
                    393.0 / 640.0,
                    -92097.0 / 339200.0,
                    187.0 / 2100.0,
                    1.0 / 40.0,
                ],
                order: 4,
                lower: None,
            }),
            dense: Some(DenseParts {
                weights: hermite_and(&b, b.len() - 1, &[&d]),
                order: 4,
                extra: Vec::new(),
            }),
            b,
        })
        .expect("the pair of Dormand and Prince satisfies its order conditions")
    }
}

/// Coefficients of `θ, θ², …` of the weights: cubic Hermite interpolation of both ends,
/// `(3θ² − 2θ³) b_i + δ_i,first θ(1−θ)² − δ_i,new θ²(1−θ)`, and what changes neither values nor slopes,
/// `d_i θ²(1−θ)²`, then `θ³(1−θ)²`, `θ³(1−θ)³`, `θ⁴(1−θ)³`.
///
/// `new` is the row of the derivative of the new state.
fn hermite_and(b: &[f64], new: usize, d: &[&[f64]]) -> Vec<Vec<f64>> {
    const SHAPES: [[f64; 7]; 4] = [
        [0.0, 1.0, -2.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, -2.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, -3.0, 3.0, -1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, -3.0, 3.0, -1.0],
    ];
    let degree = if d.len() == 1 { 4 } else { 7 };
    (0..d[0].len())
        .map(|i| {
            let b = b.get(i).copied().unwrap_or(0.0);
            let (first, last) = (f64::from(i == 0), f64::from(i == new));
            let mut row = vec![0.0; degree];
            row[0] = first;
            row[1] = 3.0 * b - 2.0 * first - last;
            row[2] = -2.0 * b + first + last;
            for (d, shape) in d.iter().zip(SHAPES) {
                row.iter_mut().zip(shape).for_each(|(to, shape)| *to += d[i] * shape);
            }
            row
        })
        .collect()
}
