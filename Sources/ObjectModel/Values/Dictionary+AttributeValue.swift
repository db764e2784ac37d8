extension Dictionary: AttributeValue where Key: AttributeValue, Value: AttributeValue {
  /// Dictionaries are stored as bytes.
  public static var attributeKind: AttributeKind { .bytes }
  /// The stored form: alternating keys and values, sorted by the bytes of the keys.
  ///
  /// Equal dictionaries have equal bytes. Making the form sorts the keys.
  public var propertyValue: PropertyValue {
    let pairs = map { (key: ElementBytes.bytes($0.propertyValue), value: $1) }
    var writer = ByteWriter()
    for (key, value) in pairs.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      writer.sized(key)
      writer.sized(ElementBytes.bytes(value.propertyValue))
    }
    return .bytes(writer.bytes)
  }
  /// The keys and values in square brackets.
  public static func _text(of value: PropertyValue) -> String {
    guard case .bytes(let bytes) = value, let stored = ElementBytes.values(bytes), stored.count.isMultiple(of: 2) else {
      return value.description
    }
    if stored.isEmpty { return "[:]" }
    // A message shows fewer pairs than that.
    let pairs = stride(from: 0, to: Swift.min(stored.count, 100), by: 2).map { place in
      "\(Key._text(of: stored[place])): \(Value._text(of: stored[place + 1]))"
    }
    return "[" + pairs.joined(separator: ", ") + (stored.count > 100 ? ", …]" : "]")
  }
  /// Converts a stored value. Returns `nil` for another kind, malformed bytes, or keys and values of other types.
  public static func from(_ value: PropertyValue) -> [Key: Value]? {
    guard case .bytes(let bytes) = value, let stored = ElementBytes.values(bytes), stored.count.isMultiple(of: 2) else {
      return nil
    }
    var dictionary = [Key: Value](minimumCapacity: stored.count / 2)
    for place in stride(from: 0, to: stored.count, by: 2) {
      guard let key = Key.from(stored[place]), let value = Value.from(stored[place + 1]),
        dictionary.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return dictionary
  }
}
