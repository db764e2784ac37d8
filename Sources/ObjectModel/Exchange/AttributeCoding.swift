// Values of attributes for other programs. A `Codable` type uses its own coding, so that an encoder's strategies for
// dates and bytes apply. Any other type uses the coding of its stored value. Nil is left out, as in synthesised
// conformances.

extension KeyedEncodingContainer {
  package mutating func encode<Value: AttributeValue>(attribute value: Value, forKey key: Key) throws {
    let stored = value.propertyValue
    if stored.isNull { return }
    if let encodable = value as? any Encodable { return try encode(encodable, forKey: key) }
    switch stored {
    case .null: break
    case .bool(let it): try encode(it, forKey: key)
    case .int(let it): try encode(it, forKey: key)
    case .unsigned(let it): try encode(it, forKey: key)
    case .double(let it), .date(let it): try encode(it, forKey: key)
    case .string(let it): try encode(it, forKey: key)
    case .bytes(let it): try encode(it, forKey: key)
    case .uuid(let it): try encode(it, forKey: key)
    case .reference(let it): try encode(it, forKey: key)
    case .blob(let it): try encode(it, forKey: key)
    }
  }

  /// Encodes the stored value of an attribute.
  package mutating func encode<Value: AttributeValue>(
    _ stored: PropertyValue, as type: Value.Type, forKey key: Key
  ) throws {
    guard let value = Value.from(stored) else {
      throw EncodingError.invalidValue(
        stored,
        .init(codingPath: codingPath + [key], debugDescription: "\(stored.text(as: type)) is not a value of \(type)"))
    }
    try encode(attribute: value, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// - Throws: `DecodingError`, as for any other type. The key is missing and the type is not optional, or the value
  ///   does not belong to the type.
  package func decode<Value: AttributeValue>(attribute type: Value.Type, forKey key: Key) throws -> Value {
    if Value.isOptional, try !contains(key) || decodeNil(forKey: key), let value = Value.from(.null) { return value }
    guard let value = Value.from(try stored(Value.Unwrapped.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "it is not a value of \(Value.Unwrapped.self)")
    }
    return value
  }

  /// Decodes a value of an attribute's type, and returns its stored form.
  package func decode<Value: AttributeValue>(stored type: Value.Type, forKey key: Key) throws -> PropertyValue {
    try decode(attribute: type, forKey: key).propertyValue
  }

  private func stored<Value: AttributeValue>(_ type: Value.Type, forKey key: Key) throws -> PropertyValue {
    do {
      return try storedOfDecoder(type, forKey: key)
    } catch let error as DecodingError {
      throw error
    } catch {
      // If a number is too large, `JSONDecoder` reports that the whole text is not JSON.
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "it cannot be read as \(type)")
    }
  }

  private func storedOfDecoder<Value: AttributeValue>(_ type: Value.Type, forKey key: Key) throws -> PropertyValue {
    if let decodable = type as? any Decodable.Type {
      if let value = try decode(decodable, forKey: key) as? Value { return value.propertyValue }
    }
    return switch type.attributeKind {
    case .bool: .bool(try decode(Bool.self, forKey: key))
    case .int: .int(try decode(Int64.self, forKey: key))
    case .unsigned: .unsigned(try decode(UInt64.self, forKey: key))
    case .double: .double(try decode(Double.self, forKey: key))
    case .string: .string(try decode(String.self, forKey: key))
    case .bytes: .bytes(try decode([UInt8].self, forKey: key))
    case .date: .date(try decode(Double.self, forKey: key))
    case .uuid: .uuid(try decode(UniqueID.self, forKey: key))
    case .blob: .blob(try decode(Blob.self, forKey: key))
    }
  }
}
