/// The sections of a list and their row counts at one moment, as a value.
///
/// Its memory, and the time to make one, grow with the number of sections and not with the number of rows.
public struct ListSnapshot: Equatable, Sendable {
  /// One section of a list.
  public struct Section: Equatable, Sendable {
    /// The section's name, or `nil` in a list without sections.
    public let name: String?
    /// The number of rows in the section.
    public let rowCount: Int

    /// Makes a section.
    ///
    /// A negative row count becomes 0.
    public init(name: String?, rowCount: Int) {
      self.name = name
      self.rowCount = max(0, rowCount)
    }
  }

  /// The sections in order.
  ///
  /// A list without sections has one section without a name.
  public let sections: [Section]
  /// The number of rows before each section, then the number of all rows.
  private let starts: [Int]

  /// Makes a snapshot with these sections.
  ///
  /// - Complexity: O(sections)
  public init(_ sections: [Section]) {
    self.sections = sections
    var starts = [0]
    starts.reserveCapacity(sections.count + 1)
    var sum = 0
    for section in sections {
      sum += section.rowCount
      starts.append(sum)
    }
    self.starts = starts
  }

  /// Makes a snapshot of a list without sections.
  public init(rowCount: Int) { self.init([Section(name: nil, rowCount: rowCount)]) }

  /// The number of rows in all sections.
  ///
  /// - Complexity: O(1)
  public var count: Int { starts[starts.count - 1] }

  /// Returns whether there is a row at a path.
  ///
  /// - Complexity: O(1)
  public func contains(_ path: RowPath) -> Bool {
    sections.indices.contains(path.section) && path.item >= 0 && path.item < sections[path.section].rowCount
  }

  /// The indices of a section's rows across all sections. The section must exist. O(1).
  func rows(inSection section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

  /// Returns the index of a row across all sections, or `nil` if the row does not exist.
  ///
  /// - Complexity: O(1)
  public func index(of path: RowPath) -> Int? { contains(path) ? starts[path.section] + path.item : nil }

  /// Returns the path of the row with this index across all sections, or `nil` if the row does not exist.
  ///
  /// - Complexity: O(log sections)
  public func path(at index: Int) -> RowPath? {
    guard index >= 0, index < count else { return nil }
    var low = 0
    var high = sections.count - 1
    // The last section that begins at or before the index. An empty section begins at the same index as the next one.
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return RowPath(section: low, item: index - starts[low])
  }
}
