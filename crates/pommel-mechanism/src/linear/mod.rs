//! The linear algebra of the sources, for rectangular matrices too.
