import RepriseLists
import RepriseObjectModel

/// A row to return to after a relaunch, such as the first visible row or the selected one.
///
/// An anchor stores the identity of the row's object, because an index changes when rows are inserted, deleted or
/// moved. It also stores the two neighbouring objects and the index, in case the object is gone. Keep an anchor in a
/// node's state.
public struct RowAnchor: Hashable, Sendable, Codable {
  /// The identifier of the row's object, or `nil` in a list whose rows have no identifiers.
  public let identifier: ModelIdentifier?
  private let next: ModelIdentifier?
  private let previous: ModelIdentifier?
  /// The position of the row when the anchor was made.
  public let path: RowPath

  /// Makes an anchor at the row that is now at a path.
  ///
  /// Costs up to three identifier look-ups.
  public init(_ path: RowPath, in source: some DataSource) {
    self.path = path
    identifier = source.modelIdentifier(at: path)
    // Wraps around: a path from an archive may have the largest index that there is.
    next = source.modelIdentifier(at: RowPath(section: path.section, item: path.item &+ 1))
    previous = path.item > 0 ? source.modelIdentifier(at: RowPath(section: path.section, item: path.item - 1)) : nil
  }

  /// Makes an anchor by index alone, for a list that never changes.
  public init(index path: RowPath) {
    self.path = path
    identifier = nil
    next = nil
    previous = nil
  }

  /// The present position of an anchor.
  public enum Place: Equatable, Sendable {
    /// The row itself, at this position.
    case row(RowPath)
    /// A row near the anchor, and the reason why the row itself cannot be shown.
    ///
    /// The row is the next neighbour, else the previous one, else the row now at the anchor's index.
    case near(RowPath, RowLookup)
    /// No row, because the list is empty.
    case nowhere(RowLookup)
    /// Not known yet, because the list has not loaded its rows.
    case notLoaded

    /// The row to show, or `nil` if there is none.
    public var path: RowPath? {
      switch self {
      case .row(let path), .near(let path, _): path
      case .nowhere, .notLoaded: nil
      }
    }
  }

  /// Returns the present position of the row.
  ///
  /// Costs up to three look-ups in the list.
  public func place(in source: some DataSource) -> Place {
    guard let identifier else {
      guard source.loadState.isLoaded else { return .notLoaded }
      let there = clamped(in: source)
      return there == path ? .row(path) : there.map { .near($0, .deleted) } ?? .nowhere(.deleted)
    }
    let found = source.row(for: identifier)
    switch found {
    case .row(let path): return .row(path)
    case .notLoaded: return .notLoaded
    // An unloaded source cannot know that a row was deleted.
    case .deleted where !source.loadState.isLoaded: return .notLoaded
    case .deleted, .filteredOut, .foreignStore: break
    }
    // The row below has moved up into the place of the one that is gone.
    let neighbour = next.flatMap { source.row(for: $0).path } ?? previous.flatMap { source.row(for: $0).path }
    return (neighbour ?? clamped(in: source)).map { .near($0, found) } ?? .nowhere(found)
  }

  /// Calls `body` with the position of the row, now or with the first batch after which it is known.
  ///
  /// - Returns: An observation that waits for that batch, or `nil` if `body` was already called. Release it to stop
  ///   waiting.
  public func whenLoaded(
    in source: some DataSource, _ body: @escaping (Place) -> Void
  ) -> ListObservation? {
    let place = place(in: source)
    if place != .notLoaded {
      body(place)
      return nil
    }
    var isDone = false
    return source.observe { [weak source] _ in
      guard !isDone, let source else { return }
      let place = self.place(in: source)
      if place == .notLoaded { return }
      isDone = true
      body(place)
    }
  }

  private func clamped(in source: some DataSource) -> RowPath? {
    let sections = source.sectionCount
    guard sections > 0 else { return nil }
    // An archive may contain any number.
    let section = max(0, min(path.section, sections - 1))
    let rows = source.rowCount(inSection: section)
    guard rows > 0 else { return nil }
    if path.section > section { return RowPath(section: section, item: rows - 1) }
    return RowPath(section: section, item: path.section < 0 ? 0 : max(0, min(path.item, rows - 1)))
  }
}
