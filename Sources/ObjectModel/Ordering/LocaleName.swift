import RepriseSystem

/// The identifier of a locale, interned for the life of the process so that collations compare as numbers.
package struct LocaleName: Hashable, Sendable {
  private let index: UInt32

  /// No locale.
  package static let none = LocaleName(index: 0)

  /// An empty identifier is ``none``.
  package init(_ identifier: String) {
    self.init(index: identifier.isEmpty ? 0 : Self.names.withLock { UInt32($0.add(identifier)) } + 1)
  }

  private init(index: UInt32) { self.index = index }

  package var string: String { index == 0 ? "" : Self.names.withLock { $0[Int(index) - 1] } }

  private static let names = Guarded(NameList())
}
