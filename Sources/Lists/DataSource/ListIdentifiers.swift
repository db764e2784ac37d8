import RepriseObjectModel

/// The identifiers of a list's rows by section, at one moment.
///
/// Use it to keep rows as a diffable data source does, or to compare distant moments. It is a value that contains all
/// identifiers, so making it costs O(n). A ``ListBatch`` reports changes without it.
public struct ListIdentifiers<ID: Hashable & Sendable>: Equatable, Sendable {
  /// A section and the identifiers of its rows.
  public struct Section: Equatable, Sendable {
    /// The section's name, or `nil` in a list without sections.
    public let name: String?
    /// The identifiers of the section's rows, in order.
    public let ids: [ID]

    /// Makes a section with these rows.
    public init(name: String?, ids: [ID]) {
      self.name = name
      self.ids = ids
    }
  }

  /// The sections, in order.
  public let sections: [Section]

  /// Makes a value from these sections.
  public init(_ sections: [Section]) { self.sections = sections }

  /// The identifiers of all rows, in order.
  public var all: [ID] { sections.flatMap(\.ids) }

  /// The sections and their row counts.
  public var snapshot: ListSnapshot {
    ListSnapshot(sections.map { ListSnapshot.Section(name: $0.name, rowCount: $0.ids.count) })
  }

  /// Returns the changes from an earlier moment to this one, with as few moves as possible.
  ///
  /// It contains no updates, because identifiers do not show whether the content of a row changed.
  ///
  /// - Returns: `nil` if two sections have the same name, or two rows the same identifier.
  /// - Complexity: O(n log n)
  public func difference(from earlier: ListIdentifiers) -> ListChanges? {
    KeyComparison(from: earlier.keyed(), to: keyed())?.changes(updated: [])
  }

  private func keyed() -> KeyComparison<ID>.Side { .init(snapshot: snapshot, keys: sections.map(\.ids)) }
}

/// Two lists compared by a key of each row.
struct KeyComparison<Key: Hashable> {
  struct Side {
    let snapshot: ListSnapshot
    /// The rows' keys by section.
    let keys: [[Key]]
  }

  private let sections: SectionComparison
  private let deleted: [RowPath]
  private let inserted: [RowPath]
  private let moved: [ListChanges.Move]
  /// The rows that both lists have, in the order of the later list.
  let kept: [ListChanges.Move]

  /// `nil` if sections or rows are not unique.
  init?(from old: Side, to new: Side) {
    guard let sections = SectionComparison(from: old.snapshot, to: new.snapshot) else { return nil }
    self.sections = sections
    var places: [Key: RowPath] = [:]
    places.reserveCapacity(old.snapshot.count)
    for (section, keys) in old.keys.enumerated() {
      for (item, key) in keys.enumerated() {
        guard places.updateValue(RowPath(section: section, item: item), forKey: key) == nil else { return nil }
      }
    }
    var inserted: [RowPath] = []
    var kept: [ListChanges.Move] = []
    var moved: [ListChanges.Move] = []
    var seen: Set<Key> = []
    for (section, keys) in new.keys.enumerated() {
      var here: [ListChanges.Move] = []
      for (item, key) in keys.enumerated() {
        let path = RowPath(section: section, item: item)
        if let place = places.removeValue(forKey: key) {
          kept.append(ListChanges.Move(from: place, to: path))
          if old.snapshot.sections[place.section].name == new.snapshot.sections[section].name {
            here.append(ListChanges.Move(from: place, to: path))
          } else {
            moved.append(ListChanges.Move(from: place, to: path))
          }
          seen.insert(key)
        } else {
          // A duplicate key.
          guard seen.insert(key).inserted else { return nil }
          inserted.append(path)
        }
      }
      let staying = Set(LongestIncreasing.indices(of: here.map(\.from.item)))
      for index in here.indices where !staying.contains(index) { moved.append(here[index]) }
    }
    deleted = places.values.sorted()
    self.inserted = inserted
    self.kept = kept
    self.moved = moved.sorted { $0.to < $1.to }
  }

  func changes(updated: [ListChanges.Update]) -> ListChanges {
    ListChanges(
      deletedSections: sections.deleted, insertedSections: sections.inserted, movedSections: sections.moved,
      deletedRows: deleted, insertedRows: inserted, movedRows: moved, updatedRows: updated)
  }
}
