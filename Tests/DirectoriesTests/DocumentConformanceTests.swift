import RepriseCore
import RepriseDirectories
import RepriseRemote
import RepriseTestSeeds
import RepriseTesting
import XCTest

/// The suites for transports and data sources, held against a folder of documents.
@MainActor final class DocumentConformanceTests: XCTestCase {
  func testAFolderOfDocumentsConforms() async throws {
    for (filter, pageSize) in [
      (DirectoryFilter(), 10_000), (DirectoryFilter(isRecursive: true, suffixes: [".txt"]), 2),
    ] {
      let folder = try TestFolder()
      let conformance = RemoteTransportConformance(
        makeTransport: { DirectoryTransport(folder.path, showing: filter, pageSize: pageSize) }, id: { $0.path },
        make: { numbers in
          let name = UInt32.random(in: 0 ... .max, using: &numbers)
          return DirectoryDocument("\(filter.isRecursive ? "deep/" : "")\(name).txt", text: "\(name)", version: "")
        },
        change: { document, numbers in
          document.content = Array("\(UInt32.random(in: 0 ... .max, using: &numbers))".utf8)
          return ["text"]
        },
        content: { $0.text ?? "-" }, seed: testSeed())
      try await conformance.run()
      try await conformance.runUnavailable { isFailing in
        let away = folder.path + "-away"
        XCTAssertEqual(isFailing ? rename(folder.path, away) : rename(away, folder.path), 0)
      }
    }
  }

  // MARK: Sources

  private typealias Source = RemoteSource<Paper, DirectoryTransport>
  private nonisolated(unsafe) var made: [Made] = []

  /// Not of the main actor: the suite's closures are of any isolation.
  private final class Made {
    weak var source: Source?
    let folder: TestFolder
    let temporary: TemporaryStore

    init() throws {
      folder = try TestFolder()
      temporary = try .makeNow(for: Schema([Paper.self] + RemoteModels.all))
    }

    func source(_ store: Store, _ pageSize: Int) throws -> Source {
      var options = RemoteOptions()
      options.retry.attempts = 1
      return try Source(
        "papers", Fetch<Paper>().sorted { $0.path }, in: RootContext(store),
        from: DirectoryTransport(folder.path, pageSize: pageSize), mapping: Paper.mapping, options: options)
    }

    /// As long as a disk is not there.
    func fail(_ isFailing: Bool) {
      let away = folder.path + "-away"
      XCTAssertEqual(isFailing ? rename(folder.path, away) : rename(away, folder.path), 0)
    }
  }

  override func tearDown() async throws { made = [] }

  private nonisolated func made(_ source: Source) throws -> Made {
    try XCTUnwrap(made.first { $0.source === source })
  }

  /// Four changes of files in random order, and their reading.
  private func conformance(pageSize: Int = 10_000) -> DataSourceConformance<Source> {
    DataSourceConformance(
      makeSource: {
        let made = try Made()
        for number in 0..<7 { made.folder.write("\(number).txt", "\(number)") }
        let source = try made.source(made.temporary.store, pageSize)
        made.source = source
        self.made.append(made)
        return source
      },
      change: { source, numbers in try Self.change(self.made(source).folder, &numbers) },
      content: { "\($0.path) \($0.text)" }, settle: { try await $0.refresh() }, seed: testSeed(), rounds: 10)
  }

  private nonisolated static func change(_ folder: TestFolder, _ numbers: inout some RandomNumberGenerator) {
    let name = "\(Int.random(in: 0..<9, using: &numbers)).txt"
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      folder.remove(name)
    } else {
      folder.write(name, "\(numbers.next())")
    }
  }

  func testTheSourceConforms() async throws { try await conformance().run() }

  func testTheSourceRefreshesAndLoadsPagesAsPromised() async throws {
    try await conformance().runRefreshing(
      changingBehind: { source, numbers in try Self.change(self.made(source).folder, &numbers) },
      failing: { try self.made($0).fail($1) })
    try await conformance(pageSize: 3).runPaging(failing: { try self.made($0).fail($1) })
    try await conformance(pageSize: 3).runPrefetching(failing: { try self.made($0).fail($1) })
  }

  func testAScreenWithTheSourceComesBackWithItsRowWithoutTheFolder() async throws {
    let next: @MainActor (Source) async throws -> Source = { source in
      let made = try self.made(source)
      let next = try made.source(try await made.temporary.relaunch(), 10_000)
      XCTAssertTrue(next.loadState.isLoaded, "what is kept is there at once")
      return next
    }
    try await conformance().runRelaunching(next)
    try await conformance().runRestoring { source in
      let made = try self.made(source)
      if access(made.folder.path, F_OK) == 0 { made.fail(true) }
      return try await next(source)
    }
  }
}
