//! Memory of `faer`'s routines.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};

/// A buffer that is made once.
pub(in crate::formulation) struct Memory(MemBuffer);

impl Memory {
    pub(in crate::formulation) fn new(request: StackReq) -> Self {
        Memory(MemBuffer::new(request))
    }

    pub(in crate::formulation) fn stack(&mut self) -> &mut MemStack {
        MemStack::new(&mut self.0)
    }
}

impl core::fmt::Debug for Memory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
