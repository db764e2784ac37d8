import RepriseObjectModel

/// Decodes states that ``StateEncoder`` wrote, one after the other.
package final class StateDecoder {
  /// The image of the last state. Reused for the next state, unless something still refers to it.
  private var image = StateImage()

  package init() {}

  /// - Parameter unknown: Receives the keys that the type did not decode. ``StateEncoder`` writes them again.
  package func decode<State: Decodable>(
    _ type: State.Type, from bytes: ArraySlice<UInt8>, unknown: inout UnknownKeys?
  ) throws(StateCodingError) -> State {
    if !isKnownUniquelyReferenced(&image) { image = StateImage() }
    // Held until the unknown keys are found: an initialiser that decodes another state meanwhile gets another image.
    let image = image
    try image.load(bytes)
    do {
      let state = try StateValueDecoder(image: image, offset: image.root).value(State.self)
      unknown = try image.unknownKeys()
      return state
    } catch {
      throw StateCodingError(error)
    }
  }

  /// The value, and the keys that its type did not decode.
  package static func decode<State: Decodable>(
    _ type: State.Type, from bytes: [UInt8]
  ) throws(StateCodingError) -> (state: State, unknown: UnknownKeys?) {
    var unknown: UnknownKeys?
    let state = try StateDecoder().decode(type, from: bytes[...], unknown: &unknown)
    return (state, unknown)
  }
}

/// One value of a state, as `Codable` types read it.
struct StateValueDecoder: Decoder {
  let image: StateImage
  let offset: Int

  var codingPath: [any CodingKey] { image.path(to: offset) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let visit = try image.visit(offset) else { throw mismatch([String: Any].self, "a keyed value") }
    return KeyedDecodingContainer(StateKeyedDecoder<Key>(image: image, offset: offset, visit: visit))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try StateListDecoder(image, offset) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

// MARK: - Values

extension StateValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { image.tag(at: offset) == StateTag.null }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch image.tag(at: offset) {
    case StateTag.no: false
    case StateTag.yes: true
    default: throw mismatch(type, "true or false")
    }
  }

  func decode(_ type: String.Type) throws -> String {
    guard let text = try image.text(at: offset, tag: StateTag.text) else { throw mismatch(type, "a text") }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let number = try image.floating(at: offset) else { throw mismatch(type, "a number") }
    return number
  }

  func decode(_ type: Float.Type) throws -> Float {
    guard let number = try image.float(at: offset) else { throw mismatch(type, "a number with the precision of Float") }
    return number
  }

  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }

  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // Not `as?`, which looks up the type of an optional each time.
    if type == [UInt8].self, let bytes = try image.packed(at: offset) {
      // invariant: `Value` is the type of the cast value.
      return bytes as! Value
    }
    if type == AnyObjectID.self, let id = try image.objectID(at: offset) {
      // invariant: `Value` is the type of the cast value.
      return id as! Value
    }
    return try Value(from: self)
  }

  func integer<Number: FixedWidthInteger>() throws -> Number {
    guard let number: Number = try image.integer(at: offset) else {
      throw mismatch(Number.self, "a whole number in the range of \(Number.self)")
    }
    return number
  }

  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(
      type,
      .init(
        codingPath: codingPath, debugDescription: "\(expected) was expected, but \(image.kind(at: offset)) was found"))
  }
}

// MARK: - Scalars

extension StateImage {
  func integer<Number: FixedWidthInteger>(at offset: Int) throws(MalformedBytes) -> Number? {
    var reader = reader(at: offset)
    let tag = try reader.byte()
    if tag >= StateTag.small { return Number(exactly: tag & 0x7F) }
    switch tag {
    case StateTag.natural: return Number(exactly: try reader.varint())
    case StateTag.negative: return Number(exactly: ~Int64(bitPattern: try reader.varint()))
    case StateTag.wide: return Number(exactly: try reader.fixed(Int128.self))
    case StateTag.unsignedWide: return Number(exactly: try reader.fixed(UInt128.self))
    default: return nil
    }
  }

  /// A floating-point number. A whole number is accepted, too, because the property may have been an integer before.
  func floating(at offset: Int) throws(MalformedBytes) -> Double? {
    var reader = reader(at: offset)
    switch try reader.byte() {
    case StateTag.double: return Double(bitPattern: try reader.fixed())
    case StateTag.float: return Double(Float(bitPattern: try reader.fixed()))
    default:
      let whole: Int64? = try integer(at: offset)
      return whole.flatMap(Double.init(exactly:))
    }
  }

  func float(at offset: Int) throws(MalformedBytes) -> Float? {
    var reader = reader(at: offset)
    if try reader.byte() == StateTag.float { return Float(bitPattern: try reader.fixed()) }
    guard let wide = try floating(at: offset) else { return nil }
    return wide.isNaN ? .nan : Float(exactly: wide)
  }

  func text(at offset: Int, tag: UInt8) throws(MalformedBytes) -> String? {
    var reader = reader(at: offset)
    guard try reader.byte() == tag else { return nil }
    return try reader.string()
  }

  /// The object ID in a text, parsed without making a `String`.
  func objectID(at offset: Int) throws(MalformedBytes) -> AnyObjectID? {
    var reader = reader(at: offset)
    guard try reader.byte() == StateTag.text else { return nil }
    return AnyObjectID(utf8: try reader.sized())
  }

  func packed(at offset: Int) throws(MalformedBytes) -> [UInt8]? {
    var reader = reader(at: offset)
    guard try reader.byte() == StateTag.bytes else { return nil }
    return Array(try reader.sized())
  }

  /// The kind of value at an offset, as error messages name it.
  func kind(at offset: Int) -> String {
    switch tag(at: offset) {
    case StateTag.null: "nothing"
    case StateTag.no, StateTag.yes: "true or false"
    case StateTag.double, StateTag.float: "a floating-point number"
    case StateTag.text: "a text"
    case StateTag.bytes, StateTag.list: "a list"
    case StateTag.keyed: "a keyed value"
    case StateTag.reference: "a reference"
    default: "a whole number"
    }
  }
}
