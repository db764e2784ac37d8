/// The bytes of an attribute that holds a set: of each element its length and its bytes, in ascending order, each once.
/// So equal sets have equal bytes, and two sets are put together without knowing the type of their elements.
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

  /// Theirs, with what is new in mine and without what mine has no more; `nil` for bytes that are no set.
  static func merged(base: [UInt8], mine: [UInt8], theirs: [UInt8]) -> [UInt8]? {
    guard let base = elements(base), let mine = elements(mine), let theirs = elements(theirs) else { return nil }
    return bytes(theirs.subtracting(base.subtracting(mine)).union(mine.subtracting(base)))
  }
}

extension Set: AttributeValue where Element: AttributeValue {
  /// Stored as bytes.
  public static var attributeKind: AttributeKind { .bytes }
  /// The stored form. Costs sorting the elements.
  public var propertyValue: PropertyValue {
    var elements: Set<[UInt8]> = []
    for element in self { elements.insert(ElementBytes.bytes(element.propertyValue)) }
    return .bytes(SetBytes.bytes(elements))
  }
  /// From the stored form; `nil` for another kind, for bytes that are no set, and for elements of another type.
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

/// An element of a set, as values are written in the log: a tag, and what is behind it.
private enum ElementBytes {
  static func bytes(_ value: PropertyValue) -> [UInt8] {
    var writer = ByteWriter()
    switch value {
    // No attribute's value is a reference. A blob in a set would be found by nobody: what is written here is none, so
    // a save refuses the set.
    case .null, .reference, .blob: writer.append(0)
    case .bool(let it): writer.append(it ? 2 : 1)
    case .int(let it):
      writer.append(3)
      writer.signedVarint(it)
    case .unsigned(let it):
      writer.append(4)
      writer.varint(it)
    case .double(let it):
      writer.append(5)
      writer.fixed(it.bitPattern)
    case .string(let it):
      writer.append(6)
      writer.string(it)
    case .bytes(let it):
      writer.append(7)
      writer.sized(it)
    case .date(let it):
      writer.append(8)
      writer.fixed(it.bitPattern)
    case .uuid(let it):
      writer.append(9)
      writer.uuid(it)
    }
    return writer.bytes
  }

  static func value(_ bytes: [UInt8]) -> PropertyValue? {
    do throws(MalformedBytes) {
      return try bytes.lend { (bytes) throws(MalformedBytes) in
        var reader = ByteReader(bytes)
        let value: PropertyValue
        switch try reader.byte("an element's tag") {
        case 0: value = .null
        case 1: value = .bool(false)
        case 2: value = .bool(true)
        case 3: value = .int(try reader.signedVarint())
        case 4: value = .unsigned(try reader.varint())
        case 5: value = .double(Double(bitPattern: try reader.fixed(UInt64.self, "a number")))
        case 6: value = .string(try reader.string())
        case 7: value = .bytes([UInt8](try reader.sized("bytes")))
        case 8: value = .date(Double(bitPattern: try reader.fixed(UInt64.self, "a date")))
        case 9: value = .uuid(try reader.uuid())
        default: return nil
        }
        try reader.expectEnd()
        return value
      }
    } catch {
      return nil
    }
  }
}
