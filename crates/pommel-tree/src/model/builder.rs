//! From bodies and joints to a model.

use pommel_math::{Real, Vec3};

use super::Model;
use super::assemble::assemble;
use super::elements::{Element, elements};
use super::joint::{BodySpec, Joint};
use super::reroot::{heaviest, reroot};
use super::topology::BodyId;
use crate::TreeError;
use crate::rerooted::Rerooted;

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
    elimination: Elimination,
}

/// The body of a free tree towards which [`forward_dynamics`](crate::forward_dynamics) eliminates.
///
/// The result is the same but for rounding; [`the_algorithm`](crate::the_algorithm) says why. The
/// coordinates are not concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elimination {
    /// The heaviest body, if it is heavier than the body with the free joint by a factor of ten and
    /// no rotor or armature stands in the way; else the body with the free joint.
    #[default]
    Heaviest,
    /// The body with the free joint, whatever it weighs.
    FreeBody,
    /// This body.
    Body(BodyId),
}

impl<T: Real> TreeBuilder<T> {
    /// An empty tree without gravity.
    pub fn new() -> Self {
        TreeBuilder { specs: Vec::new(), gravity: None, elimination: Elimination::default() }
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

    /// The body towards which forward dynamics eliminates; [`Elimination::Heaviest`] unless given.
    ///
    /// Instances that shall run side by side need the same one ([`Model::pack`]): give it where
    /// masses vary.
    pub fn eliminate_towards(&mut self, elimination: Elimination) -> &mut Self {
        self.elimination = elimination;
        self
    }

    /// The model.
    ///
    /// # Errors
    /// [`TreeError::Coordinates`] if coordinates overlap or leave a gap,
    /// [`TreeError::NotDifferentiable`] for dual numbers at parallel axes, [`TreeError::NotARoot`] if
    /// the body of [`Elimination::Body`] cannot be one, [`TreeError::UnknownBody`] if it is none.
    pub fn build(self) -> Result<Model<T>, TreeError> {
        let (elements, nq, nv) = elements(&self.specs)?;
        let roots = match self.elimination {
            Elimination::Heaviest => heaviest(&self.specs, &elements),
            Elimination::FreeBody => Vec::new(),
            Elimination::Body(body) => vec![self.known(body)?],
        };
        // the free body is the root as it is
        let is_free = |&root: &usize| self.specs[root].joint == Joint::Free;
        let roots: Vec<usize> = roots.into_iter().filter(|root| !is_free(root)).collect();
        let mut model = self.assemble(&elements, (nq, nv))?;
        let mut turned = elements;
        for &root in &roots {
            turned = reroot(&self.specs, &turned, root)?;
        }
        if !roots.is_empty() {
            let inner = self.assemble(&turned, (nq, nv))?;
            model.rerooted = Some(Box::new(Rerooted::new(&model, inner, &roots)));
        }
        Ok(model)
    }

    /// The model with another body at the root of a free tree: the coordinates of the free joint are
    /// those of `root`, whose twist is then the generalized speed (Saha's form for space robots, if
    /// it is the end effector).
    ///
    /// The joints between the free body and `root` keep their coordinates and their places in `q`
    /// and `v`. Only a spherical joint among them is described from the other side: its quaternion
    /// `p` becomes the conjugate, its velocity `v` becomes `−R(p) v`, its joint moment likewise.
    ///
    /// # Errors
    /// As for [`build`](TreeBuilder::build), and [`TreeError::NotARoot`] if `root` does not hang on a
    /// free body, or if a geared rotor, or armature of a joint with several velocities, lies between;
    /// [`TreeError::UnknownBody`]. Forward dynamics eliminates towards `root`, whatever
    /// [`eliminate_towards`](TreeBuilder::eliminate_towards) said.
    pub fn build_with_root(self, root: BodyId) -> Result<Model<T>, TreeError> {
        let (elements, nq, nv) = elements(&self.specs)?;
        let root = self.known(root)?;
        let turned = reroot(&self.specs, &elements, root)?;
        self.assemble(&turned, (nq, nv))
    }

    fn assemble(
        &self,
        elements: &[Element<T>],
        sizes: (usize, usize),
    ) -> Result<Model<T>, TreeError> {
        let gravity = self.gravity.unwrap_or_else(Vec3::zero);
        assemble(&self.specs, elements, sizes, gravity)
    }

    fn known(&self, body: BodyId) -> Result<usize, TreeError> {
        let (index, bodies) = (body.index(), self.specs.len());
        if index < bodies { Ok(index) } else { Err(TreeError::UnknownBody { index, bodies }) }
    }
}
