import RepriseLog
import RepriseObjectModel

extension MigrationState {
  /// What is to be done of a mapping with all objects of an entity, in slices: by numbers, as names change.
  struct Work: Equatable {
    enum Kind: UInt8 {
      /// References to what moves lead to what becomes of it.
      case follow = 1
      /// Objects become those of another entity.
      case move = 2
      case extract = 3
      case inline = 4
      /// What was inlined is deleted.
      case delete = 5
      /// Links of a many-to-many lead to what becomes of the objects at their ends.
      case relink = 6
    }

    let kind: Kind
    /// The place of the mapping in the migration; of `follow` 0.
    let mapping: Int
    /// The entity whose objects are read.
    let source: UInt32
    /// The entity of what they become. Of `follow` the entity that moves.
    let target: UInt32
    /// The to-one between source and target, in either; of `follow` and `relink` the one that led to what
    /// moves; 0 if there is none.
    var reference: UInt32 = 0
    /// The properties whose values are taken over, and what takes them.
    var pairs: [Pair] = []
    /// Of `follow`: by the entity that things become, the to-one that leads there; 0 if none does. Of `relink` that
    /// entity, and the links that lead there.
    var ends: [Pair] = []

    /// Whether there are fewer objects with each slice.
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
