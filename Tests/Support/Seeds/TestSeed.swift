#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The seed of a random test: that of the environment variable `REPRISE_SEED`, else `usual`, else a new one. Prints how
/// to run the test with it again.
package func testSeed(default usual: UInt64? = nil, test: String = #function) -> UInt64 {
  testSeeds(1, from: usual, test: test)[0]
}

/// The seeds of a random test that has so many rounds: one after the other, from that of the environment variable
/// `REPRISE_SEED`, else from `usual`, else from a new one. So the seed of a round that failed is the first one to be
/// tried again.
package func testSeeds(_ count: Int, from usual: UInt64? = nil, test: String = #function) -> [UInt64] {
  let seed = givenSeed() ?? usual ?? newSeed()
  announceSeed(seed, of: test)
  return (0..<UInt64(count)).map { seed &+ $0 }
}

/// A seed short enough to be typed.
package func newSeed() -> UInt64 { UInt64(UInt32.random(in: 1 ... .max)) }

/// The seed in the environment variable `REPRISE_SEED`.
package func givenSeed() -> UInt64? {
  guard let text = getenv("REPRISE_SEED").map({ String(cString: $0) }) else { return nil }
  // To go on with another seed would look as if the failure was gone.
  guard let seed = UInt64(text) else { fatalError("REPRISE_SEED is '\(text)', which is no number from 0 on") }
  return seed
}

/// Prints a line that runs the test again with the same numbers. At its beginning, so that it is there even if the test
/// traps, and unbuffered for the same reason.
package func announceSeed(_ seed: UInt64, of test: String) {
  let name = test.hasSuffix("()") ? String(test.dropLast(2)) : test
  let line = "REPRISE_SEED=\(seed) make quick ARGS=\"--filter \(name)\"\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
}
