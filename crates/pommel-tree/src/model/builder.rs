//! From bodies and joints to a model.

use pommel_math::{Real, Vec3};

use super::Model;
use super::assemble::assemble;
use super::elements::elements;
use super::joint::BodySpec;
use super::topology::BodyId;
use crate::TreeError;

/// Builds a [`Model`] body by body, parents first.
///
/// ```
/// use pommel_tree::pommel_math::Vec3;
/// use pommel_tree::{BodySpec, Joint, TreeBuilder, Workspace, forward_dynamics};
///
/// // a rod of 1 kg that hangs horizontally from a revolute joint, mass centre 1 m from the axis
/// let mut builder = TreeBuilder::<f64>::new();
/// builder.add(
///     BodySpec::new("rod", None, Joint::Revolute { axis: [0.0, 0.0, 1.0] })
///         .with_inertia(1.0, Vec3::new(1.0, 0.0, 0.0), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]),
/// )?;
/// builder.gravity(Vec3::new(0.0, -9.81, 0.0));
/// let pendulum = builder.build()?;
///
/// let mut workspace = Workspace::new(&pendulum);
/// let mut qdd = [0.0];
/// forward_dynamics(&pendulum, &mut workspace, &[0.0], &[0.0], &[0.0], None, &mut qdd)?;
/// // −m g l / (I + m l²)
/// assert!((qdd[0] + 4.905).abs() < 1e-15 * 4.905);
/// # Ok::<(), pommel_tree::TreeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder<T> {
    specs: Vec<BodySpec<T>>,
    gravity: Option<Vec3<T>>,
}

impl<T: Real> TreeBuilder<T> {
    /// An empty tree without gravity.
    pub fn new() -> Self {
        TreeBuilder { specs: Vec::new(), gravity: None }
    }

    /// Uniform gravity in world axes, m/s².
    pub fn gravity(&mut self, gravity: Vec3<T>) -> &mut Self {
        self.gravity = Some(gravity);
        self
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`TreeError::UnknownParent`], [`TreeError::ZeroAxis`], [`TreeError::FreeJointNotOnGround`],
    /// [`TreeError::RotorNeedsOneVelocity`], [`TreeError::WrongNumberOfArmatures`],
    /// [`TreeError::NotFinite`].
    pub fn add(&mut self, spec: BodySpec<T>) -> Result<BodyId, TreeError> {
        if let Some(parent) = spec.parent
            && parent.index() >= self.specs.len()
        {
            return Err(TreeError::UnknownParent {
                body: spec.name,
                parent: parent.index(),
                bodies: self.specs.len(),
            });
        }
        spec.check()?;
        self.specs.push(spec);
        Ok(BodyId(self.specs.len() as u32 - 1))
    }

    /// The model.
    ///
    /// # Errors
    /// [`TreeError::Coordinates`] if coordinates overlap or leave a gap,
    /// [`TreeError::NotDifferentiable`] for dual numbers at parallel axes.
    pub fn build(self) -> Result<Model<T>, TreeError> {
        let (elements, nq, nv) = elements(&self.specs)?;
        let gravity = self.gravity.unwrap_or_else(Vec3::zero);
        assemble(&self.specs, &elements, (nq, nv), gravity)
    }
}
