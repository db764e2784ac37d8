import RepriseObjectModel

/// A state as a tree of values, without its type: to migrate states of earlier versions, and to look into archives.
///
/// ```swift
/// StateMigration(to: 2) { state in
///   state.rename("row", to: "index")
///   state["title"] = .text(state["name"]?.text ?? "")
/// }
/// ```
///
/// What `Codable` types encode has these forms: a type with properties is `keyed`; an optional that is `nil` is absent;
/// an enum is `keyed` by the name of its case; an object ID, and anything else that encodes itself as a text, is a
/// `text`.
public indirect enum StateValue: Hashable, Sendable {
  /// There is no value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int128)
  /// A whole number beyond what ``integer(_:)`` holds.
  case wide(UInt128)
  /// A floating-point number; a `Float` is one, too.
  case double(Double)
  /// A text.
  case text(String)
  /// A list of which every element was a `UInt8`.
  case bytes([UInt8])
  /// Values in their order.
  case list([StateValue])
  /// Values by name.
  case keyed([String: StateValue])
  /// A two-step screen's reference to a registered object or to another screen. Keep it as it is.
  case reference(String)
}

extension StateValue {
  /// The value under a name; `nil` if there is none, or if this is not keyed. Setting `nil` removes it; setting a value
  /// of what is not keyed makes it so.
  public subscript(name: String) -> StateValue? {
    get { if case .keyed(let values) = self { values[name] } else { nil } }
    set {
      var values: [String: StateValue] = if case .keyed(let values) = self { values } else { [:] }
      values[name] = newValue
      self = .keyed(values)
    }
  }

  /// Gives the value under a name another one, in place of what is there. Does nothing if there is none.
  public mutating func rename(_ name: String, to new: String) {
    guard name != new, let value = self[name] else { return }
    self[name] = nil
    self[new] = value
  }

  /// The text; `nil` if this is none.
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number; `nil` if this is none, or one that an `Int` cannot hold.
  public var int: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    default: nil
    }
  }
  /// The number as a floating-point one; `nil` if this is none.
  public var double: Double? {
    switch self {
    case .double(let number): number
    case .integer(let number): Double(exactly: number)
    default: nil
    }
  }
  /// True or false; `nil` if this is neither.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The values of a list; `nil` if this is none.
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
  /// What a value encodes.
  ///
  /// - Throws: What the type throws, or a description of what cannot be kept: more than 1 MiB, or more than 64
  ///   containers within each other.
  public init(encoding value: some Encodable) throws {
    do throws(StateCodingError) {
      self = try StateValue(bytes: try StateEncoder.encode(value)[...])
    } catch {
      throw RestorationError.state("\(type(of: value))", reason: error.description)
    }
  }

  /// The value as a type decodes it.
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
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// True or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral values: StateValue...) { self = .list(values) }
  /// Values by name; of two under one name the last.
  public init(dictionaryLiteral values: (String, StateValue)...) {
    self = .keyed(Dictionary(values) { _, last in last })
  }
}

extension StateValue: CustomStringConvertible {
  /// The value, as it would be written in Swift, keys in order.
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
      "[\(values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))]"
    case .reference(let target): "→ \(target)"
    }
  }
}
