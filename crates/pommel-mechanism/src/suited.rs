//! Factors by an order of elimination that suits the numbers.

use pommel_kkt::{Analysis, Factor, KktError, Options, Pattern, Values, Workspace};

/// A workspace that is made anew where numbers do not suit its order of elimination.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuitedWorkspace(Option<Workspace<f64>>);

impl SuitedWorkspace {
    /// What `work` makes of the factor; one factorization, and one more after an analysis.
    pub(crate) fn with_factor<R, E: From<KktError>>(
        &mut self,
        pattern: &Pattern,
        values: &Values<'_, f64>,
        work: impl FnOnce(&mut Factor<'_, f64>) -> Result<R, E>,
    ) -> Result<R, E> {
        if let Some(workspace) = &mut self.0 {
            let mut factor = workspace.factorize(values)?;
            if factor.misplaced(0) == 0 {
                return work(&mut factor);
            }
        }
        let analysis = Analysis::for_values(pattern, values, &Options::default())?;
        work(&mut self.0.insert(Workspace::new(&analysis)).factorize(values)?)
    }
}
