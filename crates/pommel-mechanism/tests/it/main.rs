//! Tests of pommel-mechanism.
