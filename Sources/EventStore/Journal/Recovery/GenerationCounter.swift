import Synchronization

/// Gives generations out, each higher than all that were seen, so that what a save consumed never covers a later edit.
final class GenerationCounter: Sendable {
  private let last = Atomic<UInt64>(0)

  func note(_ generation: UInt64) {
    // What damage may claim must not use up the numbers that are left.
    _ = last.max(min(generation, 1 << 62), ordering: .sequentiallyConsistent)
  }

  func next() -> UInt64 {
    let (_, new) = last.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return new
  }
}
