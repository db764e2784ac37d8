import RepriseObjectModel

/// The rows of an array: the simplest data source.
///
/// When the array is replaced, it compares the rows before and after by their identifiers, and its batch says which
/// came, went, moved or changed; elements that are `Equatable` have changed if they are not equal, and all others count
/// as changed. Rows without an identifier, and sections of the same name, cannot be told apart: if no row can be found
/// again, or more than 10,000 rows changed, the batch is a reset. Where nothing changed there is no batch.
///
/// Counts, elements and identifiers cost O(1); the first look-up of an identifier after a change costs O(rows), every
/// other O(1); a change costs O(n log n), and nothing while nobody observes.
public final class ArraySource<Element>: DataSource {
  /// A section and its elements.
  public struct Section {
    /// What it is called; `nil` in a list without sections.
    public var name: String?
    /// Its rows.
    public var elements: [Element]

    /// A section of these elements.
    public init(name: String?, elements: [Element]) {
      self.name = name
      self.elements = elements
    }
  }

  /// The rows as they are now.
  public private(set) var sections: [Section]
  private let identify: (Element) -> ModelIdentifier?
  private let areEqual: (Element, Element) -> Bool
  private let observers = ListObservers()
  private var paths: [ModelIdentifier: RowPath]?
  private var waiting: [(sections: [Section], isReset: Bool)] = []
  private var isDelivering = false

  /// The rows of an array, without sections.
  ///
  /// - Parameter identifiedBy: The name of an element in an archive, `nil` for none. Stable across runs of the program,
  ///   and unique.
  public convenience init(
    _ elements: [Element] = [], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: [Section(name: nil, elements: elements)], identifiedBy: identify)
  }

  /// The rows of several arrays, each a section.
  ///
  /// - Parameter identifiedBy: As for an array without sections.
  public convenience init(
    sections: [Section], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: sections, identifiedBy: identify, comparedBy: { _, _ in false })
  }

  /// The rows of several arrays, each a section, of elements that can be compared.
  ///
  /// - Parameters:
  ///   - identifiedBy: As for an array without sections.
  ///   - comparedBy: Whether a row shows the same for both elements, which have the same identifier.
  public init(
    sections: [Section], identifiedBy identify: @escaping (Element) -> ModelIdentifier?,
    comparedBy areEqual: @escaping (Element, Element) -> Bool
  ) {
    self.sections = sections
    self.identify = identify
    self.areEqual = areEqual
  }

  // MARK: Changing

  /// Replaces the rows and notifies the observers.
  ///
  /// Called by an observer, it takes effect once all observers have received the change before.
  public func setElements(_ elements: [Element]) { setSections([Section(name: nil, elements: elements)]) }

  /// Replaces the rows, in sections; as ``setElements(_:)``.
  public func setSections(_ sections: [Section]) { show(sections, isReset: false) }

  private func show(_ sections: [Section], isReset: Bool) {
    waiting.append((sections, isReset))
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !waiting.isEmpty {
      let before = (snapshot: snapshot, sections: self.sections)
      let next = waiting.removeFirst()
      self.sections = next.sections
      paths = nil
      guard !observers.isEmpty else { continue }
      let changes = next.isReset ? nil : changes(since: before)
      if changes?.isEmpty == true { continue }
      observers.deliver(ListBatch(before: before.snapshot, after: snapshot, changes: changes))
    }
  }

  // MARK: Comparing

  /// What a row is found again by.
  private enum RowKey: Hashable {
    case identifier(ModelIdentifier, occurrence: Int)
    /// Of a row that cannot be found again.
    case none(RowPath, isLater: Bool)
  }

  /// `nil` for a reset.
  private func changes(since before: (snapshot: ListSnapshot, sections: [Section])) -> ListChanges? {
    let now = snapshot
    let difference = RowDifference(
      from: RowDifference<RowKey>.Side(snapshot: before.snapshot, keys: keys(of: before.sections, areLater: false)),
      to: RowDifference<RowKey>.Side(snapshot: now, keys: keys(of: sections, areLater: true)))
    guard let difference else { return nil }
    if difference.kept.isEmpty, before.snapshot.count > 0, now.count > 0 { return nil }
    var updated: [ListChanges.Update] = []
    for row in difference.kept {
      let old = before.sections[row.from.section].elements[row.from.item]
      let new = sections[row.to.section].elements[row.to.item]
      if !areEqual(old, new) { updated.append(ListChanges.Update(before: row.from, after: row.to, properties: [])) }
    }
    let changes = difference.changes(updated: updated)
    return changes.rowCount > ListChanges.rowLimit ? nil : changes
  }

  private func keys(of sections: [Section], areLater: Bool) -> [[RowKey]] {
    var occurrences: [ModelIdentifier: Int] = [:]
    return sections.enumerated().map { section, content in
      content.elements.enumerated().map { item, element in
        guard let identifier = identify(element) else {
          return .none(RowPath(section: section, item: item), isLater: areLater)
        }
        occurrences[identifier, default: 0] += 1
        return .identifier(identifier, occurrence: occurrences[identifier] ?? 0)
      }
    }
  }

  // MARK: Rows

  /// Initially ready. Set it where the rows come later, or cannot be read: the observers are notified by a batch, a
  /// reset of the rows that are there.
  public var readiness = Readiness.ready {
    didSet { if !oldValue.isReady || !readiness.isReady { show(waiting.last?.sections ?? sections, isReset: true) } }
  }

  /// How many sections there are. O(1).
  public var sectionCount: Int { sections.count }

  /// What a section is called; `nil` in a list without sections, and where there is no such section. O(1).
  public func sectionName(_ section: Int) -> String? {
    sections.indices.contains(section) ? sections[section].name : nil
  }

  /// How many rows a section has; none where there is no such section. O(1).
  public func rowCount(inSection section: Int) -> Int {
    sections.indices.contains(section) ? sections[section].elements.count : 0
  }

  /// The element at a place, which must exist. O(1).
  public func element(at path: RowPath) -> Element {
    guard let element = existing(path) else {
      preconditionFailure("There is no row \(path) among \(sections.count) sections with \(count) rows.")
    }
    return element
  }

  /// The identifier of the element at a place; `nil` if it has none, or if there is no such row. O(1).
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? { existing(path).flatMap(identify) }

  /// The row of the element with this identifier, the first if several have it. An unknown identifier counts as
  /// deleted once the source is ready, and as not loaded before.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let known = paths ?? pathsByIdentifier()
    paths = known
    return known[identifier].map { .row($0) } ?? (readiness.isReady ? .deleted : .notLoaded)
  }

  /// The rows of all sections as they are now; later changes do not affect the collection. O(sections).
  public var rows: ListRows<Element> { ListRows(ArrayReader(snapshot, sections.map(\.elements))) }

  /// Calls `body` after each change, as long as the observation lives.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  private func existing(_ path: RowPath) -> Element? {
    guard sections.indices.contains(path.section), sections[path.section].elements.indices.contains(path.item) else {
      return nil
    }
    return sections[path.section].elements[path.item]
  }

  private func pathsByIdentifier() -> [ModelIdentifier: RowPath] {
    var paths: [ModelIdentifier: RowPath] = [:]
    for (section, content) in sections.enumerated() {
      for (item, element) in content.elements.enumerated() {
        guard let identifier = identify(element), paths[identifier] == nil else { continue }
        paths[identifier] = RowPath(section: section, item: item)
      }
    }
    return paths
  }
}

extension ArraySource where Element: Equatable {
  /// The rows of an array, without sections. Rows of which the elements are equal have not changed.
  ///
  /// - Parameter identifiedBy: The name of an element in an archive, `nil` for none. Stable across runs of the program,
  ///   and unique.
  public convenience init(
    _ elements: [Element] = [], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: [Section(name: nil, elements: elements)], identifiedBy: identify)
  }

  /// The rows of several arrays, each a section. Rows of which the elements are equal have not changed.
  ///
  /// - Parameter identifiedBy: As for an array without sections.
  public convenience init(
    sections: [Section], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: sections, identifiedBy: identify, comparedBy: ==)
  }
}

/// Reads the rows of arrays.
private struct ArrayReader<Element>: RowReader {
  let snapshot: ListSnapshot
  let sections: [[Element]]

  init(_ snapshot: ListSnapshot, _ sections: [[Element]]) {
    self.snapshot = snapshot
    self.sections = sections
  }

  var count: Int { snapshot.count }

  func element(at index: Int) -> Element {
    let path = snapshot.existingPath(at: index)
    return sections[path.section][path.item]
  }
}
