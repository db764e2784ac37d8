import RepriseObjectModel

/// A state as a tree of values without its Swift type, for migrations and for inspecting archives.
///
/// ```swift
/// StateMigration(to: 2) { state in
///   state.rename("row", to: "index")
///   state["title"] = .text(state["name"]?.text ?? "")
/// }
/// ```
///
/// `Codable` types encode as follows. A type with properties is `keyed`, and an optional that is `nil` is absent. An
/// enum is `keyed` by the name of its case. An object ID is a `text`, like any other value that encodes itself as a
/// text.
public indirect enum StateValue: Hashable, Sendable {
  /// An explicit `nil`.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer.
  case integer(Int128)
  /// An integer too large for ``integer(_:)``.
  case wide(UInt128)
  /// A floating-point number, also from a `Float`.
  case double(Double)
  /// A text.
  case text(String)
  /// The elements of a `[UInt8]`.
  case bytes([UInt8])
  /// An ordered list of values.
  case list([StateValue])
  /// Values by name.
  case keyed([String: StateValue])
  /// A reference that a ``RestorableScreen`` encoded, to a registered object or another screen.
  ///
  /// Leave it unchanged.
  case reference(String)
}

extension StateValue {
  /// The value under a name, or `nil` if there is none or if this is not a keyed value.
  ///
  /// Setting `nil` removes the value. Setting a value on something that is not keyed replaces it with a keyed value.
  public subscript(name: String) -> StateValue? {
    get { if case .keyed(let values) = self { values[name] } else { nil } }
    set {
      var values: [String: StateValue] = if case .keyed(let values) = self { values } else { [:] }
      values[name] = newValue
      self = .keyed(values)
    }
  }

  /// Renames a value, replacing a value that already has the new name.
  ///
  /// Does nothing if the old name has no value.
  public mutating func rename(_ name: String, to new: String) {
    guard name != new, let value = self[name] else { return }
    self[name] = nil
    self[new] = value
  }

  /// The text, or `nil` if this is not a text.
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The integer, or `nil` if this is not an integer or does not fit an `Int`.
  public var int: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    default: nil
    }
  }
  /// The number, or `nil` if this is not a number or is an integer that a `Double` does not represent exactly.
  public var double: Double? {
    switch self {
    case .double(let number): number
    case .integer(let number): Double(exactly: number)
    default: nil
    }
  }
  /// The Boolean value, or `nil` if this is not one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements, or `nil` if this is neither a list nor bytes.
  ///
  /// Bytes become integers.
  public var list: [StateValue]? {
    switch self {
    case .list(let values): values
    case .bytes(let bytes): bytes.map { .integer(Int128($0)) }
    default: nil
    }
  }
}

// MARK: - Types

extension StateValue {
  /// Encodes a value.
  ///
  /// - Throws: ``RestorationError/state(_:reason:)`` if the type's own coding throws, if the result has more than 1
  ///   MiB, or if containers nest more than 64 deep.
  public init(encoding value: some Encodable) throws {
    do throws(StateCodingError) {
      self = try StateValue(bytes: try StateEncoder.encode(value)[...])
    } catch {
      throw RestorationError.state("\(type(of: value))", reason: error.description)
    }
  }

  /// Decodes the value as a type.
  ///
  /// - Throws: ``RestorationError/state(_:reason:)`` if the type cannot be decoded from it.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do throws(StateCodingError) {
      return try StateDecoder.decode(type, from: try encoded()).state
    } catch {
      throw RestorationError.state("\(type)", reason: error.description)
    }
  }
}

// MARK: - Literals

extension StateValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes an integer.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  /// Makes a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Makes a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes a list.
  public init(arrayLiteral values: StateValue...) { self = .list(values) }
  /// Makes a keyed value.
  ///
  /// If a name occurs twice, the last value counts.
  public init(dictionaryLiteral values: (String, StateValue)...) {
    self = .keyed(Dictionary(values) { _, last in last })
  }
}

extension StateValue: CustomStringConvertible {
  /// The value in Swift-like notation, with keys in ascending order.
  ///
  /// Bytes are shown as their number.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let number): "\(number)"
    case .wide(let number): "\(number)"
    case .double(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    case .keyed(let values):
      "[\(values.heapSorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))]"
    case .reference(let target): "→ \(target)"
    }
  }
}
