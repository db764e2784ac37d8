import RepriseLocks

/// The name of an entity, interned for the life of the process so that an object ID is small and compares as numbers.
///
/// The index has a meaning inside this process only; what is stored is the name, or the number that the log gave it.
@frozen
@usableFromInline
package struct EntityName: Hashable, Sendable {
  @usableFromInline package let index: UInt32

  package init(_ name: String) {
    index = Self.table.withLock { table in
      if let index = table.indexes[name] { return index }
      let index = UInt32(table.names.count)
      table.names.append(name)
      table.indexes[name] = index
      return index
    }
  }

  package var string: String { Self.table.withLock { $0.names[Int(index)] } }

  private struct Table {
    var names: [String] = []
    var indexes: [String: UInt32] = [:]
  }

  private static let table = Guarded(Table())
}
