//! Factors by an order of elimination that suits the numbers.

use pommel_kkt::{Analysis, Factor, KktError, Options, Pattern, Values, Workspace};

/// The tolerance of `pommel-kkt` for pivots, which are squares, at a threshold for ranks.
pub(crate) fn pivot_tolerance(rank: f64) -> f64 {
    PIVOT_TOLERANCE.max(rank * rank)
}

/// That of factors whose rows are exact: ε^0.8, as in `pommel-kkt`.
const PIVOT_TOLERANCE: f64 = 3e-13;

/// A workspace that is made anew where numbers do not suit its order of elimination.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuitedWorkspace(Option<Workspace<f64>>);

impl SuitedWorkspace {
    /// What `work` makes of the factor; one factorization, and one or two more after an analysis. A row
    /// of which no more than `rank_tolerance` is left beside others depends on them, unless the tolerance
    /// of `pommel-kkt` is more.
    pub(crate) fn with_factor<R, E: From<KktError>>(
        &mut self,
        pattern: &Pattern,
        values: &Values<'_, f64>,
        rank_tolerance: f64,
        work: impl FnOnce(&mut Factor<'_, f64>) -> Result<R, E>,
    ) -> Result<R, E> {
        let tolerance = pivot_tolerance(rank_tolerance);
        if let Some(workspace) = &mut self.0 {
            workspace.set_tolerance(tolerance)?;
            let mut factor = workspace.factorize(values)?;
            if suits(&factor, pattern) {
                return work(&mut factor);
            }
        }
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let analysis = Analysis::for_values(pattern, values, &options)?;
        let workspace = self.0.insert(Workspace::new(&analysis));
        if !suits(&workspace.factorize(values)?, pattern) {
            // pivots are those of rows then, not their squares
            let options = Options { partitioned: Some(true), ..options };
            let analysis = Analysis::for_values(pattern, values, &options)?;
            *workspace = Workspace::new(&analysis);
        }
        work(&mut workspace.factorize(values)?)
    }
}

impl SuitedWorkspace {
    /// What `work` makes of the factor of the values factored last, which are these; they are factored if they have
    /// not been.
    pub(crate) fn with_factored<R>(
        &mut self,
        pattern: &Pattern,
        values: &Values<'_, f64>,
        rank_tolerance: f64,
        work: impl FnOnce(&mut Factor<'_, f64>) -> Result<R, KktError>,
    ) -> Result<R, KktError> {
        if let Some(workspace) = &mut self.0
            && let Some(mut factor) = workspace.factored(values)?
        {
            return work(&mut factor);
        }
        self.with_factor(pattern, values, rank_tolerance, work)
    }
}

/// A row this many times larger than the pivot that it determines its unknown by does so poorly.
const POOR: f64 = 20.0;

/// Whether the order of elimination suits the numbers: near singular positions rounding may pass for a row
/// that does not depend on others, so that there are more of these than unknowns.
fn suits(factor: &Factor<'_, f64>, pattern: &Pattern) -> bool {
    let yields = pattern.compliance_len() > 0;
    factor.misplaced(0) == 0
        && (yields || factor.rank(0) <= pattern.unknowns())
        && factor.growth(0) <= POOR
}
