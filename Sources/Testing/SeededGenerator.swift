import Foundation

/// Reproducible random numbers: the same seed gives the same numbers, on every machine.
///
/// For random tests. Print ``seed`` when one fails, and set the environment variable `REPRISE_SEED` to it to repeat the
/// run.
///
/// SplitMix64: fast and evenly distributed, but predictable, so not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed that determines the numbers.
  public let seed: UInt64
  private var state: UInt64

  /// A generator with this seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A generator with the seed in the environment variable `REPRISE_SEED`, or a new one if that is not set.
  public init() {
    let text = ProcessInfo.processInfo.environment["REPRISE_SEED"]
    self.init(seed: text.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max)))
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
