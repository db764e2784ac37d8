#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// Reads a variable of a model's class: the property that it persists, and its problem.
///
/// It reports at most one problem for a property: the first that its author has to solve.
struct PropertyReader {
  private(set) var property: ModelProperty?
  private(set) var problems: [Problem] = []

  private let variable: VariableDeclSyntax
  private let marks: PropertyMarks

  init(_ variable: VariableDeclSyntax, of model: ClassDeclSyntax) {
    self.variable = variable
    marks = PropertyMarks(variable.attributes)
    if variable.modifiers.named(.static, .class) != nil {
      checkStatic()
    } else if checkName(in: model), checkMarks() {
      read(in: model)
    }
  }

  private mutating func report(_ id: String, _ text: String, at node: some SyntaxProtocol, _ remedies: Remedy...) {
    problems.append(Problem(id, text, at: node, remedies))
  }

  private mutating func checkStatic() {
    for binding in variable.bindings where binding.pattern.trimmedDescription == "entity" {
      report("name", "every model already has a static 'entity'; choose another name", at: binding.pattern)
    }
    if let mark = marks.attribute ?? marks.relationship ?? marks.transient {
      report(
        "static", "a static property belongs to no object and is not persisted", at: mark,
        Remedy("remove '@\(mark.lastName)'", .remove(mark)))
    }
  }

  /// The names that every model has already.
  private static let taken = ["id", "_storage", "state", "snapshot", "hashValue"]

  private mutating func checkName(in model: ClassDeclSyntax) -> Bool {
    for binding in variable.bindings {
      let name = binding.pattern.trimmedDescription.withoutBackticks
      guard Self.taken.contains(name) else { continue }
      report("name", "every model already has '\(name)'; choose another name", at: binding.pattern)
      return false
    }
    return true
  }

  private mutating func checkMarks() -> Bool {
    guard let extra = marks.superfluous.first, let first = variable.attributes.named(Self.markNames).first else {
      return true
    }
    let text =
      extra.lastName == first.lastName
      ? "'@\(extra.lastName)' is there twice" : "'@\(extra.lastName)' and '@\(first.lastName)' exclude each other"
    report("marks", text, at: extra, Remedy("remove '@\(extra.lastName)'", .remove(extra)))
    return false
  }

  private static let markNames: Set<String> = ["Attribute", "Relationship", "Transient"]

  private mutating func read(in model: ClassDeclSyntax) {
    if let binding = variable.bindings.first, variable.bindings.count == 1, binding.isComputed {
      if let mark = marks.attribute, mark.isDerived {
        readDerived(binding, mark, in: model)
        return
      }
      if let mark = marks.attribute ?? marks.relationship ?? marks.transient {
        report(
          "computed", "a computed property is not persisted, so '@\(mark.lastName)' has no effect", at: mark,
          Remedy("remove '@\(mark.lastName)'", .remove(mark)))
      }
      return
    }
    if let transient = marks.transient {
      checkTransient(transient)
      return
    }
    guard let binding = variable.bindings.first, variable.bindings.count == 1,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else {
      report("several", "declare each persisted property by itself", at: variable.bindings)
      return
    }
    guard let annotation = binding.typeAnnotation else {
      reportMissingType(binding, name)
      return
    }
    let type = PropertyType(annotation.type)
    guard !type.namesModel else {
      report(
        "typeName", "'Model' means this class here: write the type with its module, as in 'Shop.Model'",
        at: annotation.type)
      return
    }
    let isPlain = checkForm(binding, name)
    let rules = PropertyRules(variable: variable, binding: binding, name: name, type: type, marks: marks, model: model)
    guard let kind = rules.kind else {
      if isPlain, let problem = rules.problem { problems.append(problem) }
      return
    }
    if isPlain, let problem = rules.problem { problems.append(problem) }
    property = ModelProperty(
      name: name, type: type, kind: kind, defaultValue: rules.defaultValue, marks: marks,
      access: variable.modifiers.accessOfCompanions, needsValue: rules.needsValue, isDerived: false,
      isUsable: isPlain && rules.isUsable)
  }

  /// Reads a computed property whose value is also stored.
  private mutating func readDerived(
    _ binding: PatternBindingSyntax, _ mark: AttributeSyntax, in model: ClassDeclSyntax
  ) {
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
      let annotation = binding.typeAnnotation
    else { return }
    let type = PropertyType(annotation.type)
    let rules = PropertyRules(variable: variable, binding: binding, name: name, type: type, marks: marks, model: model)
    if let problem = rules.problem { problems.append(problem) }
    guard case .attribute = rules.kind else { return }
    property = ModelProperty(
      name: name, type: type, kind: .attribute, defaultValue: .none, marks: marks,
      access: variable.modifiers.accessOfCompanions, needsValue: false, isDerived: true, isUsable: rules.isUsable)
  }

  private mutating func checkTransient(_ mark: AttributeSyntax) {
    for binding in variable.bindings where binding.initializer == nil {
      if variable.bindingSpecifier.tokenKind == .keyword(.var), let type = binding.typeAnnotation?.type,
        type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      {
        continue
      }
      report(
        "transient", "a transient property needs an initial value, for objects that come from the store",
        at: binding.pattern)
    }
  }

  private mutating func reportMissingType(_ binding: PatternBindingSyntax, _ name: TokenSyntax) {
    let type = Self.literalType(binding.initializer?.value) ?? "<#Type#>"
    report(
      "type", "a persisted property needs its type written out: a macro cannot infer it", at: binding.pattern,
      Remedy("add ': \(type)'", .replace(binding.pattern, with: "\(name.text): \(type)")))
  }

  private static func literalType(_ value: ExprSyntax?) -> String? {
    guard let value else { return nil }
    if value.is(StringLiteralExprSyntax.self) { return "String" }
    if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if value.is(FloatLiteralExprSyntax.self) { return "Double" }
    if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    return nil
  }

  /// Rejects `let`, `lazy`, `weak` and observers, which a persisted property cannot have.
  private mutating func checkForm(_ binding: PatternBindingSyntax, _ name: TokenSyntax) -> Bool {
    let specifier = variable.bindingSpecifier
    let makeTransient = Remedy("keep it out of the store", .insertMark("@Transient ", before: variable))
    if specifier.tokenKind == .keyword(.let) {
      report(
        "let", "a persisted property must be 'var': an object gets its values after it is made", at: specifier,
        Remedy("change to 'var'", .replace(specifier, with: "var")))
    } else if let modifier = variable.modifiers.named(.lazy) {
      report(
        "lazy", "a persisted property cannot be lazy: its value is in the store", at: modifier,
        Remedy("remove 'lazy'", .remove(modifier)), makeTransient)
    } else if let modifier = variable.modifiers.named(.weak, .unowned) {
      report(
        "weak", "a persisted property cannot be '\(modifier.name.text)': it stores the other object's ID", at: modifier,
        Remedy("remove '\(modifier.trimmedDescription)'", .remove(modifier)), makeTransient)
    } else if let observer = binding.observers.first {
      report(
        "observer",
        "a persisted property cannot have '\(observer.accessorSpecifier.text)': undo, discard and other contexts would"
          + " change the value without it", at: observer, makeTransient)
    } else {
      return true
    }
    return false
  }
}
#endif
