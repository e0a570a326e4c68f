//! The README says what the crate documentation says.

/// The quick start of the README is the one that is compiled as an example of the crate.
#[test]
fn the_quick_start_of_the_readme_is_the_one_that_is_compiled() {
    let (readme, library) = (include_str!("../../README.md"), include_str!("../../src/lib.rs"));
    pommel_testkit::assert_same_example(readme, library);
}
