/// An index that is a separate property, with its columns by slot. A class: arrays of objects share their metadata,
/// which exists when a process starts.
package final class EntityIndex: Sendable {
  package let slot: Int
  /// The slots of the properties in its rows, in the order of the columns. A column with an unknown name is missing,
  /// but the schema refuses such an index.
  package let columns: [Int]
  package let kind: Kind
  /// Whether it has its rows of each position, too.
  package let keepsHistory: Bool

  package enum Kind: Hashable, Sendable {
    /// Rows with the values of the columns. The case has the collation of each column.
    case columns([Collation])
    case words
  }

  /// `nil` if the property in `slot` is no index.
  init?(_ slot: Int, of properties: [Property]) {
    guard case .index(let description) = properties[slot].role else { return nil }
    func find(_ name: String) -> Int? { properties.firstIndex { $0.name == name && !$0.isIndex } }
    self.slot = slot
    switch description {
    case .columns(let columns, _, let keepsHistory):
      kind = .columns(columns.map(\.collation))
      self.keepsHistory = keepsHistory
      self.columns = columns.compactMap { find($0.name) }
    case .words(let attribute):
      kind = .words
      keepsHistory = false
      columns = [attribute].compactMap(find)
    }
  }

  /// The values of the columns.
  package func values(_ values: ContiguousArray<PropertyValue>) -> [PropertyValue] { columns.map { values[$0] } }

  /// Whether two versions of an object differ in a column.
  package func differs(
    _ old: ContiguousArray<PropertyValue>, _ new: ContiguousArray<PropertyValue>
  ) -> Bool {
    columns.contains { !old[$0].isIdentical(to: new[$0]) }
  }
}
