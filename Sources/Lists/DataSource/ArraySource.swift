import RepriseObjectModel

/// A data source over an array, the simplest one.
///
/// When you replace the array, the source compares the rows before and after by their identifiers. Its batch contains
/// the deletions, insertions, moves and updates. A row that stays is updated if its elements are not equal. Elements
/// that are not `Equatable` always count as updated. Rows without an identifier are deleted and inserted again.
///
/// The batch is a reset if two sections have the same name, or if more than 10,000 rows change. It is also a reset if
/// no new row has the identifier of an old one. If nothing changes, there is no batch.
///
/// Counts, elements and identifiers cost O(1). The first look-up of an identifier after a change costs O(n), and every
/// further one O(1). A change costs O(n log n) while there are observers, and otherwise O(sections).
public final class ArraySource<Element>: DataSource {
  /// A section and its elements.
  public struct Section {
    /// The section's name, or `nil` in a list without sections.
    public var name: String?
    /// The section's rows.
    public var elements: [Element]

    /// Makes a section of these elements.
    public init(name: String?, elements: [Element]) {
      self.name = name
      self.elements = elements
    }
  }

  /// The current rows.
  public private(set) var sections: [Section]
  private let identify: (Element) -> ModelIdentifier?
  private let areEqual: (Element, Element) -> Bool
  private let observers = ListObservers()
  private var paths: [ModelIdentifier: RowPath]?
  private var waiting: [(sections: [Section], isReset: Bool)] = []
  private var isDelivering = false

  /// Makes a source over an array, without sections.
  ///
  /// - Parameter identify: Returns the identifier of an element, or `nil` for none. Identifiers must be unique, and the
  ///   same in every run of the program.
  public convenience init(
    _ elements: [Element] = [], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: [Section(name: nil, elements: elements)], identifiedBy: identify)
  }

  /// Makes a source over several arrays, one for each section.
  ///
  /// - Parameter identify: As for an array without sections.
  public convenience init(
    sections: [Section], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: sections, identifiedBy: identify, comparedBy: { _, _ in false })
  }

  /// Makes a source over several arrays, one for each section, with a comparison of elements.
  ///
  /// - Parameters:
  ///   - identify: As for an array without sections.
  ///   - areEqual: Returns whether two elements with the same identifier look the same in a row.
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
  /// If an observer calls it, the change takes effect after all observers have received the current batch.
  public func setElements(_ elements: [Element]) { setSections([Section(name: nil, elements: elements)]) }

  /// Replaces the rows, in sections, as ``setElements(_:)`` does.
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

  /// The key for finding a row again.
  private enum RowKey: Hashable {
    case identifier(ModelIdentifier, occurrence: Int)
    /// A row without an identifier, which cannot be found again.
    case none(RowPath, isLater: Bool)
  }

  /// The changes since an earlier state. `nil` for a reset.
  private func changes(since before: (snapshot: ListSnapshot, sections: [Section])) -> ListChanges? {
    let now = snapshot
    let difference = KeyComparison(
      from: KeyComparison<RowKey>.Side(snapshot: before.snapshot, keys: keys(of: before.sections, areLater: false)),
      to: KeyComparison<RowKey>.Side(snapshot: now, keys: keys(of: sections, areLater: true)))
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

  /// Whether the rows are there, initially ``LoadState/loaded``.
  ///
  /// Set it if the rows arrive later, or cannot be read. Each change sends a reset to the observers.
  public var loadState = LoadState.loaded {
    didSet { if !oldValue.isLoaded || !loadState.isLoaded { show(waiting.last?.sections ?? sections, isReset: true) } }
  }

  /// The number of sections.
  ///
  /// - Complexity: O(1)
  public var sectionCount: Int { sections.count }

  /// Returns a section's name, or `nil` in a list without sections or if the section does not exist.
  ///
  /// - Complexity: O(1)
  public func sectionName(_ section: Int) -> String? {
    sections.indices.contains(section) ? sections[section].name : nil
  }

  /// Returns the number of rows in a section, or 0 if the section does not exist.
  ///
  /// - Complexity: O(1)
  public func rowCount(inSection section: Int) -> Int {
    sections.indices.contains(section) ? sections[section].elements.count : 0
  }

  /// Returns the element at a path.
  ///
  /// Traps if the row does not exist.
  ///
  /// - Complexity: O(1)
  public func element(at path: RowPath) -> Element {
    guard let element = existing(path) else {
      preconditionFailure(
        "There is no \(path.inWords): the row count of the source is \(count). A path is valid only until the next "
          + "batch of changes.")
    }
    return element
  }

  /// Returns the identifier of the element at a path, or `nil` if the row does not exist or it has none.
  ///
  /// - Complexity: O(1)
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? { existing(path).flatMap(identify) }

  /// Returns the row with this identifier, the first one if several have it.
  ///
  /// An unknown identifier is ``RowLookup/deleted`` if the source is loaded, and ``RowLookup/notLoaded`` otherwise.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let known = paths ?? pathsByIdentifier()
    paths = known
    return known[identifier].map { .row($0) } ?? (loadState.isLoaded ? .deleted : .notLoaded)
  }

  /// The rows of all sections at this moment, unaffected by later changes.
  ///
  /// - Complexity: O(sections)
  public var rows: ListRows<Element> { ListRows(ArrayReader(snapshot, sections.map(\.elements))) }

  /// Calls `body` after each change until the observation ends.
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
  /// Makes a source over an array, without sections.
  ///
  /// Rows with equal elements are not updated.
  ///
  /// - Parameter identify: Returns the identifier of an element, or `nil` for none. Identifiers must be unique, and the
  ///   same in every run of the program.
  public convenience init(
    _ elements: [Element] = [], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }
  ) {
    self.init(sections: [Section(name: nil, elements: elements)], identifiedBy: identify)
  }

  /// Makes a source over several arrays, one for each section.
  ///
  /// Rows with equal elements are not updated.
  ///
  /// - Parameter identify: As for an array without sections.
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
