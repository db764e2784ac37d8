import RepriseObjectModel
import Synchronization
import XCTest

@testable import RepriseLists

final class QueryFollowerTests: XCTestCase {
  private struct Numbers: FollowedQuery {
    let identifierPrefix = "number:"

    struct Connection: QueryConnection {
      let identifiers: [ModelIdentifier]

      func mayHaveChanged() -> Bool { false }
      func answer(limit: Int) -> QueryAnswer<Int> { QueryAnswer([1], identifiers: identifiers, hasMore: false) }
    }

    var identifiers = [ModelIdentifier("number:1")]

    func connect() -> Connection { Connection(identifiers: identifiers) }
  }

  func testAThreadThatCannotBeStartedIsAnErrorUntilItCan() async throws {
    let hasThreads = Mutex(false)
    let follower = QueryFollower(Numbers(), interval: .seconds(60)) { body in
      guard hasThreads.withLock({ $0 }) else { return false }
      Thread { body() }.start()
      return true
    }
    follower.start(limit: .max)
    let failure = try await follower.look(isForced: true)
    XCTAssertEqual(
      failure as? SourceError,
      .unavailable(source: "number:", reason: "the system has no more threads, and each source needs one"))
    hasThreads.withLock { $0 = true }
    let later = try await follower.look(isForced: true)
    XCTAssertNil(later)
    follower.stop()
  }

  @MainActor
  func testAnAnswerWithoutAnIdentifierForARowFails() async throws {
    let source = QuerySource(Numbers(identifiers: []), pageSize: 10, interval: .seconds(60))
    do {
      try await source.ready()
      XCTFail("ready")
    } catch {
      XCTAssertEqual(
        error as? SourceError,
        .invalid(
          source: "number:",
          reason: "the query answered with 1 rows and 0 identifiers, but each row needs one identifier"))
    }
  }

  @MainActor
  func testANegativePrefetchDistanceLoadsNothing() async throws {
    let source = QuerySource(Numbers(), pageSize: -1, interval: .seconds(-60))
    try await source.refresh()
    for distance in [-1, .min, .max] {
      source.prefetchDistance = distance
      await source.prefetch([RowPath(item: 0)])
    }
    XCTAssertEqual(source.count, 1)
  }
}
