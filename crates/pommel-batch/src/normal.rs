//! The inverse of the cumulative normal distribution.

#![allow(clippy::excessive_precision, reason = "the digits are those of the publication")]

/// The number that a standard normal variable stays below with probability `p` in (0, 1).
///
/// Algorithm AS 241, PPND16 (Wichura 1988): rational functions whose relative error is below
/// 10⁻¹⁵.
pub(crate) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(r, &MIDDLE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = libm::sqrt(-libm::log(tail));
    let size = if r <= 5.0 { ratio(r - 1.6, &SIDES) } else { ratio(r - 5.0, &TAILS) };
    size.copysign(q)
}

/// Coefficients of numerator and denominator, the constant last.
type Rational = [[f64; 8]; 2];

fn ratio(r: f64, [above, below]: &Rational) -> f64 {
    let polynomial = |list: &[f64; 8]| list.iter().fold(0.0, |sum, c| sum * r + c);
    polynomial(above) / polynomial(below)
}

const MIDDLE: Rational = [
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608,
    ],
    [
        5.226_495_278_852_854_561e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
];

const SIDES: Rational = [
    [
        7.745_450_142_783_414_076_4e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_7e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_5,
        4.630_337_846_156_545_295_9,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_9e-1,
        6.897_673_349_851_000_045_5e-1,
        1.676_384_830_183_803_849_4,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
];

const TAILS: Rational = [
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_6e-3,
        2.653_218_952_657_612_309_3e-2,
        2.965_605_718_285_048_912_3e-1,
        1.784_826_539_917_291_335_8,
        5.463_784_911_164_114_369_9,
        6.657_904_643_501_103_777_2,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_7e-7,
        1.846_318_317_510_054_681_8e-5,
        7.868_691_311_456_132_591e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_1e-1,
        5.998_322_065_558_879_376_9e-1,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::quantile;

    /// Against values of 20 digits, computed in arithmetic of 40 digits for these very doubles.
    #[test]
    fn quantiles_are_those_of_long_arithmetic() {
        for (p, expected) in [
            (0.6, 0.253_347_103_135_799_74),
            (0.75, 0.674_489_750_196_081_74),
            (0.9, 1.281_551_565_544_600_6),
            (0.95, 1.644_853_626_951_472_3),
            (0.975, 1.959_963_984_540_053_9),
            (0.99, 2.326_347_874_040_840_8),
            (0.999, 3.090_232_306_167_813_3),
            (0.9999, 3.719_016_485_455_708_4),
            (0.999_999, 4.753_424_308_817_088),
            (0.1, -1.281_551_565_544_600_4),
            (0.075, -1.439_531_470_938_456),
            (0.025, -1.959_963_984_540_054_2),
            (0.01, -2.326_347_874_040_841),
            (0.001, -3.090_232_306_167_813_5),
            (1e-6, -4.753_424_308_822_899),
            (1e-10, -6.361_340_902_404_056),
            (1e-15, -7.941_345_326_170_997),
            (1.0 / (1_u64 << 30) as f64, -6.009_353_565_530_744),
            (1.0 / (1_u64 << 53) as f64, -8.209_536_151_601_387),
        ] {
            let error: f64 = quantile(p) / expected - 1.0;
            assert!(error.abs() < 1e-15, "{p}: {} is off by {error:e}", quantile(p));
        }
        assert_eq!(quantile(0.5), 0.0);
    }

    /// Against the error function, on both sides of the places where the formulas meet.
    #[test]
    fn quantiles_invert_the_distribution() {
        let mut worst: f64 = 0.0;
        for k in 1..20_000 {
            let p = f64::from(k) / 40_000.0;
            for p in [p, p * 1e-6, p * 1e-12] {
                let x = quantile(p);
                let back = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
                // a change of x by its rounding changes p by a relative |x| density / p
                let slope =
                    x.abs() * libm::exp(-0.5 * x * x) / (libm::sqrt(std::f64::consts::TAU) * p);
                worst = worst.max((back / p - 1.0).abs() / (1.0 + x.abs() * slope));
            }
        }
        assert!(worst < 2e-15, "{worst:e}");
        for k in 1..1000 {
            let p = f64::from(k) / 2048.0;
            assert_eq!(quantile(1.0 - p), -quantile(p), "1 - p is exact here");
        }
    }
}
