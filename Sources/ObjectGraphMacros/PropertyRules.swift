#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax

/// Determines the description of a stored property in the schema, and checks that its type, initial value and marks fit
/// together.
struct PropertyRules {
  private(set) var kind: ModelProperty.Kind?
  private(set) var problem: Problem?
  /// Whether accessors can replace the property, even if there is a problem.
  private(set) var isUsable = true
  let defaultValue: DefaultValue

  private let binding: PatternBindingSyntax
  private let name: TokenSyntax
  private let type: PropertyType
  private let marks: PropertyMarks
  private let variable: VariableDeclSyntax

  init(
    variable: VariableDeclSyntax, binding: PatternBindingSyntax, name: TokenSyntax, type: PropertyType,
    marks: PropertyMarks, model: ClassDeclSyntax
  ) {
    self.variable = variable
    self.binding = binding
    self.name = name
    self.type = type
    self.marks = marks
    defaultValue = DefaultValue(binding.initializer, type: type)
    if case .toMany(let element) = type.shape {
      kind = .toMany(element)
      checkToMany()
    } else if let mark = marks.relationship {
      checkToOne(mark)
    } else {
      checkAttribute(in: model)
    }
    if kind == nil { isUsable = false }
    let name = name.text.withoutBackticks
    problem = problem ?? (marks.attribute ?? marks.relationship)?.problem(ofFormerNamesOf: name)
  }

  /// Whether an initialiser must assign the property. An optional written with a question mark is nil by default.
  var needsValue: Bool {
    guard case .attribute = kind, binding.initializer == nil else { return false }
    return binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) != true
  }

  private mutating func report(_ id: String, _ text: String, at node: some SyntaxProtocol, _ remedies: Remedy...) {
    problem = problem ?? Problem(id, text, at: node, remedies)
  }

  private mutating func unusable(_ id: String, _ text: String, at node: some SyntaxProtocol, _ remedies: Remedy...) {
    problem = problem ?? Problem(id, text, at: node, remedies)
    isUsable = false
  }

  // MARK: Relationships

  private mutating func checkToMany() {
    if type.isOptional {
      unusable(
        "toManyOptional", "a to-many relationship cannot be optional: without members, it is empty",
        at: type.original, Remedy("remove the optionality", .replace(type.original, with: "\(type.wrapped)")))
    } else if let mark = marks.attribute {
      report(
        "attributeMark", "'@Attribute' is for attributes; a property of type 'ToMany' is a relationship", at: mark,
        Remedy("remove '@Attribute'", .remove(mark)))
    } else if let initializer = binding.initializer {
      unusable(
        "toManyValue", "a to-many relationship takes no initial value; insert objects into it", at: initializer,
        removeInitialValue)
    }
    if let required = marks.relationship?.argument("required") {
      report("required", "'required' is for to-one relationships; write 'minimum: 1' for a to-many", at: required)
    }
    if let mutual = marks.relationship?.argument("mutual"), let inverse = marks.relationship?.argument("inverse") {
      report("mutual", "a mutual relationship is its own inverse: leave '\(inverse.trimmed)' out", at: mutual)
    }
    checkInverse()
  }

  private mutating func checkToOne(_ mark: AttributeSyntax) {
    switch type.shape {
    case .toMany: break
    case .scalar:
      kind = .attribute
      report(
        "relationshipMark", "'@Relationship' is for properties that hold models; '\(type.wrapped)' makes an attribute",
        at: mark, Remedy("remove '@Relationship'", .remove(mark)))
    case .unstorable:
      report(
        "relationshipType",
        "the type of a relationship is an optional model class, such as 'Folder?', or 'ToMany' of a model class",
        at: type.original)
    case .collection(let element):
      kind = .toMany(element)
      unusable(
        "relationshipType", "a to-many relationship has the type 'ToMany<\(element)>'", at: type.original,
        useToMany(element))
    case .named:
      kind = .toOne
      if type.isImplicitlyUnwrapped || !type.isOptional {
        unusable(
          "toOneOptional", "a to-one relationship must be optional: the other object may be deleted", at: type.original,
          Remedy("change to '\(type.wrapped)?'", .replace(type.original, with: "\(type.wrapped)?")))
      } else if let initializer = binding.initializer, !initializer.value.is(NilLiteralExprSyntax.self) {
        unusable(
          "toOneValue", "a to-one relationship takes no initial value; assign it in the initialiser", at: initializer,
          removeInitialValue)
      } else if let limit = mark.argument("minimum") ?? mark.argument("maximum") {
        report("limits", "'minimum' and 'maximum' are for to-many relationships; a to-one may be 'required'", at: limit)
      } else if let mutual = mark.argument("mutual") {
        report("mutual", "'mutual' is for to-many relationships", at: mutual)
      }
    }
    checkInverse()
  }

  private mutating func checkInverse() {
    guard let inverse = marks.relationship?.argument("inverse"), !inverse.is(NilLiteralExprSyntax.self),
      InverseName(inverse) == nil
    else { return }
    report(
      "inverse", #"name the inverse as a key path of one property of the other model, as in '\Person.items'"#,
      at: inverse)
  }

  private var removeInitialValue: Remedy {
    Remedy("remove the initial value", .replace(binding, with: binding.with(\.initializer, nil).trimmedDescription))
  }

  private func useToMany(_ element: TypeSyntax) -> Remedy {
    Remedy("change to 'ToMany<\(element)>'", .replace(binding, with: "\(name.text): ToMany<\(element)>"))
  }

  // MARK: Attributes

  private mutating func checkAttribute(in model: ClassDeclSyntax) {
    let makeTransient = Remedy("keep it out of the store", .insertMark("@Transient ", before: variable))
    switch type.shape {
    case .toMany: return
    case .unstorable:
      report(
        "attributeType", "the store cannot hold '\(type.written)': use a type that conforms to 'AttributeValue'",
        at: type.original, makeTransient)
      return
    case .collection(let element) where marks.attribute == nil:
      report(
        "attributeType",
        "mark an array or a set of values with '@Attribute'; for a to-many relationship, use 'ToMany<\(element)>'",
        at: type.original, useToMany(element),
        Remedy("store the values", .insertMark("@Attribute ", before: variable)), makeTransient)
      return
    case .scalar, .collection, .named:
      kind = .attribute
    }
    checkOptions()
    if type.isImplicitlyUnwrapped {
      unusable(
        "unwrapped",
        "a persisted property cannot be implicitly unwrapped with '!': an object from the store may have no value",
        at: type.original, Remedy("change to '\(type.wrapped)?'", .replace(type.original, with: "\(type.wrapped)?")))
    }
    if case .computed = defaultValue, let initializer = binding.initializer {
      let move = InitialValueMove(of: initializer, from: binding, named: name, in: model)
      problem =
        problem
        ?? Problem(
          "default", "the default of a persisted property must be a constant: assign this value in the initialiser",
          at: initializer.value, move.remedy.map { [$0] } ?? [])
    }
    if binding.isComputed {
      if case .named = type.shape, !type.isOptional {
        report(
          "noDefault",
          "a derived attribute of type '\(type.written)' must be optional: objects that were stored before it was"
            + " declared have no value", at: type.original,
          Remedy("make it optional", .replace(type.original, with: "\(type.written)?")))
      }
    } else if case .none = defaultValue, case .named = type.shape, !type.isOptional {
      report(
        "noDefault",
        "'\(name.text)' needs a default value or must be optional: the store may have no value for it, or a value that"
          + " '\(type.written)' cannot represent", at: binding.pattern,
        Remedy("add a default value", .replace(type.original, with: "\(type.written) = <#default#>")),
        Remedy("make it optional", .replace(type.original, with: "\(type.written)?")))
    }
  }

  private mutating func checkOptions() {
    var rules = 0
    for (name, argument) in marks.attribute?.options ?? [] {
      if let name, AttributeSyntax.mergeRules.contains(name) {
        rules += 1
        if rules > 1 { report("mergeRules", "an attribute has one merge rule at most", at: argument) }
        if binding.isComputed {
          report("mergeRules", "a derived attribute is not merged: it follows from merged attributes", at: argument)
        }
      } else if name == "searchable" {
        if type.isNoText {
          report("searchable", "only a text has words to search: '\(type.wrapped)' is not a text", at: argument)
        }
      } else if name == "derived" {
        if !binding.isComputed {
          report(
            "derived", "'.derived' is for computed properties: give this one a getter, or remove '.derived'",
            at: argument)
        }
      } else if name == "pattern", type.isNoText {
        report("rule", "only a text has a pattern: '\(type.wrapped)' is not a text", at: argument)
      } else if name == "required", !type.isOptional, type.isNoText {
        report("rule", "'\(type.wrapped)' is never nil: '.required' is for optionals and texts", at: argument)
      } else if name == "range", type.isText, argument.isRangeOfNumbers {
        report(
          "rule", "a text has no range of numbers: '.length(1...5)' is for the number of its characters", at: argument)
      } else if name == "length", type.isNumber {
        report("rule", "'\(type.wrapped)' has no length: texts, bytes, arrays and sets have one", at: argument)
      } else if name.map(AttributeSyntax.valueRules.contains) ?? false {
        continue
      } else if name != "indexed", name != "unique" {
        report("option", "write the option itself, as in '.indexed': a macro cannot read a variable", at: argument)
      }
    }
  }
}

extension LabeledExprSyntax {
  /// Whether the expression contains integer literals and no texts.
  fileprivate var isRangeOfNumbers: Bool {
    let tokens = expression.tokens(viewMode: .sourceAccurate).map(\.tokenKind)
    return tokens.contains { if case .integerLiteral = $0 { true } else { false } } && !tokens.contains(.stringQuote)
  }
}

extension FixIt.Change {
  static func insertMark(_ text: String, before declaration: VariableDeclSyntax) -> FixIt.Change {
    let first = declaration.firstToken(viewMode: .sourceAccurate) ?? declaration.bindingSpecifier
    return .replace(first, with: text + first.text)
  }
}
#endif
