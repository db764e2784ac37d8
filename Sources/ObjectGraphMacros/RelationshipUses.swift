#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// Finds relationships in the getters of derived attributes, also behind other members of the class.
///
/// A derived attribute would not change together with another object, so the library stops a program that reads a
/// relationship in such a getter. Uses in extensions, and uses through names that the getter declares itself, are not
/// found.
struct RelationshipUses {
  private(set) var problems: [Problem] = []
  private let relationships: Set<String>
  /// The code of the class's computed properties and functions, by name.
  private var bodies: [String: [Syntax]] = [:]

  init(_ model: ClassDeclSyntax, _ properties: [ModelProperty]) {
    relationships = Set(properties.filter(\.isRelationship).map(\.storedName))
    if relationships.isEmpty || !properties.contains(where: \.isDerived) { return }
    for member in model.memberBlock.members {
      if let variable = member.decl.as(VariableDeclSyntax.self), variable.modifiers.named(.static, .class) == nil {
        for binding in variable.bindings {
          guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text.withoutBackticks,
            let body = binding.accessorBlock
          else { continue }
          bodies[name, default: []].append(Syntax(body))
        }
      } else if let function = member.decl.as(FunctionDeclSyntax.self), let body = function.body {
        bodies[function.name.text.withoutBackticks, default: []].append(Syntax(body))
      }
    }
    for property in properties where property.isDerived {
      for body in bodies[property.storedName] ?? [] {
        for (name, node) in Self.uses(in: body) {
          guard let relationship = relationship(behind: name) else { continue }
          let way = relationship == name ? "" : ", which '\(name)' uses"
          problems.append(
            Problem(
              "derivedRelationship",
              "a derived attribute cannot use the relationship '\(relationship)'\(way): it would not change with the"
                + " related object", at: node))
          break
        }
      }
    }
  }

  /// The relationship of this name, or one that the member of this name uses.
  private func relationship(behind name: String) -> String? {
    var seen: Set<String> = []
    var names = [name]
    while let name = names.popLast() {
      if relationships.contains(name) { return name }
      guard seen.insert(name).inserted else { continue }
      for body in bodies[name] ?? [] { names += Self.uses(in: body).map(\.name) }
    }
    return nil
  }

  /// The names of members of the class in the code: alone, or after `self`.
  private static func uses(in body: Syntax) -> [(name: String, node: Syntax)] {
    var uses: [(name: String, node: Syntax)] = []
    var declared: Set<String> = []
    for token in body.tokens(viewMode: .sourceAccurate) {
      guard let parent = token.parent else { continue }
      let name = token.text.withoutBackticks
      if let reference = parent.as(DeclReferenceExprSyntax.self), reference.baseName == token {
        let access = parent.parent?.as(MemberAccessExprSyntax.self)
        let isBehindSelf = access?.base?.trimmedDescription == "self" && access?.declName.id == reference.id
        let isOfKeyPath = parent.parent?.is(KeyPathPropertyComponentSyntax.self) ?? false
        let isAlone = access?.declName.id != reference.id && !isOfKeyPath && !declared.contains(name)
        if isBehindSelf || isAlone { uses.append((name, Syntax(reference))) }
      } else if let binding = parent.parent?.as(OptionalBindingConditionSyntax.self), binding.initializer == nil,
        !declared.contains(name)
      {
        // `if let owner` reads the property `owner`.
        uses.append((name, parent))
        declared.insert(name)
      } else if parent.is(IdentifierPatternSyntax.self) || parent.is(ClosureParameterSyntax.self)
        || parent.is(ClosureShorthandParameterSyntax.self)
      {
        declared.insert(name)
      }
    }
    return uses
  }
}
#endif
