/// A type that an attribute of a model can have.
///
/// Conforming already: `Bool`, the integers, `Float`, `Double`, `String`, `[UInt8]`, `Duration`, ``UniqueID``,
/// ``Blob``, and with the product `Reprise` Foundation's `Date`, `Data`, `UUID`, `URL` and `Decimal`; optionals of
/// all that conforms; arrays, sets and dictionaries of it, as long as no blobs are in them. An enum with a raw value of
/// one of these conforms by naming the protocol: `enum Party: String, AttributeValue { … }`; so does an option set. A
/// struct of several values conforms as a `CodableAttribute`, of the product `Reprise`.
///
/// Any other type conforms by saying how it is stored. Conditions, orders and indexes are those of the stored form:
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
/// `Sendable`, for values are part of snapshots; that also keeps conformances usable from every isolation.
public protocol AttributeValue: Sendable {
  /// The type without "no value": of an optional what it wraps, of any other type itself. Rules are about it.
  associatedtype Unwrapped: AttributeValue = Self
  /// What is stored.
  static var attributeKind: AttributeKind { get }
  /// Whether "no value" is a value of the type.
  static var isOptional: Bool { get }
  /// The stored form.
  var propertyValue: PropertyValue { get }
  /// From the stored form; `nil` if it is of another kind or out of range.
  static func from(_ value: PropertyValue) -> Self?
  /// The stored form of what a required attribute has if no default is declared: zero, false, or empty. If it is not
  /// readable, as of an enum, a default must be declared.
  static var zeroForm: PropertyValue { get }
  /// Whether ``from(_:)`` returns a value for every stored value of the kind: true for `String`, false for an enum. If
  /// it is true, saves do not call ``from(_:)`` to check values. The default is false.
  static var readsEveryValue: Bool { get }
  /// Stored forms of earlier versions of the type, each with the present form of the value that ``from(_:)`` makes of
  /// it: a condition for the value finds them, too. See ``FormerCases``.
  static var formerForms: [PropertyValue: PropertyValue] { get }
  /// Of numbers that are stored as bytes, what sums them.
  static var _exactSum: (any _ExactSum)? { get }
}

extension AttributeValue {
  /// False, but for optionals.
  @inlinable public static var isOptional: Bool { false }
  /// That of the kind which is stored.
  public static var zeroForm: PropertyValue { attributeKind.zero }
  /// False: a save asks ``from(_:)``.
  @inlinable public static var readsEveryValue: Bool { false }
  /// None.
  public static var formerForms: [PropertyValue: PropertyValue] { [:] }
  /// None.
  public static var _exactSum: (any _ExactSum)? { nil }
}

extension Bool: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as a truth value.
  @inlinable public static var attributeKind: AttributeKind { .bool }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .bool(self) }
  /// From the stored form; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Bool? {
    if case .bool(let value) = value { value } else { nil }
  }
}

extension AttributeValue where Self: FixedWidthInteger {
  /// Stored as a signed integer of 64 bits.
  @inlinable public static var attributeKind: AttributeKind { .int }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .int(Int64(truncatingIfNeeded: self)) }
  /// From the stored form; `nil` for another kind or a number that does not fit.
  @inlinable public static func from(_ value: PropertyValue) -> Self? {
    if case .int(let value) = value { Self(exactly: value) } else { nil }
  }
}

extension Int: AttributeValue {
  /// Whether it has 64 bits.
  @inlinable public static var readsEveryValue: Bool { bitWidth >= 64 }
}

extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
}

extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}

extension UInt: AttributeValue {
  /// Stored as an unsigned integer of 64 bits.
  @inlinable public static var attributeKind: AttributeKind { .unsigned }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .unsigned(UInt64(self)) }
  /// From the stored form; `nil` for another kind or a number that does not fit.
  @inlinable public static func from(_ value: PropertyValue) -> UInt? {
    if case .unsigned(let value) = value { UInt(exactly: value) } else { nil }
  }
}

extension UInt64: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as an unsigned integer of 64 bits.
  @inlinable public static var attributeKind: AttributeKind { .unsigned }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .unsigned(self) }
  /// From the stored form; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> UInt64? {
    if case .unsigned(let value) = value { value } else { nil }
  }
}

extension Double: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as it is.
  @inlinable public static var attributeKind: AttributeKind { .double }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .double(self) }
  /// From the stored form; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Double? {
    if case .double(let value) = value { value } else { nil }
  }
}

extension Float: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as a `Double`, which holds every `Float` exactly.
  @inlinable public static var attributeKind: AttributeKind { .double }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .double(Double(self)) }
  /// From the stored form, rounded; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Float? {
    if case .double(let value) = value { Float(value) } else { nil }
  }
}

extension String: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as UTF-8, byte for byte.
  @inlinable public static var attributeKind: AttributeKind { .string }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .string(self) }
  /// From the stored form; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> String? {
    if case .string(let value) = value { value } else { nil }
  }
}

extension UniqueID: AttributeValue {
  /// True.
  @inlinable public static var readsEveryValue: Bool { true }
  /// Stored as 16 bytes.
  @inlinable public static var attributeKind: AttributeKind { .uuid }
  /// The stored form.
  @inlinable public var propertyValue: PropertyValue { .uuid(self) }
  /// From the stored form; `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> UniqueID? {
    if case .uuid(let value) = value { value } else { nil }
  }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// What it wraps.
  public typealias Unwrapped = Wrapped
  /// Those of the wrapped type.
  public static var formerForms: [PropertyValue: PropertyValue] { Wrapped.formerForms }
  /// That of the wrapped type.
  public static var _exactSum: (any _ExactSum)? { Wrapped._exactSum }
  /// As of the wrapped type.
  @inlinable public static var readsEveryValue: Bool { Wrapped.readsEveryValue }
  /// Stored as the wrapped type is.
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
  /// From the stored form; the outer `nil` for another kind.
  @inlinable public static func from(_ value: PropertyValue) -> Wrapped?? {
    if case .null = value { return .some(.none) }
    guard let wrapped = Wrapped.from(value) else { return .none }
    return .some(.some(wrapped))
  }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  /// Stored as the raw value is.
  @inlinable public static var attributeKind: AttributeKind { RawValue.attributeKind }
  /// The stored form of the raw value.
  @inlinable public var propertyValue: PropertyValue { rawValue.propertyValue }
  /// From the stored form; `nil` for another kind or a raw value without a case.
  @inlinable public static func from(_ value: PropertyValue) -> Self? {
    guard let raw = RawValue.from(value) else { return nil }
    return Self(rawValue: raw)
  }
}
