/// A type that an attribute of a model can have.
///
/// These types conform: `Bool`, the integers, `Float`, `Double`, `String`, `[UInt8]`, `Duration`, ``UniqueID`` and
/// ``Blob``. With the product `Reprise`, Foundation's `Date`, `Data`, `UUID`, `URL` and `Decimal` conform too. So do
/// optionals of these types, and arrays, sets and dictionaries of these types, except for blobs. An enum with such a
/// raw value conforms if it names the protocol: `enum Party: String, AttributeValue { … }`. So does an option set. A
/// struct of several values can conform to `CodableAttribute`, of the product `Reprise`.
///
/// For any other type, declare how it is stored. Conditions, sort orders and indexes then use the stored form:
///
/// ```swift
/// struct Angle: AttributeValue {
///   var degrees: Double
///   static var attributeKind: AttributeKind { .double }
///   var propertyValue: PropertyValue { .double(degrees) }
///   static func from(_ value: PropertyValue) -> Angle? {
///     if case .double(let degrees) = value { Angle(degrees: degrees) } else { nil }
///   }
/// }
/// ```
///
/// The protocol requires `Sendable`, because values are part of snapshots. Conformances can therefore be used from
/// every isolation.
public protocol AttributeValue: Sendable {
  /// The type without `nil`: the wrapped type of an optional, otherwise the type itself. Rules apply to this type.
  associatedtype Unwrapped: AttributeValue = Self
  /// The kind of the stored form.
  static var attributeKind: AttributeKind { get }
  /// Whether `nil` is a value of the type.
  static var isOptional: Bool { get }
  /// The stored form.
  var propertyValue: PropertyValue { get }
  /// Converts a stored value. Returns `nil` for another kind, and for a value that the type does not have.
  static func from(_ value: PropertyValue) -> Self?
  /// The stored form of the default of an attribute that is not optional and declares no default: zero, false or empty.
  ///
  /// If the type cannot read this form, for example an enum, the attribute must declare a default.
  static var zeroForm: PropertyValue { get }
  /// Whether ``from(_:)`` returns a value for every stored value of the kind.
  ///
  /// The property is false by default. For example, it is true for `String` and false for an enum. If it is true, saves
  /// do not call ``from(_:)`` to check values.
  static var readsEveryValue: Bool { get }
  /// Stored forms of earlier versions of the type, each with the present form of the value that ``from(_:)`` returns
  /// for it.
  ///
  /// A condition for the value also finds objects with these forms. See ``CaseAliasing``.
  static var formerForms: [PropertyValue: PropertyValue] { get }
  /// The sum of numbers that are stored as bytes; `nil` for all other types.
  static var _exactSum: (any _ExactSum)? { get }
  /// A stored value as text for people, also if the type cannot hold it.
  static func _text(of value: PropertyValue) -> String
}

extension AttributeValue {
  /// False by default. Only optionals return true.
  @inlinable public static var isOptional: Bool { false }
  /// The zero of the stored kind.
  public static var zeroForm: PropertyValue { attributeKind.zero }
  /// False by default, so a save calls ``from(_:)`` to check values.
  @inlinable public static var readsEveryValue: Bool { false }
  /// Empty by default.
  public static var formerForms: [PropertyValue: PropertyValue] { [:] }
  /// `nil` by default.
  public static var _exactSum: (any _ExactSum)? { nil }
  /// By default, stored bytes that the type can read appear as a value of the type, and all other values as they are
  /// stored.
  public static func _text(of value: PropertyValue) -> String {
    guard case .bytes = value, !readsEveryValue, let own = from(value) else { return value.description }
    return "\(own)"
  }
}

extension Bool: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// `Bool` is stored as a truth value.
  @inlinable public static var attributeKind: AttributeKind { .bool }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .bool(self) }
  /// Converts a stored value. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Bool? {
    if case .bool(let value) = value { value } else { nil }
  }
}

extension AttributeValue where Self: FixedWidthInteger {
  /// The integers are stored as a signed 64-bit integer, except for `UInt` and `UInt64`.
  @inlinable public static var attributeKind: AttributeKind { .int }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .int(Int64(truncatingIfNeeded: self)) }
  /// Converts a stored value. Returns `nil` for another kind, or for a number that does not fit.
  @inlinable public static func from(_ value: PropertyValue) -> Self? {
    if case .int(let value) = value { Self(exactly: value) } else { nil }
  }
}

extension Int: AttributeValue {
  /// True if the type has 64 bits, because every stored integer then fits.
  @inlinable public static var readsEveryValue: Bool { bitWidth >= 64 }
}

extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
}

extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}

extension UInt: AttributeValue {
  /// `UInt` is stored as an unsigned 64-bit integer.
  @inlinable public static var attributeKind: AttributeKind { .unsigned }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .unsigned(UInt64(self)) }
  /// Converts a stored value. Returns `nil` for another kind, or for a number that does not fit.
  @inlinable public static func from(_ value: PropertyValue) -> UInt? {
    if case .unsigned(let value) = value { UInt(exactly: value) } else { nil }
  }
}

extension UInt64: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// `UInt64` is stored as an unsigned 64-bit integer.
  @inlinable public static var attributeKind: AttributeKind { .unsigned }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .unsigned(self) }
  /// Converts a stored value. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> UInt64? {
    if case .unsigned(let value) = value { value } else { nil }
  }
}

extension Double: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// `Double` is stored bit for bit.
  @inlinable public static var attributeKind: AttributeKind { .double }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .double(self) }
  /// Converts a stored value. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Double? {
    if case .double(let value) = value { value } else { nil }
  }
}

extension Float: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// `Float` is stored as a `Double`, which holds every `Float` exactly.
  @inlinable public static var attributeKind: AttributeKind { .double }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .double(Double(self)) }
  /// Converts a stored value, rounded to a `Float`. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Float? {
    if case .double(let value) = value { Float(value) } else { nil }
  }
}

extension String: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// `String` is stored as UTF-8, byte for byte.
  @inlinable public static var attributeKind: AttributeKind { .string }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .string(self) }
  /// Converts a stored value. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> String? {
    if case .string(let value) = value { value } else { nil }
  }
}

extension UniqueID: AttributeValue {
  /// Always true, because every stored value of the kind converts.
  @inlinable public static var readsEveryValue: Bool { true }
  /// A UUID is stored as 16 bytes.
  @inlinable public static var attributeKind: AttributeKind { .uuid }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .uuid(self) }
  /// Converts a stored value. Returns `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> UniqueID? {
    if case .uuid(let value) = value { value } else { nil }
  }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The wrapped type.
  public typealias Unwrapped = Wrapped
  /// The ``formerForms`` of the wrapped type: stored forms of its earlier versions, each with the present form.
  public static var formerForms: [PropertyValue: PropertyValue] { Wrapped.formerForms }
  /// The sum of the wrapped type.
  public static var _exactSum: (any _ExactSum)? { Wrapped._exactSum }
  /// The stored value as text for people, as the wrapped type forms it.
  public static func _text(of value: PropertyValue) -> String { Wrapped._text(of: value) }
  /// Whether the wrapped type reads every value.
  @inlinable public static var readsEveryValue: Bool { Wrapped.readsEveryValue }
  /// An optional is stored like the wrapped type.
  @inlinable public static var attributeKind: AttributeKind { Wrapped.attributeKind }
  /// Always true.
  @inlinable public static var isOptional: Bool { true }
  /// The stored form: null for `nil`.
  @inlinable public var propertyValue: PropertyValue {
    switch self {
    case .none: .null
    case .some(let value): value.propertyValue
    }
  }
  /// Converts a stored value. Returns the outer `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Wrapped?? {
    if case .null = value { return .some(.none) }
    guard let wrapped = Wrapped.from(value) else { return .none }
    return .some(.some(wrapped))
  }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  /// The type is stored like its raw value.
  @inlinable public static var attributeKind: AttributeKind { RawValue.attributeKind }
  /// The stored form of the raw value.
  @inlinable public var propertyValue: PropertyValue { rawValue.propertyValue }
  /// Converts a stored value. Returns `nil` for another kind, or for a raw value without a case.
  @inlinable public static func from(_ value: PropertyValue) -> Self? {
    guard let raw = RawValue.from(value) else { return nil }
    return Self(rawValue: raw)
  }
}
