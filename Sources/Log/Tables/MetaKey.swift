import RepriseObjectModel

/// Keys of the table `meta`.
package enum MetaKey {
  package static let format: [UInt8] = Array("format".utf8)
  package static let log: [UInt8] = Array("log".utf8)
  package static let replica: [UInt8] = Array("replica".utf8)
  package static let schema: [UInt8] = Array("schema".utf8)
  /// Earlier facts about the schema: a ``SchemaHistory``.
  package static let history: [UInt8] = Array("history".utf8)
  /// The progress of a migration: a ``MigrationState``. The entry is missing unless a migration is under way.
  package static let migration: [UInt8] = Array("migration".utf8)
  /// The version of the order keys in the indexes.
  package static let order: [UInt8] = Array("order".utf8)
  /// The version of the collator that made the rows under a collation with a locale. The entry may outlive the last
  /// index under the collation.
  package static func collator(of collation: Collation) -> [UInt8] { collators + Array(collation.name.utf8) }
  /// The prefix of the keys of all collators.
  static let collators: [UInt8] = [UInt8(ascii: "k")]
  package static func isCollator(_ key: [UInt8]) -> Bool { key.starts(with: collators) }
  /// Where the log ends: a ``LogEnd``.
  package static let head: [UInt8] = Array("head".utf8)
  /// The beginning of a truncated log: a ``LogFloor``. A whole log has none.
  package static let floor: [UInt8] = Array("floor".utf8)
  package static let nameCount: [UInt8] = Array("names".utf8)
  /// The last packet of a shared log whose transactions the store has: a ``SharedPlace``. Only a store that shares its
  /// log has the entry.
  package static let place: [UInt8] = Array("place".utf8)
  /// The keys that occur once.
  package static let single: Set<[UInt8]> = [
    format, log, replica, schema, history, migration, order, head, floor, nameCount,
    place,
  ]

  /// A clock that was set back at a transaction: a ``ClockStep``.
  static func clockStep(_ position: Position) -> [UInt8] {
    clockSteps + withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) }
  }
  /// The prefix of the keys of all clock steps.
  static let clockSteps: [UInt8] = [UInt8(ascii: "t")]
  /// The position in the key of a clock step. `nil` for any other key.
  package static func clockStep(key: [UInt8]) -> Position? {
    guard key.count == 9, key.starts(with: clockSteps) else { return nil }
    return Position(key.dropFirst().reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The progress of an index that is being built, by the number of its property: an `IndexBuildState`.
  package static func indexBuild(_ property: UInt32) -> [UInt8] { numbered("b", property) }
  /// The number of the property. `nil` for any other key.
  package static func indexBuild(key: UnsafeRawBufferPointer) -> UInt32? { number(in: key, of: "b") }
  /// The version of the computation whose values all objects have in a derived attribute, by the attribute's number. 0
  /// if some objects lack these values, or if this is unknown.
  package static func derivation(_ property: UInt32) -> [UInt8] { numbered("d", property) }
  /// The number of the attribute. `nil` for any other key.
  package static func derivation(key: UnsafeRawBufferPointer) -> UInt32? { number(in: key, of: "d") }
  /// The number of objects of an entity.
  package static func count(_ entity: UInt32) -> [UInt8] { numbered("c", entity) }
  /// An interned name, by number.
  package static func name(_ number: UInt32) -> [UInt8] { numbered("n", number) }
  /// The number of the name. `nil` for any other key.
  package static func name(key: UnsafeRawBufferPointer) -> UInt32? { number(in: key, of: "n") }
  /// The number of an interned name.
  package static func number(of name: String) -> [UInt8] { [UInt8(ascii: "N")] + Array(name.utf8) }

  private static func number(in key: UnsafeRawBufferPointer, of kind: Unicode.Scalar) -> UInt32? {
    guard key.count == 5, key[0] == UInt8(ascii: kind) else { return nil }
    return UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
  }

  private static func numbered(_ kind: Unicode.Scalar, _ number: UInt32) -> [UInt8] {
    [UInt8(ascii: kind)] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
  }
}
