#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// The marks on a property: `@Attribute`, `@Relationship` and `@Transient`.
struct PropertyMarks {
  let attribute: AttributeSyntax?
  let relationship: AttributeSyntax?
  let transient: AttributeSyntax?
  /// All marks but the first: they exclude each other.
  let superfluous: [AttributeSyntax]

  init(_ attributes: AttributeListSyntax) {
    let all = attributes.named(["Attribute", "Relationship", "Transient"])
    attribute = all.first { $0.lastName == "Attribute" }
    relationship = all.first { $0.lastName == "Relationship" }
    transient = all.first { $0.lastName == "Transient" }
    superfluous = Array(all.dropFirst())
  }
}

extension AttributeListSyntax {
  func named(_ names: Set<String>) -> [AttributeSyntax] {
    compactMap { element in
      guard case .attribute(let attribute) = element, names.contains(attribute.lastName) else { return nil }
      return attribute
    }
  }
}

extension AttributeSyntax {
  /// `Model` of `@Model` and of `@Reprise.Model`.
  var lastName: String { PropertyType.name(of: attributeName) ?? "" }

  /// The arguments in parentheses, in order.
  var labeledArguments: [LabeledExprSyntax] {
    guard let list = arguments?.as(LabeledExprListSyntax.self) else { return [] }
    return Array(list)
  }

  /// The options of `@Attribute`: the name of each, `nil` if it is not a name, and the argument itself.
  var options: [(name: String?, argument: LabeledExprSyntax)] {
    labeledArguments.prefix { $0.label == nil }.map { argument in
      let member = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? argument.expression
      return (member.as(MemberAccessExprSyntax.self)?.declName.baseName.text, argument)
    }
  }

  /// The names in `was:`, in `@Model`, `@Attribute` and `@Relationship`.
  var formerNames: [LabeledExprSyntax] {
    guard let first = labeledArguments.firstIndex(where: { $0.label?.text == "was" }) else { return [] }
    return [labeledArguments[first]] + labeledArguments[(first + 1)...].prefix { $0.label == nil }
  }

  /// The problem of `was:` for a declaration with the present name `name`.
  func problem(ofFormerNamesOf name: String) -> Problem? {
    var names: Set<String> = [name]
    for argument in formerNames {
      guard let former = argument.expression.literalText, !former.isEmpty else {
        return Problem("formerName", "a former name is a string literal, and not empty", at: argument.expression)
      }
      if !names.insert(former).inserted {
        let text = former == name ? "'\(former)' is the present name: remove it here" : "'\(former)' is there twice"
        return Problem("formerName", text, at: argument.expression)
      }
    }
    return nil
  }

  /// The collations of `@Attribute(.indexed(.ignoringCase))` or of `.unique(.ignoringCase)`. `nil` for the option
  /// alone.
  func collations(of option: String) -> [ExprSyntax?] {
    options.filter { $0.name == option }.map {
      $0.argument.expression.as(FunctionCallExprSyntax.self)?.arguments.first?.expression.trimmed
    }
  }

  /// The options that are merge rules.
  static let mergeRules = ["counter", "set", "lastWriter", "text"]

  /// The options that are rules of the values.
  static let valueRules = ["required", "range", "length", "byteCount", "pattern", "allowedValues", "valid"]

  /// The rules of this mark, as `AttributeRule` spells them.
  var rules: [String] {
    options.filter { $0.name.map(Self.valueRules.contains) ?? false }.map { _, argument in
      guard let call = argument.expression.as(FunctionCallExprSyntax.self),
        let member = call.calledExpression.as(MemberAccessExprSyntax.self)
      else { return argument.expression.trimmedDescription }
      return call.with(\.calledExpression, ExprSyntax(member.with(\.base, nil).trimmed)).trimmedDescription
    }
  }

  var isDerived: Bool { options.contains { $0.name == "derived" } }

  /// The version of a derived attribute. `nil` if it is not given.
  var derivedVersion: ExprSyntax? {
    options.first { $0.name == "derived" }?.argument.expression.as(FunctionCallExprSyntax.self)?.arguments.first?
      .expression.trimmed
  }

  func argument(_ label: String) -> ExprSyntax? { labeledArguments.first { $0.label?.text == label }?.expression }
}

/// The inverse of a relationship as `@Relationship(inverse: \Person.items)` names it.
struct InverseName {
  let path: KeyPathExprSyntax
  /// The node in the source.
  let node: ExprSyntax
  let name: String
  /// The last name of the type whose property it is.
  let owner: String?

  /// `nil` unless it is the key path of a type's own property.
  init?(_ expression: ExprSyntax) {
    guard let path = expression.as(KeyPathExprSyntax.self), path.root != nil else { return nil }
    let names = path.components.map { $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text }
    // The components before the last belong to the type's name: `\Shop.Person.items`.
    guard let last = names.last, let name = last, names.dropLast().allSatisfy({ $0?.first?.isUppercase == true }) else {
      return nil
    }
    self.path = path.trimmed
    node = expression
    owner = names.dropLast().last.flatMap { $0 } ?? path.root.flatMap { PropertyType.name(of: $0) }
    self.name = name.withoutBackticks
  }
}

extension ExprSyntax {
  /// The text of a string literal without interpolations.
  var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension String {
  var withoutBackticks: String { filter { $0 != "`" } }
}
#endif
