/// The bytes of an attribute that holds a set: the length and the bytes of each element, in ascending order, each
/// element once. So equal sets have equal bytes, and two sets can be merged without knowing the type of their elements.
enum SetBytes {
  static func bytes(_ elements: Set<[UInt8]>) -> [UInt8] {
    var writer = ByteWriter()
    for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) { writer.sized(element) }
    return writer.bytes
  }

  static func elements(_ bytes: [UInt8]) -> Set<[UInt8]>? {
    do throws(MalformedBytes) {
      return try bytes.lend { (bytes) throws(MalformedBytes) in
        var reader = ByteReader(bytes)
        var elements: Set<[UInt8]> = []
        while !reader.isAtEnd { elements.insert([UInt8](try reader.sized("an element"))) }
        return elements
      }
    } catch {
      return nil
    }
  }

  /// The other save's set, with the additions and without the removals of this one. `nil` for bytes that are not a set.
  static func merged(base: [UInt8], mine: [UInt8], theirs: [UInt8]) -> [UInt8]? {
    guard let base = elements(base), let mine = elements(mine), let theirs = elements(theirs) else { return nil }
    return bytes(theirs.subtracting(base.subtracting(mine)).union(mine.subtracting(base)))
  }
}

/// The types with the merge rule of sets, in addition to integers.
protocol SetValue {}

extension Set: SetValue where Element: AttributeValue {}

extension Set: AttributeValue where Element: AttributeValue {
  /// Sets are stored as bytes.
  public static var attributeKind: AttributeKind { .bytes }
  /// The stored form, with the elements sorted.
  public var propertyValue: PropertyValue {
    var elements: Set<[UInt8]> = []
    for element in self { elements.insert(ElementBytes.bytes(element.propertyValue)) }
    return .bytes(SetBytes.bytes(elements))
  }
  /// The elements in square brackets.
  public static func _text(of value: PropertyValue) -> String {
    ElementBytes.text(value, Element._text) ?? value.description
  }
  /// Converts a stored value. Returns `nil` for another kind, for malformed bytes, and for elements of another type.
  public static func from(_ value: PropertyValue) -> Set<Element>? {
    guard case .bytes(let bytes) = value, let elements = SetBytes.elements(bytes) else { return nil }
    var set = Set<Element>(minimumCapacity: elements.count)
    for bytes in elements {
      guard let value = ElementBytes.value(bytes), let element = Element.from(value) else { return nil }
      set.insert(element)
    }
    return set
  }
}
