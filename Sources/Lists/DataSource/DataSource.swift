import RepriseObjectModel

/// A source of rows in sections for a screen, with identifiers that survive a relaunch and notifications of changes.
///
/// The protocol requires neither `Sendable` nor an actor: a source belongs to the isolation that made it. A class of
/// the main actor conforms with `: @MainActor DataSource`.
///
/// A conforming type guarantees that its answers change only with a batch. Every observer receives every batch, and
/// each batch begins where the last one ended. An identifier means the same row in every run of the program. To check
/// your own source, use `DataSourceConformance` in `RepriseTesting`.
///
/// Optional abilities have protocols of their own: ``RefreshableSource``, ``PagedSource`` and ``PrefetchingSource``.
public protocol DataSource<Element>: AnyObject {
  /// The content of a row.
  associatedtype Element

  /// Whether the rows are there.
  ///
  /// A source that is ``LoadState/loading`` delivers a batch when this state changes.
  var loadState: LoadState { get }

  /// The number of sections.
  ///
  /// In a list without sections, it is 1. This is the default.
  var sectionCount: Int { get }

  /// Returns a section's name, or `nil` in a list without sections. The default is `nil`.
  func sectionName(_ section: Int) -> String?

  /// Returns the number of rows in a section.
  func rowCount(inSection section: Int) -> Int

  /// Returns the element at a path.
  ///
  /// Traps if the row does not exist, as an array does.
  func element(at path: RowPath) -> Element

  /// Returns the archive identifier of a row's object, or `nil` if it has none or if the row does not exist.
  func modelIdentifier(at path: RowPath) -> ModelIdentifier?

  /// Returns the current row of an archived identifier.
  ///
  /// While the source is not loaded, an identifier without a row is ``RowLookup/notLoaded``, never
  /// ``RowLookup/deleted``.
  func row(for identifier: ModelIdentifier) -> RowLookup

  /// The rows of all sections as a collection, valid at least until the next batch.
  ///
  /// The default implementation calls ``element(at:)``.
  var rows: ListRows<Element> { get }

  /// Calls `body` after each change, in the source's isolation, until the observation ends.
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation
}

extension DataSource {
  /// 1, for a source without sections.
  public var sectionCount: Int { 1 }

  /// Returns `nil`, for a source without sections.
  public func sectionName(_ section: Int) -> String? { nil }

  /// The number of rows in all sections.
  ///
  /// - Complexity: O(sections)
  public var count: Int { (0..<sectionCount).reduce(0) { $0 + rowCount(inSection: $1) } }

  /// The sections and their row counts, as a value.
  ///
  /// - Complexity: O(sections)
  public var snapshot: ListSnapshot {
    ListSnapshot(
      (0..<sectionCount).map { ListSnapshot.Section(name: sectionName($0), rowCount: rowCount(inSection: $0)) })
  }

  /// The rows of all sections, read by ``element(at:)``.
  ///
  /// - Complexity: O(sections)
  public var rows: ListRows<Element> { ListRows(SourceReader(self)) }

  /// The sections, as collections of their rows.
  ///
  /// - Complexity: O(sections)
  public var sections: ListSections<Element> { ListSections(rows, snapshot) }

  /// The batches from now on, as an asynchronous sequence.
  public var batches: ListBatches { ListBatches(self) }

  /// Waits until the rows are there, or until they cannot be read.
  ///
  /// - Throws: The error of ``LoadState/failed(_:)``. `CancellationError` if the task is cancelled.
  public func ready(isolation: isolated (any Actor)? = #isolation) async throws {
    guard case .loading = loadState else { return try requireReady() }
    for await _ in batches {
      if case .loading = loadState { continue }
      return try requireReady()
    }
    throw CancellationError()
  }

  private func requireReady() throws {
    if case .failed(let error) = loadState { throw error }
  }
}
