import RepriseLog
import RepriseObjectModel

extension MigrationState {
  /// The work of a mapping on all objects of an entity, in slices. It uses numbers, because names change.
  struct Work: Equatable {
    enum Kind: UInt8 {
      /// Makes references to moved objects lead to their new objects.
      case follow = 1
      /// Turns objects into objects of another entity.
      case move = 2
      case extract = 3
      case inline = 4
      /// Deletes inlined objects.
      case delete = 5
      /// Makes the links of a many-to-many relationship lead to the new objects at their ends.
      case relink = 6
    }

    let kind: Kind
    /// The index of the mapping in the migration. 0 for `follow`.
    let mapping: Int
    /// The entity whose objects are read.
    let source: UInt32
    /// The entity of the new objects. For `follow`, the entity that moves.
    let target: UInt32
    /// The to-one between source and target, in either. For `follow` and `relink`, the to-one that led to the moved
    /// object. 0 if there is none.
    var reference: UInt32 = 0
    /// The properties whose values are carried over, and the properties that receive them.
    var pairs: [Pair] = []
    /// For `follow`: the to-one that leads to each new entity, or 0 if none does. For `relink`: that entity, and the
    /// links that lead to it.
    var ends: [Pair] = []

    /// Whether each slice leaves fewer objects.
    var shrinks: Bool { kind == .move || kind == .relink || kind == .delete }
  }

  typealias Pair = Descent.Pair
}

extension ByteWriter {
  mutating func work(_ work: MigrationState.Work) {
    append(work.kind.rawValue)
    varint(work.mapping)
    varint(UInt64(work.source))
    varint(UInt64(work.target))
    varint(UInt64(work.reference))
    pairs(work.pairs)
    pairs(work.ends)
  }
}

extension ByteReader {
  mutating func work() throws(MalformedBytes) -> MigrationState.Work {
    guard let kind = MigrationState.Work.Kind(rawValue: try byte("a kind of work")) else {
      offset -= 1
      throw fail("a kind of work")
    }
    var work = MigrationState.Work(
      kind: kind, mapping: Int(try number("a mapping")), source: try schemaNumber("an entity's number"),
      target: try schemaNumber("an entity's number"))
    work.reference = try number("a property's number")
    work.pairs = try pairs()
    work.ends = try pairs()
    return work
  }
}
