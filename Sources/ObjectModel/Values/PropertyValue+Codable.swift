extension PropertyValue: Codable {
  /// The single key names the kind of the value. Archives contain these keys: never rename one.
  private enum CodingKeys: String, CodingKey {
    case null
    case bool
    case int
    case unsigned = "uint"
    case double
    case string
    case bytes
    case date
    case uuid
    case reference = "ref"
    case blob
  }

  /// Decodes a value that ``encode(to:)`` wrote. Throws a `DecodingError` for any other data.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "expected one key that names the kind of a value"))
    }
    switch key {
    case .null: self = .null
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .int: self = .int(try container.decode(Int64.self, forKey: key))
    case .unsigned: self = .unsigned(try container.decode(UInt64.self, forKey: key))
    case .double: self = .double(Double(bitPattern: try container.decode(UInt64.self, forKey: key)))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .bytes: self = .bytes(try container.decode([UInt8].self, forKey: key))
    case .date: self = .date(Double(bitPattern: try container.decode(UInt64.self, forKey: key)))
    case .uuid: self = .uuid(try container.decode(UniqueID.self, forKey: key))
    case .reference: self = .reference(try container.decode(AnyObjectID.self, forKey: key))
    case .blob: self = .blob(try container.decode(Blob.self, forKey: key))
    }
  }

  /// Encodes the kind and the value. Floating-point numbers are encoded as their bits, because some formats lack NaN.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .bool(let it): try container.encode(it, forKey: .bool)
    case .int(let it): try container.encode(it, forKey: .int)
    case .unsigned(let it): try container.encode(it, forKey: .unsigned)
    case .double(let it): try container.encode(it.bitPattern, forKey: .double)
    case .string(let it): try container.encode(it, forKey: .string)
    case .bytes(let it): try container.encode(it, forKey: .bytes)
    case .date(let it): try container.encode(it.bitPattern, forKey: .date)
    case .uuid(let it): try container.encode(it, forKey: .uuid)
    case .reference(let it): try container.encode(it, forKey: .reference)
    case .blob(let it): try container.encode(it, forKey: .blob)
    }
  }
}
