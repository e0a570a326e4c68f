//! READMEs whose code is compiled.

/// The first example in Rust of a README stands in the documentation of a crate.
///
/// # Panics
/// If there is none, or another one.
pub fn assert_same_example(readme: &str, library: &str) {
    let code = readme.split_once("```rust\n").expect("an example").1;
    let code = code.split_once("```").expect("its end").0;
    let documentation: String = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    assert!(documentation.contains(&format!("```\n{code}```")), "lib.rs differs from\n{code}");
}
