import RepriseTestSeeds
import RepriseTesting
import XCTest

/// Random steps over contexts, against the oracle. `REPRISE_RUNS` sets how many runs there are, and `REPRISE_TRACE=1`
/// prints each step as it is made.
@MainActor
final class ModelBasedTests: XCTestCase {
  /// In fewer steps, deletions in children and cascades to several objects hardly ever come about.
  private static let length = 60

  func testTheLibraryDoesWhatThePlainModelDoes() async throws {
    let variables = ProcessInfo.processInfo.environment
    for seed in testSeeds(variables["REPRISE_RUNS"].flatMap { Int($0) } ?? 120) {
      let run = try await Run(seed: seed)
      defer { run.end() }
      do {
        try await run.steps(Self.length)
      } catch {
        return XCTFail("seed \(seed)\n\(run.trace.joined(separator: "\n"))\n\(error)")
      }
    }
  }

  /// The canaries: an oracle that is wrong in one thing must be found out.
  func testEveryMistakeOfThePlainModelIsNoticed() async throws {
    for mistake in Mistake.allCases {
      var isNoticed = false
      for seed in UInt64(1)...150 where !isNoticed {
        let run = try await Run(seed: seed, mistake: mistake)
        defer { run.end() }
        do { try await run.steps(Self.length) } catch is Mismatch { isNoticed = true }
      }
      XCTAssertTrue(isNoticed, "\(mistake)")
    }
  }
}
