//! A plan with its model: every instance as a function of its index.

use crate::design::{Layout, List};
use crate::digest::sha256_hex;
use crate::error::PlanError;
use crate::expression::Expression;
use crate::plan::{DesignKind, Integrator, Plan, PlanDerived, PlanFaultKind, PlanParameter};
use crate::resolve::Resolver;
use crate::swept::SweptParameter;
use crate::target::{Setting, Target};
use pommel_model::{Description, LoadOptions, Mechanism, ModelError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A sound plan with its model. Immutable.
#[derive(Debug, Clone)]
pub struct Sweep {
    plan: Plan,
    text: Option<String>,
    base: Description,
    /// Parameters, then derived numbers.
    swept: Vec<SweptParameter>,
    layout: Layout,
    derived: Vec<Expression>,
    /// Settings that instances have of their own, with their columns.
    settings: Vec<(Setting, usize)>,
    plan_digest: String,
    model_digest: String,
}

impl Sweep {
    /// Reads a plan file, the model that it names, and the list if it names one.
    ///
    /// # Errors
    /// As [`Plan::from_path`], [`Mechanism::from_path`] and [`Sweep::new`].
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, PlanError> {
        Self::from_path_with(path, &LoadOptions::default())
    }

    /// As [`Sweep::from_path`], with options for the model.
    ///
    /// # Errors
    /// As [`Sweep::from_path`].
    pub fn from_path_with(
        path: impl AsRef<Path>,
        options: &LoadOptions,
    ) -> Result<Self, PlanError> {
        let path = path.as_ref();
        let (plan, text) = Plan::with_text(path)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let mechanism = Mechanism::from_path_with(directory.join(&plan.model), options)?;
        let sweep = Self::with_mechanism(plan, &mechanism, directory).map_err(|error| {
            let error = error.in_file(path);
            match &text {
                Some(text) => Plan::locate(text, error),
                None => error,
            }
        })?;
        Ok(Self { text, ..sweep })
    }

    /// Ties a plan to a description, instead of the file that it names. The file of a list is
    /// looked for from the current directory on.
    ///
    /// # Errors
    /// [`PlanError::Invalid`] with every fault of the plan and of its list, and every path that
    /// leads to no number of the model; [`PlanError::Model`] if the description is not sound.
    pub fn new(plan: Plan, model: Description) -> Result<Self, PlanError> {
        Self::with_mechanism(plan, &Mechanism::new(model)?, Path::new(""))
    }

    fn with_mechanism(
        plan: Plan,
        mechanism: &Mechanism,
        directory: &Path,
    ) -> Result<Self, PlanError> {
        let invalid = |faults| PlanError::Invalid { path: None, faults };
        let faults = plan.faults();
        if !faults.is_empty() {
            return Err(invalid(faults));
        }
        let mut resolver = Resolver::new(mechanism);
        let swept = swept(&plan, &mut resolver);
        let mut plan_digest = plan.digest();
        let layout = match &plan.design.file {
            Some(file) => {
                let list = list(&plan.parameters, &directory.join(file), &mut resolver);
                list.map(|list| {
                    plan_digest = sha256_hex(format!("{plan_digest} {}", list.digest).as_bytes());
                    Layout::of_list(list)
                })
            }
            None => {
                let one_at_a_time = plan.design.kind == DesignKind::OneAtATime;
                let centre = one_at_a_time.then(|| centres(&plan, &swept, &mut resolver));
                let spreads = swept.iter().filter_map(|parameter| parameter.spread.clone());
                Layout::new(&plan.design, spreads.collect(), centre.unwrap_or_default())
            }
        };
        let base = resolver.finish().map_err(invalid)?;
        // a sound plan has a count, or lists whose combinations can be counted
        let Some(layout) = layout else { return Err(invalid(plan.faults())) };
        Ok(Self {
            settings: settings(&swept),
            derived: expressions(&plan, &swept),
            layout,
            plan_digest,
            model_digest: mechanism.digest(),
            plan,
            text: None,
            base,
            swept,
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The plan as TOML: as it was read, or written anew.
    pub fn plan_text(&self) -> String {
        self.text.clone().unwrap_or_else(|| self.plan.to_toml_string())
    }

    /// The model, before parameters are set. Initial coordinates and velocities that the plan
    /// addresses are spelled out, also where the file leaves them at their default.
    pub fn base(&self) -> &Description {
        &self.base
    }

    /// The parameters and then the derived numbers, in the order of the plan.
    pub fn swept(&self) -> &[SweptParameter] {
        &self.swept
    }

    /// Whether instances have settings of the integration of their own.
    pub fn varies_settings(&self) -> bool {
        !self.settings.is_empty()
    }

    /// Digest of the plan, and of the file of a list.
    pub fn plan_digest(&self) -> &str {
        &self.plan_digest
    }

    /// Digest of the model, before parameters are set.
    pub fn model_digest(&self) -> &str {
        &self.model_digest
    }

    /// Number of instances; never zero.
    #[allow(clippy::len_without_is_empty, reason = "an empty sweep is refused when it is made")]
    pub fn len(&self) -> u64 {
        self.layout.len()
    }

    /// The parameters of an instance and its derived numbers, in the order of the plan.
    ///
    /// In a grid, the last parameter varies fastest. In a random design, the number of parameter
    /// `p` in instance `k` is made of block `p` of stream `k` of ChaCha with 8 rounds under the
    /// seed: a function of (seed, `k`, `p`) and of the parameter's own spread, and of nothing else.
    /// Neither the number of instances, nor other parameters, nor threads matter. The upper 53
    /// of 64 bits give a uniform number u in [0, 1), hence a + (b − a) u, or the same between
    /// logarithms; two of them a normal number (Box and Muller); all 64 an index into a list.
    ///
    /// A Latin hypercube takes for u a place in a stratum, a Sobol design a scrambled point of the
    /// sequence, both in (0, 1) and functions of (seed, `k`, `p`), in a Latin hypercube of the
    /// number of instances, too. The normal number is that of the inverse of the cumulative
    /// distribution, and u times the length of a list is the index into it.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn parameters(&self, index: u64) -> Vec<f64> {
        assert!(index < self.len(), "instance {index} of a sweep of {}", self.len());
        let mut values = self.layout.values(index);
        for expression in &self.derived {
            values.push(expression.value(&values));
        }
        values
    }

    /// The description of an instance; not checked, since parameters may make no sound mechanism.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn description(&self, index: u64) -> Description {
        let mut description = self.base.clone();
        self.write(&self.parameters(index), &mut description);
        description
    }

    /// The mechanism of an instance.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] if its parameters make no sound mechanism.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn mechanism(&self, index: u64) -> Result<Mechanism, ModelError> {
        Mechanism::new(self.description(index))
    }

    /// Writes parameters into a description of the shape of the base.
    pub(crate) fn write(&self, values: &[f64], description: &mut Description) {
        for (parameter, value) in self.swept.iter().zip(values) {
            for target in &parameter.targets {
                if let Target::Number(number) = target {
                    // the shape is that of the base, where the path was found
                    let _ = number.set(description, *value);
                }
            }
        }
    }

    /// How the instance with these parameters is integrated.
    pub(crate) fn integrator(&self, values: &[f64]) -> Integrator {
        let mut integrator = self.plan.integrator.clone();
        for (setting, column) in &self.settings {
            setting.set(&mut integrator, values[*column]);
        }
        integrator
    }

    /// The end of every instance.
    pub(crate) fn end(&self) -> End {
        let own = self.settings.iter().find(|(setting, _)| *setting == Setting::End);
        End { plan: self.plan.end, column: own.map(|(_, column)| *column) }
    }
}

/// When instances end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// As the plan says, s.
    pub plan: f64,
    /// The parameter that says so for each instance, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl End {
    /// The end of the instance with these parameters, s.
    pub(crate) fn of(self, values: &[f64]) -> f64 {
        self.column.map_or(self.plan, |column| values[column])
    }
}

/// The columns of a sound plan, with what they set.
fn swept(plan: &Plan, resolver: &mut Resolver<'_>) -> Vec<SweptParameter> {
    let mut swept = Vec::with_capacity(plan.parameters.len() + plan.derived.len());
    for (index, item) in plan.parameters.iter().enumerate() {
        let part = format!("parameters[{index}]");
        swept.push(SweptParameter {
            name: item.column_name().to_owned(),
            unit: item.unit.clone(),
            targets: resolver.targets(&part, item.targets(), item.path.is_some()),
            // a sound parameter has one spread, in a list none
            spread: item.spreads().into_iter().next().map(|(_, spread)| spread),
            expression: None,
        });
    }
    for (index, item) in plan.derived.iter().enumerate() {
        let part = format!("derived[{index}]");
        swept.push(SweptParameter {
            name: item.column_name().to_owned(),
            unit: item.unit.clone(),
            targets: resolver.targets(&part, item.targets(), item.path.is_some()),
            spread: None,
            expression: Some(item.expression.clone()),
        });
    }
    swept
}

/// The settings that instances have of their own, with their columns.
fn settings(swept: &[SweptParameter]) -> Vec<(Setting, usize)> {
    let mut settings = Vec::new();
    for (column, parameter) in swept.iter().enumerate() {
        settings.extend(parameter.targets.iter().filter_map(|target| match target {
            Target::Setting(setting) => Some((*setting, column)),
            Target::Number(_) => None,
        }));
    }
    settings
}

/// What is derived, ready to be computed; the expressions of a sound plan are sound.
fn expressions(plan: &Plan, swept: &[SweptParameter]) -> Vec<Expression> {
    let names: Vec<_> = swept.iter().map(SweptParameter::name).collect();
    let before = plan.parameters.len()..;
    let parse = |(n, item): (usize, &PlanDerived)| Expression::parse(&item.expression, &names[..n]);
    before.zip(&plan.derived).map(parse).filter_map(Result::ok).collect()
}

/// The rows of a list; none, with all faults, if it is not sound.
fn list(parameters: &[PlanParameter], path: &Path, resolver: &mut Resolver<'_>) -> Option<List> {
    let names: Vec<_> = parameters.iter().map(PlanParameter::list_column).collect();
    let list = List::read(path, &names);
    list.map_err(|faults| {
        for (parameter, fault) in faults {
            let path = match parameter {
                Some(index) if parameters[index].column.is_some() => {
                    format!("parameters[{index}].column")
                }
                Some(index) => format!("parameters[{index}]"),
                None => "design.file".to_owned(),
            };
            resolver.fault(path, PlanFaultKind::List(fault));
        }
    })
    .ok()
}

/// The value of every parameter while another one varies.
fn centres(plan: &Plan, swept: &[SweptParameter], resolver: &mut Resolver<'_>) -> Vec<f64> {
    let mut centres = Vec::new();
    for (index, (item, parameter)) in plan.parameters.iter().zip(swept).enumerate() {
        let mut values = parameter.targets.iter().map(|target| match target {
            Target::Number(number) => number.get(resolver.base()),
            Target::Setting(setting) => setting.get(&plan.integrator, plan.end),
        });
        let first = values.next().flatten();
        let same = values.all(|value| value == first);
        match (item.centre.or(first), same || item.centre.is_some()) {
            (Some(centre), true) => centres.push(centre),
            // a path that leads nowhere is a fault of its own
            _ if parameter.targets.len() < item.targets().len() => {}
            (None, _) => {
                let why = format!("the plan gives no '{}'", parameter.name());
                resolver.fault(format!("parameters[{index}]"), PlanFaultKind::NoCentre { why });
            }
            (Some(_), false) => {
                let why = "the paths lead to different values".to_owned();
                resolver.fault(format!("parameters[{index}]"), PlanFaultKind::NoCentre { why });
            }
        }
    }
    centres
}
