import RepriseTesting
import XCTest

/// Random steps over contexts, against the oracle. A failure prints its seed: run it again with `REPRISE_SEED=<seed>`;
/// `REPRISE_TRACE=1` prints each step as it is made, and `REPRISE_RUNS=<count>` sets how many runs there are.
@MainActor
final class ModelBasedTests: XCTestCase {
  /// In fewer steps, deletions in children and cascades to several objects hardly ever come about.
  private static let length = 60

  func testTheLibraryDoesWhatThePlainModelDoes() async throws {
    let variables = ProcessInfo.processInfo.environment
    var seeds = SeededGenerator()
    let isReplay = variables["REPRISE_SEED"] != nil
    for _ in 0..<(isReplay ? 1 : variables["REPRISE_RUNS"].flatMap { Int($0) } ?? 120) {
      let seed = isReplay ? seeds.seed : seeds.next() >> 32
      let run = try await Run(seed: seed)
      do {
        try await run.steps(Self.length)
      } catch {
        return XCTFail("REPRISE_SEED=\(seed)\n\(run.trace.joined(separator: "\n"))\n\(error)")
      }
    }
  }

  /// The canaries: an oracle that is wrong in one thing must be found out.
  func testEveryMistakeOfThePlainModelIsNoticed() async throws {
    for mistake in Mistake.allCases {
      var isNoticed = false
      for seed in UInt64(1)...150 where !isNoticed {
        let run = try await Run(seed: seed, mistake: mistake)
        do { try await run.steps(Self.length) } catch is Mismatch { isNoticed = true }
      }
      XCTAssertTrue(isNoticed, "\(mistake)")
    }
  }
}
