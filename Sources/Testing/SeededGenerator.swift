import Foundation

/// A generator of reproducible random numbers, for random tests.
///
/// The same seed gives the same numbers on every machine. If a test fails, print its ``seed``. To repeat the run, set
/// the environment variable `REPRISE_SEED` to that seed. The algorithm is SplitMix64, which is fast and evenly
/// distributed. Its numbers are predictable, so do not use them for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed, which determines the numbers.
  public let seed: UInt64
  private var state: UInt64

  /// Makes a generator with a seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Makes a generator with the seed in the environment variable `REPRISE_SEED`, or with a random one.
  public init() {
    let text = ProcessInfo.processInfo.environment["REPRISE_SEED"]
    self.init(seed: text.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max)))
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
