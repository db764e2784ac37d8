import RepriseObjectModel

/// Feeds a screen: rows in sections, identifiers that survive a relaunch, and notifications of changes.
///
/// It inherits neither `Sendable` nor an actor: a source belongs to the isolation that it was made in. A class of the
/// main actor conforms with `: @MainActor DataSource`.
///
/// Conforming types guarantee that the answers do not change between two batches, that every observer receives every
/// batch, and that each batch begins where the one before it ended.
public protocol DataSource<Element>: AnyObject {
  /// What a row shows.
  associatedtype Element

  /// Whether the rows are there. A source that was not ready delivers a batch when it becomes so.
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

  /// Where the row of an archived identifier is now.
  func row(for identifier: ModelIdentifier) -> RowLookup

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
}
