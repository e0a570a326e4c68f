//! Expressions of named numbers: `mass * length^2 / 12`.
//!
//! | | |
//! |---|---|
//! | numbers | `2`, `0.5`, `1e-3`; `pi` |
//! | operators | `+ - * /` from the left, then the sign `-`, then `^` from the right: `-a^2` is −(a²) |
//! | functions | `sqrt cbrt exp log log10 sin cos tan asin acos atan sinh cosh tanh abs`; `log` is the natural logarithm |
//! | of two | `atan2(y, x) hypot(x, y) min(a, b) max(a, b)` |
//!
//! Elementary functions are those of `libm` in Rust, so that the bits are the same everywhere;
//! `a^2` is `a * a`.

use pommel_model::document::{hint, suggestion};

/// The one constant.
pub(crate) const PI: &str = "pi";
/// Parentheses and signs within each other; more would be a matter of the stack.
const DEPTH: usize = 100;
/// Operators and functions; a sum of more would be so, too.
const SIZE: usize = 1000;

/// Why a text is no expression. Columns count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// Something that does not belong there.
    #[error("expected {expected} at column {column}, found {found}")]
    Unexpected {
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
        /// Where.
        column: usize,
    },
    /// A name that is no parameter or earlier derived value.
    #[error("unknown name '{name}' at column {column}{}", hint(suggestion.as_deref(), known))]
    UnknownName {
        /// The name.
        name: String,
        /// Where.
        column: usize,
        /// The most similar known name.
        suggestion: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// A function that does not exist.
    #[error("unknown function '{name}' at column {column}{}", hint(suggestion.as_deref(), known))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Where.
        column: usize,
        /// The most similar function.
        suggestion: Option<String>,
        /// All functions.
        known: Vec<String>,
    },
    /// A function with the wrong number of arguments.
    #[error("'{name}' at column {column} takes {expected}, found {found}")]
    Arguments {
        /// The function.
        name: String,
        /// Where.
        column: usize,
        /// `one argument` or `two arguments`.
        expected: &'static str,
        /// How many are there.
        found: usize,
    },
    /// Too many parentheses within each other.
    #[error("more than {DEPTH} parentheses and signs within each other at column {column}")]
    TooDeep {
        /// Where.
        column: usize,
    },
    /// Too many operators.
    #[error("more than {SIZE} operators up to column {column}; split it into several")]
    TooLong {
        /// Where.
        column: usize,
    },
}

/// An expression of the values of earlier columns.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    Number(f64),
    /// The value of a column.
    Value(usize),
    Negative(Box<Expression>),
    One(One, Box<Expression>),
    Two(Two, Box<[Expression; 2]>),
}

type One = fn(f64) -> f64;
type Two = fn(f64, f64) -> f64;

const ONE: [(&str, One); 15] = [
    ("sqrt", libm::sqrt),
    ("cbrt", libm::cbrt),
    ("exp", libm::exp),
    ("log", libm::log),
    ("log10", libm::log10),
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", libm::asin),
    ("acos", libm::acos),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("abs", libm::fabs),
];

const TWO: [(&str, Two); 4] =
    [("atan2", libm::atan2), ("hypot", libm::hypot), ("min", smaller), ("max", larger)];

/// The smaller one; NaN if one is.
fn smaller(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// The larger one; NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

fn power(base: f64, exponent: f64) -> f64 {
    // the square is exactly rounded this way
    if exponent == 2.0 { base * base } else { libm::pow(base, exponent) }
}

/// Whether an expression can read a value of this name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut signs = text.chars();
    signs.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && signs.all(|c| c.is_alphanumeric() || c == '_')
}

impl Expression {
    /// Reads an expression; `names` are those of the columns, in order.
    pub(crate) fn parse(text: &str, names: &[&str]) -> Result<Self, ExpressionError> {
        let mut parser = Parser { text, at: 0, depth: 0, size: 0, names };
        let expression = parser.sum()?;
        match parser.peek() {
            None => Ok(expression),
            Some(_) => Err(parser.unexpected("an operator or the end")),
        }
    }

    /// Its value; every NaN is the same one.
    pub(crate) fn value(&self, values: &[f64]) -> f64 {
        let value = self.raw(values);
        if value.is_nan() { f64::NAN } else { value }
    }

    fn raw(&self, values: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Value(column) => values[*column],
            Self::Negative(inner) => -inner.raw(values),
            Self::One(function, inner) => function(inner.raw(values)),
            Self::Two(function, pair) => function(pair[0].raw(values), pair[1].raw(values)),
        }
    }

    fn two(function: Two, a: Self, b: Self) -> Self {
        Self::Two(function, Box::new([a, b]))
    }
}

/// Reads from left to right, one function for each rank of operators.
struct Parser<'a> {
    text: &'a str,
    /// Bytes that are read.
    at: usize,
    depth: usize,
    /// Operators that are read.
    size: usize,
    names: &'a [&'a str],
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Expression, ExpressionError> {
        let mut left = self.product()?;
        loop {
            let function: Two = match self.peek() {
                Some('+') => |a, b| a + b,
                Some('-') => |a, b| a - b,
                _ => return Ok(left),
            };
            self.operator()?;
            left = Expression::two(function, left, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Expression, ExpressionError> {
        let mut left = self.signed()?;
        loop {
            let function: Two = match self.peek() {
                Some('*') => |a, b| a * b,
                Some('/') => |a, b| a / b,
                _ => return Ok(left),
            };
            self.operator()?;
            left = Expression::two(function, left, self.signed()?);
        }
    }

    fn signed(&mut self) -> Result<Expression, ExpressionError> {
        match self.peek() {
            Some('-') => {
                self.at += 1;
                let inner = self.deeper(Self::signed)?;
                Ok(Expression::Negative(Box::new(inner)))
            }
            Some('+') => {
                self.at += 1;
                self.deeper(Self::signed)
            }
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Result<Expression, ExpressionError> {
        let base = self.atom()?;
        if self.peek() != Some('^') {
            return Ok(base);
        }
        self.at += 1;
        let exponent = self.deeper(Self::signed)?;
        Ok(Expression::two(power, base, exponent))
    }

    fn atom(&mut self) -> Result<Expression, ExpressionError> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inner = self.deeper(Self::sum)?;
                self.expect(')', "an operator or ')'")?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            _ => Err(self.unexpected("a number, a name or '('")),
        }
    }

    fn number(&mut self) -> Result<Expression, ExpressionError> {
        let rest = self.rest();
        let digits = |from: usize| {
            from + rest[from..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count()
        };
        let mut length = digits(0);
        if rest[length..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
            if rest[length + 1 + sign..].starts_with(|c: char| c.is_ascii_digit()) {
                length = digits(length + 1 + sign);
            }
        }
        match rest[..length].parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at += length;
                Ok(Expression::Number(number))
            }
            _ => Err(ExpressionError::Unexpected {
                expected: "a number",
                found: format!("'{}'", &rest[..length]),
                column: self.column(),
            }),
        }
    }

    /// A name or a function with its arguments.
    fn word(&mut self) -> Result<Expression, ExpressionError> {
        let rest = self.rest();
        let column = self.column();
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let word = &rest[..length.unwrap_or(rest.len())];
        self.at += word.len();
        if self.peek() == Some('(') {
            return self.call(word.to_owned(), column);
        }
        if let Some(index) = self.names.iter().position(|name| *name == word) {
            return Ok(Expression::Value(index));
        }
        if word == PI {
            return Ok(Expression::Number(std::f64::consts::PI));
        }
        let names = self.names.iter().copied().filter(|name| is_name(name)).chain([PI]);
        let known: Vec<String> = names.map(str::to_owned).collect();
        Err(ExpressionError::UnknownName {
            suggestion: suggestion(word, known.iter().map(String::as_str)),
            name: word.to_owned(),
            column,
            known,
        })
    }

    fn call(&mut self, name: String, column: usize) -> Result<Expression, ExpressionError> {
        let one = ONE.iter().find(|(known, _)| *known == name);
        let two = TWO.iter().find(|(known, _)| *known == name);
        if one.is_none() && two.is_none() {
            let functions = ONE.iter().map(|(known, _)| *known).chain(TWO.iter().map(|(k, _)| *k));
            let known: Vec<String> = functions.map(str::to_owned).collect();
            let suggestion = suggestion(&name, known.iter().map(String::as_str));
            return Err(ExpressionError::UnknownFunction { name, column, suggestion, known });
        }
        self.at += 1;
        let mut arguments = vec![self.deeper(Self::sum)?];
        while self.peek() == Some(',') {
            self.at += 1;
            arguments.push(self.deeper(Self::sum)?);
        }
        self.expect(')', "an operator, ',' or ')'")?;
        let found = arguments.len();
        let mut arguments = arguments.into_iter();
        match (one, two, arguments.next(), arguments.next(), arguments.next()) {
            (Some((_, function)), _, Some(a), None, None) => {
                Ok(Expression::One(*function, Box::new(a)))
            }
            (_, Some((_, function)), Some(a), Some(b), None) => {
                Ok(Expression::two(*function, a, b))
            }
            _ => {
                let expected = if one.is_some() { "one argument" } else { "two arguments" };
                Err(ExpressionError::Arguments { name, column, expected, found })
            }
        }
    }

    /// Reads an operator of one sign.
    fn operator(&mut self) -> Result<(), ExpressionError> {
        if self.size == SIZE {
            return Err(ExpressionError::TooLong { column: self.column() });
        }
        self.size += 1;
        self.at += 1;
        Ok(())
    }

    /// Reads a part within another one.
    fn deeper(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<Expression, ExpressionError>,
    ) -> Result<Expression, ExpressionError> {
        if self.depth == DEPTH {
            return Err(ExpressionError::TooDeep { column: self.column() });
        }
        self.depth += 1;
        let expression = part(self);
        self.depth -= 1;
        expression
    }

    fn expect(&mut self, sign: char, expected: &'static str) -> Result<(), ExpressionError> {
        if self.peek() != Some(sign) {
            return Err(self.unexpected(expected));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    /// The next sign that is no space.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    fn unexpected(&self, expected: &'static str) -> ExpressionError {
        let found = self.rest().chars().next().map_or("the end".to_owned(), |c| format!("'{c}'"));
        ExpressionError::Unexpected { expected, found, column: self.column() }
    }
}
