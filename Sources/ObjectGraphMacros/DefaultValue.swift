#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// The initial value of an attribute. It must be a constant, because it becomes part of the schema. It is also
/// evaluated whenever an object is made, even for a stored object.
enum DefaultValue {
  case none
  /// `nil`, the implicit value of an optional.
  case null
  /// A constant, as an expression for the schema.
  case constant(String)
  case computed

  init(_ initializer: InitializerClauseSyntax?, type: PropertyType) {
    guard let value = initializer?.value else {
      self = .none
      return
    }
    if value.is(NilLiteralExprSyntax.self) {
      self = .null
    } else if Self.isLiteral(value) {
      self = .constant(value.trimmedDescription)
    } else if Self.isConstant(value) {
      // The constant has its type, because the compiler must look up `.draft` in the enum, not in the optional that the
      // schema takes.
      self = .constant("(\(value.trimmedDescription)) as \(type.written)")
    } else {
      self = .computed
    }
  }

  private static func isLiteral(_ value: ExprSyntax) -> Bool {
    if value.is(IntegerLiteralExprSyntax.self) || value.is(FloatLiteralExprSyntax.self) { return true }
    if value.is(BooleanLiteralExprSyntax.self) { return true }
    if let string = value.as(StringLiteralExprSyntax.self) {
      return string.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
    }
    if let prefixed = value.as(PrefixOperatorExprSyntax.self) { return isLiteral(prefixed.expression) }
    if let array = value.as(ArrayExprSyntax.self) { return array.elements.allSatisfy { isLiteral($0.expression) } }
    if let pairs = pairs(of: value) { return pairs.allSatisfy { isLiteral($0.key) && isLiteral($0.value) } }
    return false
  }

  /// The pairs of a dictionary.
  private static func pairs(of value: ExprSyntax) -> [DictionaryElementSyntax]? {
    guard let dictionary = value.as(DictionaryExprSyntax.self) else { return nil }
    if case .elements(let elements) = dictionary.content { return Array(elements) }
    return []
  }

  private static func isConstant(_ value: ExprSyntax) -> Bool {
    if isLiteral(value) { return true }
    if let prefixed = value.as(PrefixOperatorExprSyntax.self) { return isConstant(prefixed.expression) }
    if let array = value.as(ArrayExprSyntax.self) { return array.elements.allSatisfy { isConstant($0.expression) } }
    if let pairs = pairs(of: value) { return pairs.allSatisfy { isConstant($0.key) && isConstant($0.value) } }
    if let tuple = value.as(TupleExprSyntax.self) {
      return tuple.elements.count == 1 && tuple.elements.allSatisfy { isConstant($0.expression) }
    }
    if let sequence = value.as(SequenceExprSyntax.self) {
      return sequence.elements.allSatisfy { $0.is(BinaryOperatorExprSyntax.self) || isConstant($0) }
    }
    if let operation = value.as(InfixOperatorExprSyntax.self) {
      return operation.operator.is(BinaryOperatorExprSyntax.self) && isConstant(operation.leftOperand)
        && isConstant(operation.rightOperand)
    }
    return isStaticMember(value)
  }

  /// `.draft`, `Status.draft`, `Shop.Status.draft`.
  private static func isStaticMember(_ value: ExprSyntax) -> Bool {
    guard let access = value.as(MemberAccessExprSyntax.self), access.declName.argumentNames == nil else { return false }
    return access.base.map(isTypeName) ?? true
  }

  private static func isTypeName(_ value: ExprSyntax) -> Bool {
    if let type = value.as(DeclReferenceExprSyntax.self) { return type.baseName.text.first?.isUppercase == true }
    guard let access = value.as(MemberAccessExprSyntax.self), let base = access.base else { return false }
    return access.declName.baseName.text.first?.isUppercase == true && isTypeName(base)
  }
}
#endif
