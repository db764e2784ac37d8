#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// The facts that `@Model` reads from a class: its name, its properties, and their problems.
struct ModelDescription {
  let declaration: ClassDeclSyntax
  let properties: [ModelProperty]
  /// The indexes over several properties.
  let indexes: [ModelIndex]
  let problems: [Problem]
  /// The name in the store.
  let storedName: String
  let formerNames: [String]

  var className: String { declaration.name.text }
  var access: String { declaration.modifiers.accessOfCompanions }

  /// The inherited types that may be classes.
  var inheritedTypes: [TypeSyntax] {
    (declaration.inheritanceClause?.inheritedTypes ?? []).flatMap { Self.parts(of: $0.type) }.filter { type in
      PropertyType.name(of: type).map { !Self.protocols.contains($0) } ?? false
    }
  }

  /// The types in a composition such as `Base & Named`, or the type itself.
  private static func parts(of type: TypeSyntax) -> [TypeSyntax] {
    guard let composition = type.as(CompositionTypeSyntax.self) else { return [type] }
    return composition.elements.flatMap { parts(of: $0.type) }
  }

  /// Protocols that are known not to be classes.
  private static let protocols: Set<String> = [
    "PersistentModel", "ValidatableModel", "Codable", "Encodable", "Decodable", "Equatable", "Hashable", "Comparable",
    "Identifiable", "CustomStringConvertible", "CustomDebugStringConvertible", "CustomReflectable",
  ]

  /// Reads a class. `nil` if it cannot become a model at all, for the reasons in `problems`.
  static func read(
    _ declaration: some DeclGroupSyntax, marked attribute: AttributeSyntax
  ) -> (model: ModelDescription?, problems: [Problem]) {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      return (nil, [notAClass(Syntax(declaration), marked: attribute)])
    }
    if let generics = declaration.genericParameterClause {
      return (
        nil,
        [
          Problem(
            "generic", "a model cannot be generic: all its objects have the same properties in the store", at: generics)
        ]
      )
    }
    let model = ModelDescription(declaration, marked: attribute)
    return (model, model.problems)
  }

  private init(_ declaration: ClassDeclSyntax, marked attribute: AttributeSyntax) {
    self.declaration = declaration
    var problems = Self.problems(of: declaration)
    (storedName, problems) = Self.storedName(of: declaration, marked: attribute, adding: problems)
    formerNames = attribute.formerNames.compactMap(\.expression.literalText)
    if let problem = attribute.problem(ofFormerNamesOf: storedName) { problems.append(problem) }
    var properties: [ModelProperty] = []
    for member in declaration.memberBlock.members {
      if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        problems += Self.problems(of: conditional)
      } else if let variable = member.decl.as(VariableDeclSyntax.self) {
        let reader = PropertyReader(variable, of: declaration)
        problems += reader.problems
        if let property = reader.property { properties.append(property) }
      } else {
        problems += Self.clashes(of: member.decl)
      }
    }
    problems += Self.problems(ofInverses: properties, in: declaration.name.text.withoutBackticks)
    problems += RelationshipUses(declaration, properties).problems
    if let problem = Self.missingInitializer(in: declaration, for: properties) { problems.append(problem) }
    var indexes: [ModelIndex] = []
    let ofAttributes = properties.filter(\.isUnique).map { [$0.storedName] }
    for member in declaration.memberBlock.members {
      guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self),
        let reader = IndexReader(expansion, of: declaration, properties, besides: ofAttributes + indexes.map(\.columns))
      else { continue }
      indexes += reader.indexes
      problems += reader.problems
    }
    self.indexes = indexes
    self.properties = properties
    self.problems = problems
  }

  private static func notAClass(_ declaration: Syntax, marked attribute: AttributeSyntax) -> Problem {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      return Problem("class", "'@Model' is for classes: an object of a store has an identity", at: attribute)
    }
    return Problem(
      "class", "'@Model' is for classes: an object of a store has an identity", at: declaration.structKeyword,
      Remedy("change to 'final class'", .replace(declaration.structKeyword, with: "final class")))
  }

  private static func problems(of declaration: ClassDeclSyntax) -> [Problem] {
    var problems: [Problem] = []
    if declaration.modifiers.named(.final) == nil {
      let remedy =
        declaration.modifiers.named(.open).map {
          Remedy("change to 'public final'", .replace($0, with: "public final"))
        }
        ?? Remedy("add 'final'", .replace(declaration.classKeyword, with: "final class"))
      problems.append(
        Problem(
          "final", "a model must be final: the store makes its objects, and knows no subclasses",
          at: declaration.classKeyword, remedy))
    }
    for attribute in declaration.attributes.named(["MainActor"]) {
      problems.append(
        Problem(
          "isolation", "a model cannot belong to an actor: each object belongs to the isolation of its context",
          at: attribute, Remedy("remove '@MainActor'", .remove(attribute))))
    }
    for inherited in declaration.inheritanceClause?.inheritedTypes ?? []
    where inherited.type.trimmedDescription.split(whereSeparator: { $0 == " " || $0 == "." }).last == "Sendable" {
      problems.append(
        Problem(
          "sendable", "a model cannot be Sendable: hand over an object's 'id' or its 'snapshot'", at: inherited.type))
    }
    return problems
  }

  private static func storedName(
    of declaration: ClassDeclSyntax, marked attribute: AttributeSyntax, adding problems: [Problem]
  ) -> (String, [Problem]) {
    let className = declaration.name.text.withoutBackticks
    guard let first = attribute.labeledArguments.first, first.label == nil else { return (className, problems) }
    let argument = first.expression
    if let name = argument.literalText, !name.isEmpty { return (name, problems) }
    let problem = Problem("entityName", "the name of a model is a string literal, and not empty", at: argument)
    return (className, problems + [problem])
  }

  private static func problems(of conditional: IfConfigDeclSyntax) -> [Problem] {
    conditional.clauses.flatMap { clause -> [Problem] in
      guard let members = clause.elements?.as(MemberBlockItemListSyntax.self) else { return [] }
      return members.compactMap { member in
        guard let variable = member.decl.as(VariableDeclSyntax.self), variable.modifiers.named(.static, .class) == nil,
          PropertyMarks(variable.attributes).transient == nil, !variable.bindings.allSatisfy(\.isComputed)
        else { return nil }
        return Problem(
          "conditional",
          "a persisted property cannot depend on a build condition: the store is the same for all builds",
          at: variable.bindings, Remedy("keep it out of the store", .insertMark("@Transient ", before: variable)))
      }
    }
  }

  /// Rejects nested types with the names of generated ones.
  private static func clashes(of member: DeclSyntax) -> [Problem] {
    let name =
      member.as(StructDeclSyntax.self)?.name ?? member.as(ClassDeclSyntax.self)?.name
      ?? member.as(EnumDeclSyntax.self)?.name ?? member.as(TypeAliasDeclSyntax.self)?.name
    guard let name, ["Fields", "Snapshot", "ID"].contains(name.text) else { return [] }
    return [Problem("name", "every model already has a type '\(name.text)'; choose another name", at: name)]
  }

  /// The problems of inverses that names show. The compiler checks their types.
  private static func problems(ofInverses properties: [ModelProperty], in model: String) -> [Problem] {
    var problems: [Problem] = []
    for property in properties {
      guard let inverse = property.inverse, let owner = inverse.owner, let target = property.target,
        let target = PropertyType.name(of: target)
      else { continue }
      if owner != target, owner != "Self" {
        problems.append(
          Problem(
            "inverse", "the inverse of a relationship to '\(target)' is a property of '\(target)', not of '\(owner)'",
            at: inverse.node))
      } else if let other = properties.first(where: { $0.storedName == inverse.name }), target == model,
        other.inverse?.name == property.storedName, other.storedName > property.storedName
      {
        problems.append(
          Problem(
            "inverse", "name the inverse at one end only: '\(other.storedName)' names this one already",
            at: inverse.node))
      }
    }
    return problems
  }

  private static func missingInitializer(in declaration: ClassDeclSyntax, for properties: [ModelProperty]) -> Problem? {
    let needed = properties.filter { $0.needsValue && $0.isUsable }
    guard let first = needed.first, declaration.designatedInitializers.isEmpty else { return nil }
    let parameters = needed.map { "\($0.name.text): \($0.type.written)" }.joined(separator: ", ")
    let statements = needed.map { "    self.\($0.name.text) = \($0.name.text)\n" }.joined()
    let brace = declaration.memberBlock.rightBrace
    let access = declaration.modifiers.accessOfCompanions
    return Problem(
      "initializer", "a model needs an initialiser, because '\(first.storedName)' has no initial value",
      at: declaration.name,
      Remedy(
        "add an initialiser", .replace(brace, with: "\n  \(access)init(\(parameters)) {\n\(statements)  }\n}")))
  }
}
#endif
