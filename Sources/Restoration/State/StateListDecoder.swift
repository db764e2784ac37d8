import RepriseObjectModel

/// A list of a state, as `Codable` types read it.
struct StateListDecoder: UnkeyedDecodingContainer {
  private let image: StateImage
  private let start: Int
  private let total: Int
  private var offset: Int
  private let isPacked: Bool
  private(set) var currentIndex = 0

  init(_ image: StateImage, _ start: Int) throws {
    self.image = image
    self.start = start
    if let contents = try image.contents(of: start, tag: StateTag.list) {
      (offset, total) = contents
      isPacked = false
    } else if let length = try image.packedLength(at: start) {
      (offset, total) = length
      isPacked = true
    } else {
      throw StateValueDecoder(image: image, offset: start).mismatch([Any].self, "a list")
    }
  }

  var codingPath: [any CodingKey] { image.path(to: start) }
  var count: Int? { total }
  var isAtEnd: Bool { currentIndex == total }

  private func element(_ type: Any.Type) throws -> StateValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: codingPath, debugDescription: "the list has no element \(total + 1)"))
    }
    if isPacked { return StateValueDecoder(image: try StateImage(packed: image.bytes[offset]), offset: 2) }
    return StateValueDecoder(image: image, offset: offset)
  }

  private mutating func advance() throws {
    offset = isPacked ? offset + 1 : try image.end(of: offset)
    currentIndex += 1
  }

  private mutating func next<Value>(_ read: (StateValueDecoder) throws -> Value) throws -> Value {
    let value = try read(element(Value.self))
    try advance()
    return value
  }

  private mutating func integer<Number: FixedWidthInteger>() throws -> Number {
    if isPacked, !isAtEnd, let number = Number(exactly: image.bytes[offset]) {
      try advance()
      return number
    }
    return try next { try $0.integer() }
  }

  mutating func decodeNil() throws -> Bool {
    guard try element(Never.self).decodeNil() else { return false }
    try advance()
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try integer() }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try $0.value(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

extension StateImage {
  /// A state that is one byte of a packed list: `[UInt8]` is packed, and a type may decode its elements one by one.
  convenience init(packed byte: UInt8) throws(StateCodingError) {
    let bytes: [UInt8] = [Self.version, 0, StateTag.natural, byte & 0x7F | (byte > 0x7F ? 0x80 : 0)]
    try self.init((byte > 0x7F ? bytes + [1] : bytes)[...])
  }

  func packedLength(at offset: Int) throws(MalformedBytes) -> (first: Int, count: Int)? {
    var reader = reader(at: offset)
    guard try reader.byte() == StateTag.bytes else { return nil }
    let count = try reader.sized().count
    return (reader.offset - count, count)
  }
}
