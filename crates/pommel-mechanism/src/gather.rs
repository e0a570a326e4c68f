//! Parameters of several instances in one scalar.

use pommel_math::{Mat3, Real, Sym3, Vec3};

use crate::space::Space;

/// One number per instance; the last serves all lanes that are left.
pub(crate) fn number<A, T: Real>(list: &[&A], f: impl Fn(&A) -> f64) -> T {
    T::from_lanes(|lane| f(list[lane.min(list.len() - 1)]))
}

pub(crate) fn numbers<A, T: Real, const N: usize>(
    list: &[&A],
    f: impl Fn(&A) -> [f64; N],
) -> [T; N] {
    std::array::from_fn(|k| number(list, |a| f(a)[k]))
}

pub(crate) fn vec3<A, T: Real>(list: &[&A], f: impl Fn(&A) -> Vec3<f64>) -> Vec3<T> {
    let [x, y, z] = numbers(list, |a| f(a).to_array());
    Vec3::new(x, y, z)
}

pub(crate) fn mat3<A, T: Real>(list: &[&A], f: impl Fn(&A) -> Mat3<f64>) -> Mat3<T> {
    Mat3::from_rows(vec3(list, |a| f(a).x), vec3(list, |a| f(a).y), vec3(list, |a| f(a).z))
}

pub(crate) fn sym3<A, T: Real>(list: &[&A], f: impl Fn(&A) -> Sym3<f64>) -> Sym3<T> {
    Sym3 {
        xx: number(list, |a| f(a).xx),
        yy: number(list, |a| f(a).yy),
        zz: number(list, |a| f(a).zz),
        xy: number(list, |a| f(a).xy),
        xz: number(list, |a| f(a).xz),
        yz: number(list, |a| f(a).yz),
    }
}

/// A vector of the plane or of space.
pub(crate) fn vector<A, T: Real, S: Space>(
    list: &[&A],
    f: impl Fn(&A) -> S::Vector<f64>,
) -> S::Vector<T> {
    S::vector(numbers(list, |a| S::components(f(a))))
}

pub(crate) fn vectors<A, T: Real, S: Space, const N: usize>(
    list: &[&A],
    f: impl Fn(&A) -> [S::Vector<f64>; N],
) -> [S::Vector<T>; N] {
    std::array::from_fn(|k| vector::<A, T, S>(list, |a| f(a)[k]))
}

/// The same field of every instance.
pub(crate) fn field<'a, A, B>(list: &[&'a A], f: impl Fn(&'a A) -> &'a B) -> Vec<&'a B> {
    list.iter().map(|a| f(a)).collect()
}
