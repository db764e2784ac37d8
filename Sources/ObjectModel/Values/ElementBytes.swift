/// An element of a set, an array or a dictionary, in the form of the log: a tag and its content.
enum ElementBytes {
  static func bytes(_ value: PropertyValue) -> [UInt8] {
    var writer = ByteWriter()
    switch value {
    // Attributes have no references, and searches for references would not find a blob in a collection. This tag is
    // invalid, so that a save refuses the value.
    case .reference, .blob: writer.append(255)
    case .null: writer.append(0)
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

  /// The elements of bytes that contain the length and content of one element after the other. `nil` for other bytes.
  static func values(_ bytes: [UInt8]) -> [PropertyValue]? {
    do throws(MalformedBytes) {
      return try bytes.lend { (bytes) throws(MalformedBytes) in
        var reader = ByteReader(bytes)
        var values: [PropertyValue] = []
        while !reader.isAtEnd {
          guard let value = value([UInt8](try reader.sized("an element"))) else { return nil }
          values.append(value)
        }
        return values
      }
    } catch {
      return nil
    }
  }

  /// The elements of an array or a set as text for people. `nil` for other bytes.
  static func text(_ value: PropertyValue, _ element: (PropertyValue) -> String) -> String? {
    guard case .bytes(let bytes) = value, let values = values(bytes) else { return nil }
    // A message shows fewer elements than that.
    return "[" + values.prefix(100).map(element).joined(separator: ", ") + (values.count > 100 ? ", …]" : "]")
  }
}
