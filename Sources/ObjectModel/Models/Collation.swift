/// The order in which an index has the texts of a column, and which of them it takes for the same.
public struct Collation: Hashable, Sendable, Codable {
  /// What stands for it in a store. Empty for ``binary``.
  package let name: String

  /// By the Unicode scalars of the composed form: what texts are sorted by unless a fetch says otherwise.
  public static let binary = Collation(named: "")

  private init(named name: String) { self.name = name }

  /// `nil` for a collation that this version does not know.
  package init?(name: String) {
    guard name.isEmpty else { return nil }
    self.init(named: name)
  }
}
