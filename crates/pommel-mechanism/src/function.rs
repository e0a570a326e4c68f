//! Functions of one variable over any scalar.

use pommel_math::Real;
use pommel_model::TimeFunction;

/// A function of time or of a coordinate, one for all lanes or one for each.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    of_lane: Box<[OneFunction]>,
    /// its value, if it is the same for all lanes and arguments
    constant: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct OneFunction {
    function: TimeFunction,
    /// what the argument repeats after; none if it does not
    period: Option<f64>,
}

impl FromIterator<OneFunction> for Function {
    fn from_iter<I: IntoIterator<Item = OneFunction>>(list: I) -> Self {
        let of_lane: Box<[OneFunction]> = list.into_iter().collect();
        let alike = of_lane.iter().all(|one| *one == of_lane[0]);
        let constant = match of_lane.first().map(|one| &one.function) {
            Some(TimeFunction::Constant { value }) if alike => Some(*value),
            _ => None,
        };
        Function { of_lane, constant }
    }
}

impl Function {
    pub(crate) fn new(function: TimeFunction) -> Self {
        Function::periodic(function, None)
    }

    pub(crate) fn periodic(function: TimeFunction, period: Option<f64>) -> Self {
        [OneFunction { function, period }].into_iter().collect()
    }

    /// One function per instance.
    pub(crate) fn pack(functions: &[&Function]) -> Self {
        functions.iter().map(|f| f.of_lane[0].clone()).collect()
    }

    /// One function per instance, zero for those without; none if no instance has one.
    pub(crate) fn pack_some(functions: &[Option<&Function>]) -> Option<Self> {
        let of = |f: &Option<&Function>| f.map(|f| f.of_lane[0].clone()).unwrap_or_default();
        let some = functions.iter().any(Option::is_some);
        some.then(|| functions.iter().map(of).collect())
    }

    /// Lists of functions, one list per instance; none if no instance has one.
    pub(crate) fn pack_lists<const N: usize>(
        lists: &[Option<&[Function; N]>],
    ) -> Option<[Function; N]> {
        let zero = Function::new(TimeFunction::default());
        lists.iter().any(Option::is_some).then(|| {
            std::array::from_fn(|k| {
                let of_instance = lists.iter().map(|list| list.map_or(&zero, |list| &list[k]));
                Function::pack(&of_instance.collect::<Vec<_>>())
            })
        })
    }

    /// Value, first and second derivative at `x`.
    ///
    /// Of a scalar that carries derivatives, the value is right to second order, as a function with
    /// two derivatives allows.
    #[inline(always)]
    pub(crate) fn at<T: Real>(&self, x: T) -> [T; 3] {
        if let Some(value) = self.constant {
            return [T::from_f64(value), T::zero(), T::zero()];
        }
        let mut table = [[0.0; 3]; 8];
        for lane in 0..T::LANES {
            let OneFunction { function, period } = &self.of_lane[lane.min(self.of_lane.len() - 1)];
            let argument = match period {
                Some(period) => x.lane(lane).rem_euclid(*period),
                None => x.lane(lane),
            };
            table[lane] = function.derivatives(argument);
        }
        let [value, rate, curvature] = [0, 1, 2].map(|k| T::from_lanes(|lane| table[lane][k]));
        if x.is_constant() {
            return [value, rate, curvature];
        }
        let dx = x - T::from_lanes(|lane| x.lane(lane));
        let half = T::from_f64(0.5);
        [
            (half * curvature * dx).mul_add(dx, rate.mul_add(dx, value)),
            curvature.mul_add(dx, rate),
            curvature,
        ]
    }
}
