/// The place of an object in an ordered relationship. It is an attribute of the object that has the reference to the
/// owner: the member itself or its link. An index covers the reference and the place. So a move changes one attribute
/// of one object.
///
/// An object gets a place at the end when it gets an owner. Objects that got their owner from a program without the
/// order have no place. They come first, in the order of their creation.
package enum Place {
  /// The number of bytes in a key for the end. Such a key is a new ID, which sorts after all earlier IDs.
  static let plain = 16
  /// The most bytes of a key. If a key would be longer, its neighbours get new, shorter keys.
  package static let longest = 48

  /// A key after all earlier keys.
  package static func atEnd() -> PropertyValue { .bytes(bytes(of: UniqueID())) }

  static func bytes(of id: UniqueID) -> [UInt8] {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { [UInt8]($0) }
  }

  /// A key between two keys. `nil` means the beginning or the end. The result is `nil` if there is no such key, or if
  /// it would be too long.
  package static func between(_ lower: [UInt8]?, _ upper: [UInt8]?) -> [UInt8]? {
    guard let upper else { return after(lower) }
    let key = PlaceKey.between(lower, upper, plain: plain)
    return key.count <= longest && isIn(key, lower, upper) ? key : nil
  }

  /// `count` ascending keys between two keys. `nil` if they would be too long for many further insertions.
  package static func spread(_ count: Int, _ lower: [UInt8]?, _ upper: [UInt8]?) -> [[UInt8]]? {
    let upper = upper ?? bytes(of: UniqueID(high: .max, low: .max))
    let keys = PlaceKey.spread(count, between: lower, and: upper, plain: plain)
    guard keys.allSatisfy({ $0.count <= plain + (longest - plain) / 2 }) else { return nil }
    let all = [lower].compactMap { $0 } + keys + [upper]
    return zip(all, all.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) } ? keys : nil
  }

  /// `count` ascending keys between two keys. If `upper` is `nil`, they are the keys of appended members.
  package static func keys(_ count: Int, _ lower: [UInt8]?, _ upper: [UInt8]?) -> [[UInt8]]? {
    if upper != nil { return spread(count, lower, upper) }
    var keys: [[UInt8]] = []
    for _ in 0..<count {
      guard let key = after(keys.last ?? lower) else { return nil }
      keys.append(key)
    }
    return keys
  }

  /// Whether a key is between two keys. `nil` means the beginning or the end.
  package static func isIn(_ key: [UInt8], _ lower: [UInt8]?, _ upper: [UInt8]?) -> Bool {
    (lower.map { $0.lexicographicallyPrecedes(key) } ?? true)
      && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
  }

  /// A key after another one. The other one may come from a clock that is ahead.
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

  /// The properties for the places in an ordered relationship whose inverse is `owner`.
  static func places(in owner: String, was formerNames: [String] = []) -> [Property] {
    let name = nameOfPlaces(in: owner)
    var place = Property.attribute(name, [UInt8]?.self, merge: .lastWriter)
    place.formerNames = formerNames.map(nameOfPlaces)
    return [place, .index([IndexColumn(owner), IndexColumn(name)])]
  }
}
