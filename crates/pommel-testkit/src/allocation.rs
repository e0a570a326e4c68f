//! Counting heap allocations of one thread.

#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread. Install it in a test binary:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: pommel_testkit::CountingAllocator = pommel_testkit::CountingAllocator;
///
/// let (vector, allocations) = pommel_testkit::count_allocations(|| vec![1.0; 10]);
/// assert_eq!((vector.len(), allocations), (10, 1));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

fn tick(bytes: usize) {
    // a thread that is going away has no counter any more
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    let _ = BYTES.try_with(|sum| sum.set(sum.get() + bytes as u64));
}

// SAFETY: every method hands its arguments to the system's allocator unchanged; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        tick(layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        tick(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        tick(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `f` and counts what this thread allocated in it. Counts only where [`CountingAllocator`]
/// is the global allocator.
pub fn count_allocations<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let before = COUNT.with(Cell::get);
    let result = f();
    (result, COUNT.with(Cell::get) - before)
}

/// Runs `f` and sums the bytes that this thread asked for in it, whether freed since or not. As
/// [`count_allocations`].
pub fn count_bytes<R>(f: impl FnOnce() -> R) -> (R, u64) {
    let before = BYTES.with(Cell::get);
    let result = f();
    (result, BYTES.with(Cell::get) - before)
}
