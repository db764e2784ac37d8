import RepriseObjectModel

/// The rows of an array: the simplest data source.
///
/// It holds its elements, and does not compare them: each of its batches is a reset. Counts, elements and identifiers
/// cost O(1); the first look-up of an identifier after a change costs O(rows), every other O(1).
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
  private let observers = ListObservers()
  private var paths: [ModelIdentifier: RowPath]?
  private var waiting: [[Section]] = []
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
  public init(sections: [Section], identifiedBy identify: @escaping (Element) -> ModelIdentifier? = { _ in nil }) {
    self.sections = sections
    self.identify = identify
  }

  // MARK: Changing

  /// Replaces the rows and notifies the observers. O(1), plus what the observers do.
  ///
  /// Called by an observer, it takes effect once all observers have received the change before.
  public func setElements(_ elements: [Element]) { setSections([Section(name: nil, elements: elements)]) }

  /// Replaces the rows, in sections; as ``setElements(_:)``.
  public func setSections(_ sections: [Section]) {
    waiting.append(sections)
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !waiting.isEmpty {
      let before = snapshot
      self.sections = waiting.removeFirst()
      paths = nil
      observers.deliver(ListBatch(before: before, after: snapshot))
    }
  }

  // MARK: Rows

  /// Always ready.
  public var readiness: Readiness { .ready }

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
  /// deleted.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    let known = paths ?? pathsByIdentifier()
    paths = known
    return known[identifier].map { .row($0) } ?? .deleted
  }

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
