/// The place of an object in an ordered relationship: an attribute beside the reference to the owner, of the object
/// itself or of its link, and an index over both. So a move is the change of one attribute of one object.
///
/// An object is placed at the end whenever it gets an owner. Objects that got theirs from a program without the order
/// have no place: they stand first, in the order of their creation.
package enum Place {
  /// How many bytes there are of a key for the end: those of an ID made then, which sorts after all made before.
  static let plain = 16
  /// Beyond this length, neighbours are given shorter keys.
  package static let longest = 48

  /// A key behind all that were given before.
  package static func atEnd() -> PropertyValue { .bytes(bytes(of: UniqueID())) }

  static func bytes(of id: UniqueID) -> [UInt8] {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { [UInt8]($0) }
  }

  /// A key between two others, of which `nil` stands for the beginning and the end; `nil` if there is none, or it is
  /// too long.
  package static func between(_ lower: [UInt8]?, _ upper: [UInt8]?) -> [UInt8]? {
    guard let upper else { return after(lower) }
    let key = PlaceKey.between(lower, upper, plain: plain)
    return key.count <= longest && isIn(key, lower, upper) ? key : nil
  }

  /// So many keys between two others, ascending; `nil` if there are none that are short enough to last a while.
  package static func spread(_ count: Int, _ lower: [UInt8]?, _ upper: [UInt8]?) -> [[UInt8]]? {
    let upper = upper ?? bytes(of: UniqueID(high: .max, low: .max))
    let keys = PlaceKey.spread(count, between: lower, and: upper, plain: plain)
    guard keys.allSatisfy({ $0.count <= plain + (longest - plain) / 2 }) else { return nil }
    let all = [lower].compactMap { $0 } + keys + [upper]
    return zip(all, all.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) } ? keys : nil
  }

  /// So many keys between two others, ascending; behind all others they are those of members that were appended.
  package static func keys(_ count: Int, _ lower: [UInt8]?, _ upper: [UInt8]?) -> [[UInt8]]? {
    if upper != nil { return spread(count, lower, upper) }
    var keys: [[UInt8]] = []
    for _ in 0..<count {
      guard let key = after(keys.last ?? lower) else { return nil }
      keys.append(key)
    }
    return keys
  }

  /// Whether a key is between two others, of which `nil` stands for the beginning and the end.
  package static func isIn(_ key: [UInt8], _ lower: [UInt8]?, _ upper: [UInt8]?) -> Bool {
    (lower.map { $0.lexicographicallyPrecedes(key) } ?? true)
      && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
  }

  /// A key behind another one, which may come of a clock that is ahead.
  private static func after(_ lower: [UInt8]?) -> [UInt8]? {
    let key = bytes(of: UniqueID())
    guard let lower, !lower.lexicographicallyPrecedes(key) else { return key }
    var next = [UInt8](lower.prefix(plain))
    guard let digit = next.lastIndex(where: { $0 < 255 }) else { return nil }
    next[digit] += 1
    for index in next.indices where index > digit { next[index] = 0 }
    return next
  }
}

extension Property {
  /// The name of the attribute that keeps the places in an ordered relationship.
  package static func nameOfPlaces(in owner: String) -> String { "place in \(owner)" }

  /// What keeps the places in an ordered relationship, of which `owner` is the inverse.
  static func places(in owner: String, was formerNames: [String] = []) -> [Property] {
    let name = nameOfPlaces(in: owner)
    var place = Property.attribute(name, [UInt8]?.self, merge: .lastWriter)
    place.formerNames = formerNames.map(nameOfPlaces)
    return [place, .index([IndexColumn(owner), IndexColumn(name)])]
  }
}
