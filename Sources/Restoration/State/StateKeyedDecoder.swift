/// A group of named values of a state, as `Codable` types read it.
struct StateKeyedDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let image: StateImage
  let offset: Int
  let visit: Int

  var codingPath: [any CodingKey] { image.path(to: offset) }

  var allKeys: [Key] { image.keys(in: visit).compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { image.find(key.stringValue, in: visit) != nil }

  private func value(_ key: Key) throws -> StateValueDecoder {
    guard let offset = image.find(key.stringValue, in: visit) else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "there is no value for '\(key.stringValue)'"))
    }
    return StateValueDecoder(image: image, offset: offset)
  }

  /// A key's value. `nil` if there is none or it is null.
  private func present(_ key: Key) -> StateValueDecoder? {
    guard let offset = image.find(key.stringValue, in: visit), image.tag(at: offset) != StateTag.null else {
      return nil
    }
    return StateValueDecoder(image: image, offset: offset)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer() }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer() }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer() }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer() }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer() }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).integer() }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer() }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer() }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer() }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer() }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer() }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).integer() }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).value(type) }

  // The default implementations look each key up three times.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.decode(type) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer() }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try present(key)?.value(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try value(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try value(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try superDecoder(named: StateKey.superclass.stringValue) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(named: key.stringValue) }

  private func superDecoder(named name: String) throws -> any Decoder {
    guard let offset = image.find(name, in: visit) else {
      throw DecodingError.keyNotFound(
        StateKey(stringValue: name), .init(codingPath: codingPath, debugDescription: "there is no value for '\(name)'"))
    }
    return StateValueDecoder(image: image, offset: offset)
  }
}
