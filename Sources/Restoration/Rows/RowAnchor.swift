import RepriseLists
import RepriseObjectModel

/// A row to come back to after a relaunch: the first one on the screen, or the selected one.
///
/// It goes by the row's object, not by its index, which means nothing once rows have come, gone or moved. In case that
/// object is gone, it remembers the objects next to it and the index too. Keep it in a node's state.
public struct RowAnchor: Hashable, Sendable, Codable {
  /// What names the row's object; `nil` in a list whose rows have no identifiers.
  public let identifier: ModelIdentifier?
  private let next: ModelIdentifier?
  private let previous: ModelIdentifier?
  /// Where the row was.
  public let path: RowPath

  /// An anchor at the row that is at a path now.
  public init(_ path: RowPath, in source: some DataSource) {
    self.path = path
    identifier = source.modelIdentifier(at: path)
    // Wraps around: a path from an archive may have the largest index that there is.
    next = source.modelIdentifier(at: RowPath(section: path.section, item: path.item &+ 1))
    previous = path.item > 0 ? source.modelIdentifier(at: RowPath(section: path.section, item: path.item - 1)) : nil
  }

  /// An anchor at a row of a list that never changes, by its index alone.
  public init(index path: RowPath) {
    self.path = path
    identifier = nil
    next = nil
    previous = nil
  }

  /// Where an anchor leads.
  public enum Place: Hashable, Sendable {
    /// To the row itself.
    case row(RowPath)
    /// To the row that was next to it, or else to the one at its index now; with the reason why not to the row itself.
    case near(RowPath, RowLookup)
    /// To no row: the list is empty.
    case nowhere(RowLookup)
    /// The list cannot tell yet.
    case notLoaded

    /// The row to show, if there is one.
    public var path: RowPath? {
      switch self {
      case .row(let path), .near(let path, _): path
      case .nowhere, .notLoaded: nil
      }
    }
  }

  /// Where the row is now. Costs three look-ups in the list at most.
  public func place(in source: some DataSource) -> Place {
    guard let identifier else {
      guard source.readiness.isReady else { return .notLoaded }
      let there = clamped(in: source)
      return there == path ? .row(path) : there.map { .near($0, .deleted) } ?? .nowhere(.deleted)
    }
    let found = source.row(for: identifier)
    switch found {
    case .row(let path): return .row(path)
    case .notLoaded: return .notLoaded
    // A source that is not ready does not know what it will have.
    case .deleted where !source.readiness.isReady: return .notLoaded
    case .deleted, .filteredOut, .foreignStore: break
    }
    // The row below has moved up into the place of the one that is gone.
    let neighbour = next.flatMap { source.row(for: $0).path } ?? previous.flatMap { source.row(for: $0).path }
    return (neighbour ?? clamped(in: source)).map { .near($0, found) } ?? .nowhere(found)
  }

  /// Calls `body` with the row's place: now, or with the first batch that lets the list tell.
  ///
  /// - Returns: What keeps waiting; `nil` if `body` was called. Let it go to give up.
  public func whenPlaced(
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
    // What was read from an archive may be anything.
    let section = max(0, min(path.section, sections - 1))
    let rows = source.rowCount(inSection: section)
    guard rows > 0 else { return nil }
    if path.section > section { return RowPath(section: section, item: rows - 1) }
    return RowPath(section: section, item: path.section < 0 ? 0 : max(0, min(path.item, rows - 1)))
  }
}
