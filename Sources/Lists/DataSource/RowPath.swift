/// The place of a row: which section, and which row in it, both from 0.
///
/// Valid until the next batch. To find a row again later, keep its ``ModelIdentifier``.
public struct RowPath: Hashable, Sendable, Codable {
  /// The section, counted from 0.
  public let section: Int
  /// The row within its section, counted from 0.
  public let item: Int

  /// The place of a row. Without a section it is the row of a list without sections.
  public init(section: Int = 0, item: Int) {
    self.section = section
    self.item = item
  }
}

extension RowPath: Comparable {
  /// The order of the rows in the list.
  public static func < (lhs: RowPath, rhs: RowPath) -> Bool {
    lhs.section != rhs.section ? lhs.section < rhs.section : lhs.item < rhs.item
  }
}

extension RowPath: CustomStringConvertible {
  /// Section and row, as in `2.17`.
  public var description: String { "\(section).\(item)" }
}
