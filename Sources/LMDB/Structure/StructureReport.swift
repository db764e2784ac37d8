/// The state of all pages of a data file, found without mapping it.
package struct StructureReport: Sendable {
  /// As the file counts them, free ones included.
  package var pages = 0
  package var freePages = 0
  package var pageSize = 0
  package var tables: [(name: String, head: TreeHead)] = []
  /// At most 100.
  package var problems: [StructureProblem] = []

  static let problemLimit = 100
  package var isSound: Bool { problems.isEmpty }
}
