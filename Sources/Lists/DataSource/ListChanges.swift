/// The changes between two moments of a list, row by row.
///
/// They have the form of `UICollectionView`'s batch updates and of `NSFetchedResultsController`'s reports. Deleted rows
/// and sources of moves have paths from before the change. Inserted rows and destinations of moves have paths from
/// after it. All other rows keep their order, in sections of the same name.
///
/// To apply the changes, remove the deleted and moved rows, then the deleted and moved sections. Insert the new and
/// moved sections, then the new and moved rows, each in ascending order. ``ListBatch/apply(to:row:)`` does this for
/// arrays.
///
/// As with `NSFetchedResultsController`, ``deletedRows`` contains the rows of deleted sections, except rows that move
/// to another section. ``insertedRows`` contains the rows of inserted sections, except rows that come from another
/// section. `UICollectionView` does not accept moves out of deleted sections or into inserted ones. Give it a deletion
/// and an insertion instead.
public struct ListChanges: Equatable, Sendable {
  /// A row that changes its order among the other rows, or its section.
  public struct Move: Equatable, Sendable {
    /// The path before the change.
    public let from: RowPath
    /// The path after the change.
    public let to: RowPath

    /// Makes a move.
    public init(from: RowPath, to: RowPath) {
      self.from = from
      self.to = to
    }
  }

  /// A section that changes its order among the other sections, together with its rows.
  public struct SectionMove: Equatable, Sendable {
    /// The index before the change.
    public let from: Int
    /// The index after the change.
    public let to: Int

    /// Makes a move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// A row whose object changed.
  ///
  /// The row may also have moved.
  public struct Update: Equatable, Sendable {
    /// The path before the change.
    public let before: RowPath
    /// The path after the change.
    public let after: RowPath
    /// The names of the changed properties, in the order of the model, or empty if the source does not know them.
    ///
    /// They include a relationship if the list reads a value of the related objects, and that value may have changed. A
    /// list reads such values to filter or sort (`$0.owner.name`), or because it is declared with `showing`.
    public let properties: [String]

    /// Makes an update.
    public init(before: RowPath, after: RowPath, properties: [String]) {
      self.before = before
      self.after = after
      self.properties = properties
    }
  }

  /// The deleted sections, as ascending indices before the change.
  public let deletedSections: [Int]
  /// The inserted sections, as ascending indices after the change.
  public let insertedSections: [Int]
  /// The moved sections, by ascending index after the change, as few as possible.
  ///
  /// In a ``FetchedList``, sections move only if they are in the order of their first rows.
  public let movedSections: [SectionMove]
  /// The deleted rows, as ascending paths before the change.
  public let deletedRows: [RowPath]
  /// The inserted rows, as ascending paths after the change.
  public let insertedRows: [RowPath]
  /// The moved rows, by ascending path after the change.
  ///
  /// Only rows whose objects changed can move. Of these, as few as possible count as moved.
  public let movedRows: [Move]
  /// The rows whose objects changed, including moved rows, by ascending path after the change.
  public let updatedRows: [Update]

  /// Makes changes.
  ///
  /// Each array must be in the order that its property documents.
  public init(
    deletedSections: [Int] = [], insertedSections: [Int] = [], movedSections: [SectionMove] = [],
    deletedRows: [RowPath] = [], insertedRows: [RowPath] = [], movedRows: [Move] = [], updatedRows: [Update] = []
  ) {
    self.deletedSections = deletedSections
    self.insertedSections = insertedSections
    self.movedSections = movedSections
    self.deletedRows = deletedRows
    self.insertedRows = insertedRows
    self.movedRows = movedRows
    self.updatedRows = updatedRows
  }

  /// Whether nothing changed.
  ///
  /// In a batch that a source delivers, it is `false`.
  public var isEmpty: Bool { !changesRows && updatedRows.isEmpty }

  /// Whether rows or sections were inserted, deleted or moved.
  ///
  /// If it is `false`, rows were only updated.
  public var changesRows: Bool {
    !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty && deletedRows.isEmpty
      && insertedRows.isEmpty && movedRows.isEmpty)
  }

  /// The most rows that a batch names. A batch with more changed rows is a reset.
  static let rowLimit = 10_000

  /// The number of rows that the changes name. A row that is named twice counts twice.
  var rowCount: Int { deletedRows.count + insertedRows.count + movedRows.count + updatedRows.count }
}

extension ListChanges: CustomStringConvertible {
  /// The changes as text, for example `deleted 0.3; moved 0.1 to 1.0; updated 0.1 to 1.0 (name)`.
  public var description: String {
    func list(_ what: String, _ items: [String]) -> String? {
      items.isEmpty ? nil : what + " " + items.joined(separator: ", ")
    }
    let parts = [
      list("deleted sections", deletedSections.map(String.init)),
      list("inserted sections", insertedSections.map(String.init)),
      list("moved sections", movedSections.map { "\($0.from) to \($0.to)" }),
      list("deleted", deletedRows.map(\.description)), list("inserted", insertedRows.map(\.description)),
      list("moved", movedRows.map { "\($0.from) to \($0.to)" }),
      list("updated", updatedRows.map { "\($0.before) to \($0.after) (\($0.properties.joined(separator: ", ")))" }),
    ]
    return isEmpty ? "no changes" : parts.compactMap(\.self).joined(separator: "; ")
  }
}
