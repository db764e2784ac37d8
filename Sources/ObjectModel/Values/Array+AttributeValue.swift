extension Array: AttributeValue where Element: AttributeValue {
  /// Arrays are stored as bytes.
  @inlinable public static var attributeKind: AttributeKind { .bytes }
  /// The stored form.
  ///
  /// Making the form takes time in proportion to the number of elements. `[UInt8]` is stored byte for byte. Any other
  /// array is stored as its elements, one after the other.
  @inlinable public var propertyValue: PropertyValue {
    // `Self` is `[UInt8]` here.
    Element.self == UInt8.self ? .bytes(unsafeBitCast(self, to: [UInt8].self)) : storedElements
  }
  /// Converts a stored value. Returns `nil` for another kind, for malformed bytes, and for elements of another type.
  @inlinable public static func from(_ value: PropertyValue) -> [Element]? {
    guard case .bytes(let bytes) = value else { return nil }
    return Element.self == UInt8.self ? unsafeBitCast(bytes, to: [Element].self) : elements(bytes)
  }

  /// The elements in square brackets, or the number of bytes.
  public static func _text(of value: PropertyValue) -> String {
    let text = Element.self == UInt8.self ? nil : ElementBytes.text(value, Element._text)
    return text ?? value.description
  }

  @usableFromInline var storedElements: PropertyValue {
    var writer = ByteWriter()
    for element in self { writer.sized(ElementBytes.bytes(element.propertyValue)) }
    return .bytes(writer.bytes)
  }

  @usableFromInline static func elements(_ bytes: [UInt8]) -> [Element]? {
    guard let stored = ElementBytes.values(bytes) else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(stored.count)
    for value in stored {
      guard let element = Element.from(value) else { return nil }
      elements.append(element)
    }
    return elements
  }
}
