//! Digests: of a text, and of the content of results.

use crate::outcome::{Outcome, Row};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 in hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // writing to a string cannot fail
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The digest of results, row by row in index order.
///
/// Per row: index, status (1 finished, 0 failed), reason, bits of the parameters, bits of the
/// values; integers little-endian in 8 bytes, texts and lists preceded by their length. Messages
/// and times are left out: they explain a failure, they are not its content.
#[derive(Debug)]
pub(crate) struct ContentDigest(Sha256);

impl ContentDigest {
    pub(crate) fn new() -> Self {
        Self(Sha256::new_with_prefix(b"pommel sweep results v1\n"))
    }

    pub(crate) fn row(&mut self, row: &Row) {
        let (status, reason, values): (u8, &str, &[f64]) = match &row.outcome {
            Outcome::Finished { values } => (1, "", values),
            Outcome::Failed { reason, .. } => (0, reason, &[]),
        };
        self.0.update(row.index.to_le_bytes());
        self.0.update([status]);
        self.0.update((reason.len() as u64).to_le_bytes());
        self.0.update(reason.as_bytes());
        for list in [&row.parameters[..], values] {
            self.0.update((list.len() as u64).to_le_bytes());
            for value in list {
                self.0.update(value.to_bits().to_le_bytes());
            }
        }
    }

    /// As [`row`](Self::row), with message and time: for what must come back as it was written.
    pub(crate) fn exact(&mut self, row: &Row) {
        self.row(row);
        if let Outcome::Failed { message, time, .. } = &row.outcome {
            self.0.update((message.len() as u64).to_le_bytes());
            self.0.update(message.as_bytes());
            self.0.update(time.to_bits().to_le_bytes());
        }
    }

    pub(crate) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}
