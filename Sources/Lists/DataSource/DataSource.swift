import RepriseObjectModel

/// Feeds a screen: rows in sections, identifiers that survive a relaunch, and notifications of changes.
///
/// It inherits neither `Sendable` nor an actor: a source belongs to the isolation that it was made in. A class of the
/// main actor conforms with `: @MainActor DataSource`.
///
/// Conforming types guarantee that the answers do not change between two batches, that every observer receives every
/// batch, and that each batch begins where the one before it ended. An identifier means the same row in every run of
/// the program. `DataSourceConformance` in `RepriseTesting` checks a source of your own.
///
/// What only some sources can do is in protocols of its own: ``RefreshableSource``, ``PagedSource`` and
/// ``PrefetchingSource``.
public protocol DataSource<Element>: AnyObject {
  /// What a row shows.
  associatedtype Element

  /// Whether the rows are there. A source that is ``Readiness/pending`` delivers a batch when it no longer is.
  var readiness: Readiness { get }

  /// How many sections there are. A list without sections has one.
  var sectionCount: Int { get }

  /// What a section is called; `nil` in a list without sections.
  func sectionName(_ section: Int) -> String?

  /// How many rows a section has.
  func rowCount(inSection section: Int) -> Int

  /// The element of the row at a place. Traps if there is no such row, as an array does.
  func element(at path: RowPath) -> Element

  /// The identifier of the row's object in an archive; `nil` if it has none, or if there is no such row.
  func modelIdentifier(at path: RowPath) -> ModelIdentifier?

  /// Where the row of an archived identifier is now. While the source is not ready, a row that it does not have is
  /// ``RowLookup/notLoaded``, and never ``RowLookup/deleted``.
  func row(for identifier: ModelIdentifier) -> RowLookup

  /// The rows of all sections as a collection, which is good until the next batch at least.
  ///
  /// The default asks ``element(at:)``.
  var rows: ListRows<Element> { get }

  /// Calls `body` after each change, in the source's isolation, as long as the observation lives.
  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation
}

extension DataSource {
  /// How many rows there are in all sections. O(sections).
  public var count: Int { (0..<sectionCount).reduce(0) { $0 + rowCount(inSection: $1) } }

  /// The sections and their numbers of rows, as a value. O(sections).
  public var snapshot: ListSnapshot {
    ListSnapshot(
      (0..<sectionCount).map { ListSnapshot.Section(name: sectionName($0), rowCount: rowCount(inSection: $0)) })
  }

  /// The rows of all sections, read through ``element(at:)``.
  public var rows: ListRows<Element> { ListRows(SourceReader(self)) }

  /// The sections as collections of their rows. O(sections).
  public var sections: ListSections<Element> { ListSections(rows, snapshot) }

  /// The batches from now on: ``ListBatches``.
  public var batches: ListBatches { ListBatches(self) }

  /// Waits until the rows are there, or cannot be read.
  ///
  /// - Throws: The error of ``Readiness/failed(_:)``; `CancellationError` if the task is cancelled before.
  public func ready(isolation: isolated (any Actor)? = #isolation) async throws {
    guard case .pending = readiness else { return try requireReady() }
    for await _ in batches {
      if case .pending = readiness { continue }
      return try requireReady()
    }
    throw CancellationError()
  }

  private func requireReady() throws {
    if case .failed(let error) = readiness { throw error }
  }
}
