//! The examples that `--help` shows work.

use crate::support::{Place, dataset, pommel, pommel_in};

const COMMANDS: [&str; 13] = [
    "info",
    "accel",
    "mass-matrix",
    "kinematics",
    "simulate",
    "sweep",
    "merge",
    "compare",
    "precision",
    "time",
    "kkt",
    "schema",
    "convert",
];

#[test]
fn the_help_lists_every_subcommand_and_the_exit_statuses() {
    let help = pommel(&["--help"]).succeeds().out;
    let listed: Vec<_> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert_eq!(listed, COMMANDS);
    assert!(help.contains("0 done, 1 the computation failed, 2 wrong usage"), "{help}");
}

/// Examples are written for the root of the repository. They run in an empty directory instead,
/// so that their results do not stay, with the paths of the data sets made absolute.
#[test]
fn every_example_of_the_help_works() {
    for command in COMMANDS {
        let help = pommel(&[command, "--help"]).succeeds().out;
        assert!(help.contains("\nExample"), "{command} shows no example");
        let examples = help.lines().filter_map(|line| line.strip_prefix("  pommel "));
        let mut count = 0;
        // one after the other, as a person would
        let place = Place::new();
        for example in examples {
            // a shell would redirect the output
            let arguments = example.split_once(" > ").map_or(example, |(before, _)| before);
            let words: Vec<String> = arguments
                .split_whitespace()
                .map(|word| word.strip_prefix("datasets/").map_or(word.to_owned(), dataset))
                .collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let own = words.first() == Some(&command);
            assert!(own || command == "merge" && words.first() == Some(&"sweep"), "{example}");
            let made = ["schema", "merge"].contains(&words[0]);
            assert!(made || example.contains("datasets/"), "{example}");
            let run = pommel_in(place.directory(), &words);
            assert_eq!(run.status, Some(0), "{example}: {}", run.err);
            count += usize::from(own);
        }
        assert!(count > 0, "{command} shows no example");
    }
}
