import RepriseTestSeeds
import RepriseTesting
import XCTest

/// Random steps over contexts, against the oracle. `REPRISE_RUNS` sets how many runs there are, and `REPRISE_TRACE=1`
/// prints each step as it is made.
@MainActor
final class ModelBasedTests: XCTestCase {
  /// In fewer steps, deletions in children and cascades to several objects hardly ever come about.
  private static let length = 60

  func testTheLibraryDoesWhatThePlainModelDoes() async throws { try await run(testSeeds(Self.runs ?? 120)) }

  func testServersDoWhatThePlainModelDoes() async throws {
    try await run(testSeeds(Self.runs ?? 40), isShared: true)
  }

  private static let runs = ProcessInfo.processInfo.environment["REPRISE_RUNS"].flatMap { Int($0) }

  private func run(_ seeds: [UInt64], isShared: Bool = false) async throws {
    for seed in seeds {
      let run = try await Run(seed: seed, isShared: isShared)
      defer { run.end() }
      do {
        try await run.steps(Self.length)
      } catch {
        return XCTFail("seed \(seed)\n\(run.trace.joined(separator: "\n"))\n\(error)")
      }
      if isShared { for store in run.stores { await store.abandon() } }
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
