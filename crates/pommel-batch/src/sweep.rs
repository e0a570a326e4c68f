//! A plan with its model: every instance as a function of its index.

use crate::design::{grid_length, grid_point, random_point};
use crate::error::PlanError;
use crate::plan::{Plan, PlanFault, PlanFaultKind};
use crate::spread::Spread;
use pommel_model::{
    Description, LoadOptions, Mechanism, ModelError, OneOrMany, Parameter, ParameterPath, Segment,
};
use std::path::Path;

/// A sound plan with its model. Immutable.
#[derive(Debug, Clone)]
pub struct Sweep {
    plan: Plan,
    text: Option<String>,
    base: Description,
    parameters: Vec<SweptParameter>,
    length: u64,
    plan_digest: String,
    model_digest: String,
}

/// A parameter of a sweep, found in the model.
#[derive(Debug, Clone)]
pub struct SweptParameter {
    name: String,
    unit: Option<String>,
    targets: Vec<Parameter>,
    spread: Spread,
}

impl SweptParameter {
    /// Name of its column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its unit, if the plan gives one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The numbers of the model that it sets.
    pub fn targets(&self) -> &[Parameter] {
        &self.targets
    }

    /// The values that it takes.
    pub fn spread(&self) -> &Spread {
        &self.spread
    }
}

impl Sweep {
    /// Reads a plan file and the model that it names.
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
        let model = path.parent().unwrap_or(Path::new("")).join(&plan.model);
        let mechanism = Mechanism::from_path_with(model, options)?;
        let sweep = Self::with_mechanism(plan, &mechanism).map_err(|error| {
            let error = error.in_file(path);
            match &text {
                Some(text) => Plan::locate(text, error),
                None => error,
            }
        })?;
        Ok(Self { text, ..sweep })
    }

    /// Ties a plan to a description, instead of the file that it names.
    ///
    /// # Errors
    /// [`PlanError::Invalid`] with every fault of the plan and every path that leads to no number
    /// of the model; [`PlanError::Model`] if the description is not sound.
    pub fn new(plan: Plan, model: Description) -> Result<Self, PlanError> {
        Self::with_mechanism(plan, &Mechanism::new(model)?)
    }

    fn with_mechanism(plan: Plan, mechanism: &Mechanism) -> Result<Self, PlanError> {
        let faults = plan.faults();
        if !faults.is_empty() {
            return Err(PlanError::Invalid { path: None, faults });
        }
        let mut base = mechanism.description().clone();
        let mut resolver = Resolver { mechanism, base: &mut base, all: Vec::new() };
        let mut faults = Vec::new();
        let mut parameters = Vec::with_capacity(plan.parameters.len());
        for (index, item) in plan.parameters.iter().enumerate() {
            let mut targets = Vec::new();
            for (n, text) in item.targets().iter().enumerate() {
                match resolver.resolve(index, text) {
                    Ok(target) => targets.push(target),
                    Err(kind) => {
                        let key = match item.path {
                            Some(_) => "path".to_owned(),
                            None => format!("paths[{n}]"),
                        };
                        let path = format!("parameters[{index}].{key}");
                        faults.push(PlanFault { path, line: None, kind });
                    }
                }
            }
            // a sound parameter has one spread
            parameters.extend(item.spreads().into_iter().map(|(_, spread)| SweptParameter {
                name: item.column_name().to_owned(),
                unit: item.unit.clone(),
                targets: targets.clone(),
                spread,
            }));
        }
        if !faults.is_empty() {
            return Err(PlanError::Invalid { path: None, faults });
        }
        // a sound plan has a count, or lists whose combinations can be counted
        let counts: Vec<_> = parameters.iter().filter_map(|p| p.spread.count()).collect();
        let length = if plan.is_grid() { grid_length(&counts) } else { plan.design.count };
        Ok(Self {
            length: length.unwrap_or_default(),
            plan_digest: plan.digest(),
            model_digest: mechanism.digest(),
            plan,
            text: None,
            base,
            parameters,
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

    /// The parameters, in the order of the plan.
    pub fn swept(&self) -> &[SweptParameter] {
        &self.parameters
    }

    /// Digest of the plan.
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
        self.length
    }

    /// The parameters of an instance, in the order of the plan.
    ///
    /// In a grid, the last parameter varies fastest. In a random design, the number of parameter
    /// `p` in instance `k` is made of block `p` of stream `k` of ChaCha with 8 rounds under the
    /// seed: a function of (seed, `k`, `p`) and of the parameter's own spread, and of nothing else.
    /// Neither the number of instances, nor other parameters, nor threads matter. The upper 53
    /// of 64 bits give a uniform number u in [0, 1), hence a + (b − a) u, or the same between
    /// logarithms; two of them a normal number (Box and Muller); all 64 an index into a list.
    ///
    /// # Panics
    /// If there is no such instance.
    pub fn parameters(&self, index: u64) -> Vec<f64> {
        assert!(index < self.length, "instance {index} of a sweep of {}", self.length);
        let spreads = self.parameters.iter().map(|parameter| &parameter.spread);
        if self.plan.is_grid() {
            grid_point(spreads, index)
        } else {
            random_point(spreads, self.plan.design.seed.unwrap_or_default(), index)
        }
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
        for (parameter, value) in self.parameters.iter().zip(values) {
            for target in &parameter.targets {
                // the shape is that of the base, where the path was found
                let _ = target.set(description, *value);
            }
        }
    }
}

/// Finds numbers of the model, each at most once.
struct Resolver<'a> {
    mechanism: &'a Mechanism,
    base: &'a mut Description,
    all: Vec<(usize, Parameter)>,
}

impl Resolver<'_> {
    fn resolve(&mut self, index: usize, text: &str) -> Result<Parameter, PlanFaultKind> {
        let path = ParameterPath::parse(text)?;
        self.spell_out(&path);
        let found = path.resolve(self.base)?;
        let same = |other: &Parameter| {
            let mut probe = self.base.clone();
            other.set(&mut probe, f64::NAN);
            found.get(&probe).is_some_and(f64::is_nan)
        };
        if let Some((first, other)) = self.all.iter().find(|(_, other)| same(other)) {
            let other = other.path().to_string();
            return Err(PlanFaultKind::SameNumber { path: text.to_owned(), other, first: *first });
        }
        self.all.push((index, found.clone()));
        Ok(found)
    }

    /// Writes an initial state that the path addresses and the file leaves at its default into the
    /// description, where a parameter can set it.
    fn spell_out(&mut self, path: &ParameterPath) {
        let [Segment::Key(initial), Segment::Key(list), Segment::Key(name), ..] = path.segments()
        else {
            return;
        };
        let Some(joint) = self.base.joint_index(name).filter(|_| initial == "initial") else {
            return;
        };
        let resolved = &self.mechanism.joints()[joint];
        let state = self.mechanism.initial_state();
        let (map, values) = match list.as_str() {
            "q" => (&mut self.base.initial.q, &state.q[resolved.q.clone()]),
            "v" => (&mut self.base.initial.v, &state.v[resolved.v.clone()]),
            _ => return,
        };
        // a joint that closes a loop, or is fixed, has none
        if !values.is_empty() && !map.contains_key(name) {
            let given = match values {
                [value] if path.segments().len() == 3 => OneOrMany::One(*value),
                values => OneOrMany::Many(values.to_vec()),
            };
            map.insert(name.clone(), given);
        }
    }
}
