import RepriseObjectModel
import RepriseQuery

/// The type of a term, if the model is known.
enum ValueType: Equatable {
  case kind(AttributeKind)
  case object(Entity)

  /// `nil` for null, which belongs to every type, and for references, whose entity only a model checks.
  init?(of value: PropertyValue) {
    guard let kind = AttributeKind.allCases.first(where: { $0.accepts(value) }) else { return nil }
    self = .kind(kind)
  }

  /// The type as errors name it, in the words of `FetchError`.
  var name: String {
    switch self {
    case .kind(.bool): "a truth value"
    case .kind(.int): "an integer"
    case .kind(.unsigned): "an unsigned integer"
    case .kind(.double): "a floating-point number"
    case .kind(.string): "a text"
    case .kind(.bytes): "bytes"
    case .kind(.date): "a date"
    case .kind(.uuid): "a UUID"
    case .kind(.blob): "a blob"
    case .object(let entity): "an object of \(entity.name)"
    }
  }

  static func name(of value: PropertyValue) -> String {
    if case .reference(let id) = value { return "an object of \(id.entity)" }
    return ValueType(of: value)?.name ?? "nil"
  }

  /// A literal as a value of this type: an integer is also a floating-point or unsigned number, and a UUID the ID of an
  /// object. `nil` for any other value of another type.
  func value(_ literal: PropertyValue) -> PropertyValue? {
    switch (self, literal) {
    case (_, .null): literal
    case (.kind(.double), .int(let number)): .double(Double(number))
    case (.kind(.double), .unsigned(let number)): .double(Double(number))
    case (.kind(.unsigned), .int(let number)): UInt64(exactly: number).map { .unsigned($0) }
    case (.kind(let kind), _): kind.accepts(literal) ? literal : nil
    case (.object(let entity), .uuid(let uuid)): .reference(AnyObjectID(entity.interned, uuid))
    case (.object(let entity), .reference(let id)): entity.isEverNamed(id.entity) ? literal : nil
    case (.object, _): nil
    }
  }

  /// The type of a computation. `nil` for operands that cannot be combined.
  static func result(_ operation: ComputationStep.Binary, _ left: ValueType, _ right: ValueType) -> ValueType? {
    switch (operation, left, right) {
    case (_, .kind(.int), .kind(.int)), (_, .kind(.unsigned), .kind(.unsigned)), (_, .kind(.double), .kind(.double)):
      left
    case (.subtract, .kind(.date), .kind(.date)): .kind(.double)
    case (.add, .kind(.date), .kind(.double)), (.subtract, .kind(.date), .kind(.double)),
      (.add, .kind(.double), .kind(.date)):
      .kind(.date)
    default: nil
    }
  }

  /// Whether the type can be an operand of a computation.
  var isComputable: Bool {
    switch self {
    case .kind(.int), .kind(.unsigned), .kind(.double), .kind(.date): true
    default: false
    }
  }

  /// The type that a literal needs next to an operand of this type.
  var companion: ValueType { self == .kind(.date) ? .kind(.double) : self }
}
