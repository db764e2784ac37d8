/// What changed between two moments of a list, row by row: batch updates as `UICollectionView` takes them, and as
/// `NSFetchedResultsController` reports them.
///
/// Places of what goes are those before the change, places of what comes those after it. All other rows keep their
/// order, and their sections are those of the same name. To apply the changes, take away the deleted rows and those
/// that move, then the deleted sections and those that move; put in the inserted sections and those that moved, then
/// the inserted rows and those that moved, each in ascending order. ``ListBatch/apply(to:row:)`` does so to arrays.
///
/// As with `NSFetchedResultsController`, the rows of a deleted section are among ``deletedRows`` (or move out of it),
/// and those of an inserted section are among ``insertedRows`` (or move into it). `UICollectionView` takes no moves out
/// of deleted or into inserted sections: give it a deletion and an insertion instead.
public struct ListChanges: Hashable, Sendable {
  /// A row that stands elsewhere than the rows around it would have it, or in another section.
  public struct Move: Hashable, Sendable {
    /// Its place before the change.
    public let from: RowPath
    /// Its place after it.
    public let to: RowPath

    /// A move.
    public init(from: RowPath, to: RowPath) {
      self.from = from
      self.to = to
    }
  }

  /// A section that stands elsewhere than the sections around it would have it. Its rows go with it.
  public struct SectionMove: Hashable, Sendable {
    /// Its index before the change.
    public let from: Int
    /// Its index after it.
    public let to: Int

    /// A move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// A row whose object changed. It may have moved as well.
  public struct Update: Hashable, Sendable {
    /// Its place before the change.
    public let before: RowPath
    /// Its place after it.
    public let after: RowPath
    /// The names of the properties that changed, in the order of the model. A relationship through which the list
    /// filters or sorts (`$0.owner.name`), or that it declares its rows to show, is among them if what the list reads
    /// there may have changed. Empty where the source does not know them.
    public let properties: [String]

    /// An update.
    public init(before: RowPath, after: RowPath, properties: [String]) {
      self.before = before
      self.after = after
      self.properties = properties
    }
  }

  /// The sections that are gone, by their indices before the change, ascending.
  public let deletedSections: [Int]
  /// The sections that are new, by their indices after the change, ascending.
  public let insertedSections: [Int]
  /// The sections that moved, by ascending indices after the change; the fewest possible. Only sections that stand in
  /// the order of their first rows move.
  public let movedSections: [SectionMove]
  /// The rows that are gone, by their places before the change, ascending.
  public let deletedRows: [RowPath]
  /// The rows that are new, by their places after the change, ascending.
  public let insertedRows: [RowPath]
  /// The rows that moved, by ascending places after the change; the fewest possible, as long as rows that did not
  /// change do not move.
  public let movedRows: [Move]
  /// The rows, those that moved included, whose objects changed, by ascending places after the change.
  public let updatedRows: [Update]

  /// Changes; each array must be in the order that its property describes.
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

  /// Whether nothing changed. Of batches that a source delivers, no change is empty.
  public var isEmpty: Bool { !changesRows && updatedRows.isEmpty }

  /// Whether other rows are shown, or the same in other places. If not, rows were only updated.
  public var changesRows: Bool {
    !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty && deletedRows.isEmpty
      && insertedRows.isEmpty && movedRows.isEmpty)
  }

  /// Beyond so many rows a batch that names them all helps nobody, and is a reset.
  static let rowLimit = 10_000

  /// How many rows it names; those that are named twice count twice.
  var rowCount: Int { deletedRows.count + insertedRows.count + movedRows.count + updatedRows.count }
}

extension ListChanges: CustomStringConvertible {
  /// What changed, as in `deleted 0.3; moved 0.1 to 1.0; updated 0.1 to 1.0 (name)`.
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
