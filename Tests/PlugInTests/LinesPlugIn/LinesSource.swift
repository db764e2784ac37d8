import Foundation
import RepriseCore

/// A data source as a stranger writes it, with the public interface alone: the lines of a text file, told apart by
/// their first words, a few at a time. It holds those that were read, and no others.
@MainActor
public final class LinesSource: @MainActor RefreshableSource, @MainActor PagedSource,
  @MainActor PrefetchingSource
{
  private let path: String
  private let pageSize: Int
  private let shown = ArraySource<String>(identifiedBy: {
    ModelIdentifier(prefix: "lines:", key: String($0.prefix { $0 != " " }))
  })
  private let refreshing = SingleFlight()
  private let loading = SingleFlight()
  public private(set) var canLoadMore = true

  public init(_ path: String, pageSize: Int = 20) {
    (self.path, self.pageSize) = (path, pageSize)
    shown.loadState = .loading
  }

  @MainActor public func refresh() async throws {
    try await refreshing.run { try await self.read(self.shown.count) }
  }

  @MainActor public func loadMore() async throws {
    try await loading.run {
      if self.canLoadMore { try await self.read(self.shown.count + self.pageSize) }
    }
  }

  @MainActor public func prefetch(_ rows: [RowPath]) async {
    if rows.contains(where: { $0.item >= shown.count - pageSize / 2 }) { try? await loadMore() }
  }

  private func read(_ count: Int) async throws {
    do {
      let count = max(count, pageSize)
      let lines = try await lines(count + 1)
      try Task.checkCancellation()
      canLoadMore = lines.count > count
      shown.setElements(Array(lines.prefix(count)))
      shown.loadState = .loaded
    } catch {
      if !(error is CancellationError), !shown.loadState.isLoaded { shown.loadState = .failed(error) }
      throw error
    }
  }

  /// Off the main actor, as a file may be slow.
  @concurrent private nonisolated func lines(_ limit: Int) async throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").prefix(limit).map(String.init)
  }

  public var loadState: LoadState { shown.loadState }
  public func rowCount(inSection section: Int) -> Int { shown.rowCount(inSection: section) }
  public func element(at path: RowPath) -> String { shown.element(at: path) }
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? { shown.modelIdentifier(at: path) }
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let found = shown.row(for: identifier)
    return found == .deleted && canLoadMore ? .notLoaded : found
  }
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { shown.observe(body) }
}
