/// The position of a row: the index of its section and its index in that section, both from 0.
///
/// A path is valid until the next batch. To find a row again later, keep its ``ModelIdentifier``.
public struct RowPath: Hashable, Sendable, Codable {
  /// The index of the section, from 0.
  public let section: Int
  /// The index of the row in its section, from 0.
  public let item: Int

  /// Makes a path.
  ///
  /// In a list without sections, omit the section.
  public init(section: Int = 0, item: Int) {
    self.section = section
    self.item = item
  }
}

extension RowPath: Comparable {
  /// Orders paths as the rows of the list are ordered.
  public static func < (lhs: RowPath, rhs: RowPath) -> Bool {
    lhs.section != rhs.section ? lhs.section < rhs.section : lhs.item < rhs.item
  }
}

extension RowPath: CustomStringConvertible {
  /// The section and the row, for example `2.17`.
  public var description: String { "\(section).\(item)" }

  /// The row as a message names it, for example "row 17 of section 2".
  package var inWords: String { "row \(item) of section \(section)" }
}
