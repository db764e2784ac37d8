import RepriseSystem

/// The name of an entity, interned for the life of the process so that an object ID is small and compares as numbers.
///
/// The index is valid in this process only. The store identifies the entity by the name or by the number that the log
/// gave it.
@frozen
@usableFromInline
package struct EntityName: Hashable, Sendable {
  @usableFromInline package let index: UInt32

  package init(_ name: String) {
    self.init(index: Self.table.withLock { UInt32($0.names.add(name)) })
  }

  private init(index: UInt32) { self.index = index }

  /// The name with this UTF-8. `nil` if it is not valid. Allocates no string for a known name.
  package init?(utf8: UnsafeRawBufferPointer) {
    if let index = Self.table.withLock({ $0.index(of: utf8) }) {
      self.init(index: index)
    } else {
      let name = String(decoding: utf8, as: UTF8.self)
      guard name.utf8.elementsEqual(utf8) else { return nil }
      self.init(name)
    }
  }

  package var string: String { Self.table.withLock { $0.names[Int(index)] } }

  private struct Table {
    var names = NameList()

    /// Searches only the first names, because for more names hashing is as fast.
    func index(of utf8: UnsafeRawBufferPointer) -> UInt32? {
      for index in 0..<min(names.count, 16) {
        var name = names[index]
        if name.withUTF8({ $0.elementsEqual(utf8) }) { return UInt32(index) }
      }
      return nil
    }
  }

  private static let table = Guarded(Table())
}
