import RepriseCore
import RepriseDirectories
import XCTest

/// A test with a folder.
@MainActor
class DirectoryTestCase: XCTestCase {
  private(set) var folder: TestFolder!

  override func setUp() async throws { folder = try TestFolder() }
  override func tearDown() async throws { folder = nil }

  /// A source that has its rows, and what it tells from then on.
  func source(
    _ filter: DirectoryFilter = DirectoryFilter(), _ order: DirectoryOrder = .name, below name: String = ""
  ) async throws -> (source: DirectorySource, batches: Received) {
    let source = DirectorySource(folder.path + name, showing: filter, sortedBy: order)
    try await source.ready()
    let received = Received()
    received.observation = source.observe { received.batches.append($0) }
    return (source, received)
  }

  final class Received {
    var batches: [ListBatch] = []
    var observation: ListObservation?
    var last: ListChanges? { batches.last?.changes }
  }

  func names(_ source: DirectorySource) -> [String] { source.elements.map(\.path) }
}
