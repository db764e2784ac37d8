import RepriseLMDB
import RepriseObjectModel

/// The tables of a store's environment. Docs/FileFormat.md, "Tables".
package struct StoreTables: Sendable {
  package let meta: Table
  package let log: Table
  package let objects: Table
  package let indexes: Table
  package let drafts: Table
  package let archives: Table
  package let journals: Table

  package static let names = ["meta", "log", "objects", "indexes", "drafts", "archives", "journals"]

  init(_ environment: Environment) {
    meta = environment.table("meta")
    log = environment.table("log")
    objects = environment.table("objects")
    indexes = environment.table("indexes")
    drafts = environment.table("drafts")
    archives = environment.table("archives")
    journals = environment.table("journals")
  }
}

/// The key of an object's record: entity number and UUID, big-endian, 20 bytes without padding.
@frozen
@usableFromInline
package struct ObjectKey: BitwiseCopyable {
  @usableFromInline let words: (UInt32, UInt32, UInt32, UInt32, UInt32)

  @inlinable package init(entity: UInt32, uuid: UniqueID) {
    words = (
      entity.bigEndian, UInt32(truncatingIfNeeded: uuid.high >> 32).bigEndian,
      UInt32(truncatingIfNeeded: uuid.high).bigEndian, UInt32(truncatingIfNeeded: uuid.low >> 32).bigEndian,
      UInt32(truncatingIfNeeded: uuid.low).bigEndian
    )
  }

  package var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }
}

/// Keys of the table `meta`.
package enum MetaKey {
  package static let format: [UInt8] = Array("format".utf8)
  package static let log: [UInt8] = Array("log".utf8)
  package static let replica: [UInt8] = Array("replica".utf8)
  package static let schema: [UInt8] = Array("schema".utf8)
  /// The version of the order keys that the indexes are made of.
  package static let order: [UInt8] = Array("order".utf8)
  /// Where the log ends: a ``LogEnd``.
  package static let head: [UInt8] = Array("head".utf8)
  package static let nameCount: [UInt8] = Array("names".utf8)

  /// The number of objects of an entity.
  package static func count(_ entity: UInt32) -> [UInt8] { numbered("c", entity) }
  /// An interned name, by number.
  package static func name(_ number: UInt32) -> [UInt8] { numbered("n", number) }
  /// The number of an interned name.
  package static func number(of name: String) -> [UInt8] { [UInt8(ascii: "N")] + Array(name.utf8) }

  private static func numbered(_ kind: Unicode.Scalar, _ number: UInt32) -> [UInt8] {
    [UInt8(ascii: kind)] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }
}
