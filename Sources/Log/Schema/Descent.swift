import RepriseObjectModel

/// The effect of a migration on the objects of an entity: which values become which.
///
/// A schema transaction records it before the migration begins, and only there. An erasure follows it to every earlier
/// form of an object, and to every object that gave it values.
package struct Descent: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// Objects of `source` become objects of `target`, with the same UUID.
    case moved = 1
    /// A part of each object of `source` becomes an object of `target`. The UUID of the part is derived from the
    /// object's UUID, `reference` and `target`.
    case extracted = 2
    /// Each object of `source` becomes a part of the object of `target` at the other end of `reference`.
    case inlined = 3
  }

  /// A property that has the values of another one.
  package struct Pair: Equatable, Sendable {
    /// 0 if the new values are computed.
    package let old: UInt32
    package let new: UInt32

    package init(old: UInt32, new: UInt32) {
      self.old = old
      self.new = new
    }
  }

  package let kind: Kind
  package let source: UInt32
  package let target: UInt32
  /// The to-one relationship between the object and its part, which either of them stores. 0 for objects that move.
  package let reference: UInt32
  /// The properties of `source` whose values are copied, each with the property of `target` that receives them.
  package let pairs: [Pair]

  package init(kind: Kind, source: UInt32, target: UInt32, reference: UInt32, pairs: [Pair]) {
    self.kind = kind
    self.source = source
    self.target = target
    self.reference = reference
    self.pairs = pairs
  }

  /// The UUID of the part of an object.
  package func part(of whole: UniqueID) -> UniqueID { Self.part(of: whole, through: reference, target) }

  /// The UUID of a part, the same whenever it is extracted, and of no other object.
  package static func part(of whole: UniqueID, through reference: UInt32, _ target: UInt32) -> UniqueID {
    Link.id(whole, UniqueID(high: UInt64(reference), low: UInt64(target)))
  }
}

extension ByteWriter {
  mutating func descent(_ descent: Descent) {
    append(descent.kind.rawValue)
    varint(UInt64(descent.source))
    varint(UInt64(descent.target))
    varint(UInt64(descent.reference))
    pairs(descent.pairs)
  }

  package mutating func pairs(_ pairs: [Descent.Pair]) {
    varint(pairs.count)
    for pair in pairs {
      varint(UInt64(pair.old))
      varint(UInt64(pair.new))
    }
  }
}

extension ByteReader {
  mutating func descent() throws(MalformedBytes) -> Descent {
    guard let kind = Descent.Kind(rawValue: try byte("a kind of mapping")) else {
      offset -= 1
      throw fail("a kind of mapping")
    }
    return Descent(
      kind: kind, source: try schemaNumber("an entity's number"), target: try schemaNumber("an entity's number"),
      reference: try number("a property's number"), pairs: try pairs())
  }

  package mutating func pairs() throws(MalformedBytes) -> [Descent.Pair] {
    var pairs: [Descent.Pair] = []
    for _ in 0..<(try count(of: 2, "a number of properties")) {
      pairs.append(Descent.Pair(old: try number("a number"), new: try number("a number")))
    }
    return pairs
  }
}
