//! Functions of time.

use super::Validator;
use crate::description::TimeFunction;
use crate::fault::FaultKind;

impl Validator<'_> {
    pub(super) fn time(&mut self, path: &str, function: &TimeFunction) {
        match function {
            TimeFunction::Ramp { start, end, .. } if end <= start => {
                let kind = FaultKind::NotPositive { value: end - start };
                self.push(format!("{path}.end"), kind);
            }
            TimeFunction::Table { times, values, .. } => {
                if times.len() != values.len() || times.is_empty() {
                    let (times, values) = (times.len(), values.len());
                    self.push(path, FaultKind::TableLength { times, values });
                }
                let wrong = (1..times.len())
                    .find(|&i| times[i] < times[i - 1] || (i > 1 && times[i] == times[i - 2]));
                if let Some(index) = wrong {
                    let kind = FaultKind::TimeOrder { index, time: times[index] };
                    self.push(format!("{path}.times"), kind);
                }
            }
            _ => {}
        }
    }
}
