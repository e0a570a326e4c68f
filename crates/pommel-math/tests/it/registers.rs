//! Scalars of `with_lanes`: every operation, lane by lane, against `f64`.

use pommel_math::{LaneJob, Mask, Real, UnsupportedLanes, lane_scalar, with_lanes};
use pommel_testkit::Rng;

/// The same bits; NaN is NaN, whatever its sign and payload.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    2.2e-308,
    1_048_576.0,
    1_048_576.000_000_1,
    -1_048_577.0,
    1e22,
    -1e300,
    std::f64::consts::FRAC_PI_2,
    -3.0 * std::f64::consts::FRAC_PI_4,
];

/// Triples of numbers: special ones in every pairing, and random ones of all sizes.
fn triples() -> Vec<[f64; 3]> {
    let mut rng = Rng::new(11);
    let mut list = Vec::new();
    for a in SPECIAL {
        for b in SPECIAL {
            list.push([a, b, SPECIAL[rng.below(SPECIAL.len())]]);
        }
    }
    for range in [1e-300, 1e-8, 1.0, 50.0, 1e6, 2e6, 1e12, 1e200] {
        for _ in 0..400 {
            list.push(std::array::from_fn(|_| rng.symmetric(range)));
        }
    }
    // special numbers beside common ones in a register
    for k in (0..list.len()).rev() {
        list.swap(k, rng.below(k + 1));
    }
    list
}

struct Compare<'a>(&'a [[f64; 3]]);

impl LaneJob for Compare<'_> {
    type Output = usize;

    fn run<T: Real>(self) -> usize {
        for (group, part) in self.0.chunks_exact(T::LANES).enumerate() {
            let [a, b, c] = [0, 1, 2].map(|k| T::from_lanes(|i| part[i][k]));
            let bits = (group * 37) as u8;
            let mask = Mask::from_fn(T::LANES, |i| bits >> i & 1 == 1);
            compare(part, numbers(a, b, c, mask), |i, [a, b, c]| {
                numbers(a, b, c, Mask::from_fn(1, |_| mask.lane(i)))
            });
            for (k, ours) in truths(a, b).into_iter().enumerate() {
                let truth = Mask::from_fn(T::LANES, |i| truths(part[i][0], part[i][1])[k].any());
                assert_eq!(ours, truth, "comparison {k} of {part:?}");
            }
            // signs of NaN, too, where nothing is computed
            for i in 0..T::LANES {
                let x = part[i][0];
                assert_eq!((-a).lane(i).to_bits(), (-x).to_bits());
                assert_eq!(a.abs().lane(i).to_bits(), x.abs().to_bits());
                assert_eq!(a.lane(i).to_bits(), x.to_bits());
            }
            let copy = a;
            assert_eq!(a == copy, part.iter().all(|x| !x[0].is_nan()));
        }
        T::LANES
    }
}

fn compare<T: Real, const N: usize>(
    part: &[[f64; 3]],
    ours: [T; N],
    single: impl Fn(usize, [f64; 3]) -> [f64; N],
) {
    for (i, &x) in part.iter().enumerate() {
        for (k, truth) in single(i, x).into_iter().enumerate() {
            let ours = ours[k].lane(i);
            assert!(
                same(ours, truth),
                "operation {k} of {x:?} in lane {i}: {ours:e}, not {truth:e}"
            );
        }
    }
}

/// Every operation that gives a number.
fn numbers<T: Real>(a: T, b: T, c: T, mask: Mask) -> [T; 24] {
    let (sin, cos) = a.sin_cos();
    let (plus, minus) = a.product_both(b, c, c);
    let [mut sum, mut difference, mut product] = [a; 3];
    sum += b;
    difference -= b;
    product *= b;
    [
        a + b,
        a - b,
        a * b,
        a / b,
        a.mul_add(b, c),
        (-a).mul_add(b, c),
        a.mul_add(b, -c),
        plus,
        minus,
        sum,
        difference,
        product,
        a.sqrt(),
        a.recip(),
        sin,
        cos,
        a.atan2(b),
        a.exp(),
        a.ln(),
        T::select(mask, a, b),
        T::select(a.lt(b), c, b),
        a.max(b),
        a.min(b),
        T::default() + T::one() + T::from_f64(0.1),
    ]
}

/// Every operation that gives a mask.
fn truths<T: Real>(a: T, b: T) -> [Mask; 3] {
    [a.lt(b), a.le(b), a.is_finite()]
}

#[test]
fn every_operation_has_the_bits_of_single_numbers() {
    let list = triples();
    for lanes in [2, 4, 8] {
        assert_eq!(with_lanes(lanes, Compare(&list)), Ok(lanes));
    }
}

struct Angles<'a>(&'a [f64]);

impl LaneJob for Angles<'_> {
    type Output = ();

    fn run<T: Real>(self) {
        let pack = |part: &[f64]| T::from_lanes(|i| part[i]);
        let angles: Vec<T> = self.0.chunks_exact(T::LANES).map(pack).collect();
        let (mut sin, mut cos) = (angles.clone(), angles.clone());
        T::sin_cos_all(&angles, &mut sin, &mut cos);
        for (k, &x) in self.0.iter().enumerate() {
            let (s, c) = Real::sin_cos(x);
            let (at, lane) = (k / T::LANES, k % T::LANES);
            assert!(same(sin[at].lane(lane), s) && same(cos[at].lane(lane), c), "{x:e}");
        }
    }
}

/// All quadrants, and arguments next to multiples of π/2, where the reduction cancels.
#[test]
fn lists_of_angles_have_the_bits_of_single_angles() {
    let mut rng = Rng::new(12);
    let near = (-4000..4000).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
    let mut angles: Vec<f64> = near.flat_map(|x| [x, x.next_up(), x.next_down()]).collect();
    angles.extend((0..8000).map(|_| rng.symmetric(2e6)));
    for lanes in [2, 4, 8] {
        assert_eq!(with_lanes(lanes, Angles(&angles)), Ok(()));
    }
}

#[test]
fn values_are_shown_and_numbers_of_lanes_checked() {
    struct Show;
    impl LaneJob for Show {
        type Output = (String, bool);
        fn run<T: Real>(self) -> (String, bool) {
            let x = T::from_lanes(|i| i as f64);
            (format!("{x:?}"), x == T::default())
        }
    }
    assert_eq!(with_lanes(2, Show), Ok(("Lanes([0.0, 1.0])".to_owned(), false)));
    for lanes in [0, 1, 3, 16] {
        assert_eq!(with_lanes(lanes, Show), Err(UnsupportedLanes { lanes }));
        assert_eq!(lane_scalar(lanes), Err(UnsupportedLanes { lanes }));
    }
    let text = UnsupportedLanes { lanes: 3 }.to_string();
    assert_eq!(text, "no scalar has 3 lanes: use 2, 4 or 8");
}

struct LaneBeyond;

impl LaneJob for LaneBeyond {
    type Output = f64;
    fn run<T: Real>(self) -> f64 {
        T::one().lane(T::LANES)
    }
}

#[test]
#[should_panic(expected = "out of bounds")]
fn a_lane_beyond_the_last_panics() {
    let _ = with_lanes(8, LaneBeyond);
}
