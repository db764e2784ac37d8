import Synchronization

/// Issues generations, each higher than all seen so far, so that a save never consumes a later edit.
package final class GenerationCounter: Sendable {
  private let last = Atomic<UInt64>(0)

  func note(_ generation: UInt64) {
    // A damaged number must not exhaust the counter.
    _ = last.max(min(generation, 1 << 62), ordering: .sequentiallyConsistent)
  }

  func next() -> UInt64 {
    let (_, new) = last.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return new
  }
}
