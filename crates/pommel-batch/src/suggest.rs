//! What a misspelt word was probably meant to be.

/// The closest of `known` to `word`, if it is close enough to be a slip of the pen.
pub(crate) fn suggestion<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let lower = word.to_lowercase();
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_owned())
}

/// What to append to a message about an unknown word.
pub(crate) fn hint(suggestion: Option<&str>, known: &[String]) -> String {
    match suggestion {
        Some(suggestion) => format!("; did you mean '{suggestion}'?"),
        None => format!("; known are {}", known.join(", ")),
    }
}
