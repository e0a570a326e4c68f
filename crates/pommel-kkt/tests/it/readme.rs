//! The README says what the crate documentation says.

/// The quick start of the README is the one that is compiled as an example of the crate.
#[test]
fn the_quick_start_of_the_readme_is_the_one_that_is_compiled() {
    let readme = include_str!("../../README.md");
    let code = readme.split_once("```rust\n").expect("an example").1;
    let code = code.split_once("```").expect("its end").0;
    let documentation: String = include_str!("../../src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    assert!(documentation.contains(&format!("```\n{code}```")), "lib.rs differs from\n{code}");
}
