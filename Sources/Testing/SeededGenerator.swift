import Foundation

/// Random numbers that can be had again: the same seed gives the same numbers, on every machine.
///
/// For tests that try things at random. Print ``seed`` where one fails; set the environment variable `REPRISE_SEED` to
/// it to have the same run again.
///
/// SplitMix64: fast and even, and of no use where nobody must guess the next number.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// What the numbers follow from.
  public let seed: UInt64
  private var state: UInt64

  /// The generator of a seed.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The generator of the seed in the environment variable `REPRISE_SEED`; of a new one where that is not set.
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
