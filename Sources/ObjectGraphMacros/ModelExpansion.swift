#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Generates the code that `@Model` adds to a class.
///
/// Names of library types include their own modules, because users may have types of the same names, and may import
/// either umbrella module.
struct ModelExpansion {
  let model: ModelDescription
  /// The location of a node in the user's file. `nil` if it is not known.
  let place: (Syntax) -> AbstractSourceLocation?

  private var access: String { model.access }
  private var properties: [ModelProperty] { model.properties }

  var members: [DeclSyntax] {
    [
      identifier, entity, storage, faultInitializer, plainInitializer, fields, keyPaths, snapshotType, snapshot,
      inverseCheck, baseCheck,
    ]
    .compactMap { $0.map { DeclSyntax("\(raw: $0)") } }
  }

  /// `ID` is declared, because the compiler treats an inferred one as inaccessible when it synthesises a conformance
  /// that uses it, as for `struct Row: Codable { var item: Item.ID }`.
  private var identifier: String? {
    "\(access)typealias ID = RepriseObjectModel.ObjectID<\(model.className)>"
  }

  private var entity: String? {
    let searched = properties.filter(\.isSearchable).map { ".searchIndex(\(quoted($0.storedName)))" }
    let indexes = model.indexes.map { index in
      let columns = "[\(index.columns.map(quoted).joined(separator: ", "))]"
      let history = index.keepsHistory ? ", keepsHistory: true" : ""
      return switch index.kind {
      case .plain: ".index(\(columns)\(history))"
      case .unique(nilsAreEqual: false): ".unique(\(columns)\(history))"
      case .unique(nilsAreEqual: true): ".unique(\(columns), nilsAreEqual: true\(history))"
      }
    }
    let lines = (properties.map(describe) + properties.flatMap(describeIndexes) + searched + indexes)
      .map { "    \($0),\n" }.joined()
    let list = lines.isEmpty ? "[]" : "[\n\(lines)  ]"
    let name = quoted(model.storedName) + was(model.formerNames)
    return """
      \(access)nonisolated static let entity = RepriseObjectModel.Entity(
        \(model.className).self, name: \(name),
        properties: \(list))
      """
  }

  private func describe(_ property: ModelProperty) -> String {
    let name = quoted(property.storedName)
    switch property.kind {
    case .attribute:
      // If the class has a mistake, rules and computations are left out.
      let isDerived = property.isDerived && isSound
      var text = "\(isDerived ? ".derived" : ".attribute")(\(name), \(property.type.metatype)"
      if isDerived { text += ", of: \(model.className).self" }
      if isDerived, let version = property.marks.attribute?.derivedVersion { text += ", version: \(version)" }
      if case .constant(let value) = property.defaultValue { text += ", default: \(value)" }
      let options = property.marks.attribute?.options.compactMap(\.name) ?? []
      let isIndexed = property.marks.attribute?.collations(of: "indexed").contains(nil) ?? false
      // A unique attribute already has an index.
      if isIndexed && !property.isUnique { text += ", indexed: true" }
      if let rule = options.first(where: AttributeSyntax.mergeRules.contains) { text += ", merge: .\(rule)" }
      let rules = isSound ? property.marks.attribute?.rules ?? [] : []
      if !rules.isEmpty { text += ", rules: [\(rules.joined(separator: ", "))]" }
      let value = isDerived ? " { $0.\(property.name.text) }" : ""
      return text + was(property.formerNames) + ")" + value
    case .toOne, .toMany:
      let target = property.target.map { "\($0)" } ?? ""
      var text = property.isToMany ? ".toMany" : ".toOne"
      text += "(\(name), \(target).self"
      let mark = property.marks.relationship
      // The compiler cannot resolve a key path in a mark on the same property.
      let isMutual = mark?.argument("mutual")?.trimmedDescription == "true"
      if let inverse = isMutual ? property.storedName : property.inverse?.name {
        text += ", inverse: \(quoted(inverse))"
      }
      for (label, parameter) in [
        ("deleteRule", "deleteRule"), ("required", "isRequired"), ("minimum", "minimum"), ("maximum", "maximum"),
      ] {
        if let value = mark?.argument(label) { text += ", \(parameter): \(value.trimmed)" }
      }
      if property.isToMany, property.type.isOrdered { text += ", isOrdered: true" }
      return text + was(property.formerNames) + ")"
    }
  }

  /// The argument for former names, after other arguments. Nothing if there are none.
  private func was(_ names: [String]) -> String {
    names.isEmpty ? "" : ", was: " + names.map(quoted).joined(separator: ", ")
  }

  /// The indexes over an attribute that are separate properties.
  private func describeIndexes(_ property: ModelProperty) -> [String] {
    guard let mark = property.marks.attribute else { return [] }
    func columns(_ collation: ExprSyntax?) -> String {
      let name = quoted(property.storedName)
      return collation.map { "[RepriseObjectModel.IndexColumn(\(name), \($0))]" } ?? "[\(name)]"
    }
    let unique = mark.collations(of: "unique").map(columns)
    let others = mark.collations(of: "indexed").compactMap { $0.map(columns) }.filter { !unique.contains($0) }
    return unique.map { ".unique(\($0))" } + others.map { ".index(\($0))" }
  }

  /// Whether the class has no problems. If it has, generated members that use its properties have no body, so that the
  /// compiler does not report the same mistake again.
  private var isSound: Bool { model.problems.isEmpty }

  private var storage: String? {
    let unchecked = isSound ? "" : "nonisolated(unsafe) "
    return "\(access)\(unchecked)var _storage = RepriseObjectModel.ObjectStorage(\(model.className).entity)"
  }

  /// The initialiser for faults. The defaults of properties are assigned before its body begins, so the body assigns
  /// the storage last.
  private var faultInitializer: String? {
    guard isSound else {
      return "\(access)nonisolated required init(_storage: RepriseObjectModel.ObjectStorage) { Swift.fatalError() }"
    }
    var lines = properties.filter { !$0.isRelationship && !$0.isDerived }.map {
      "  self.\($0.slotName) = RepriseObjectModel.PropertySlot()\n"
    }
    lines.append("  self._storage = _storage\n")
    return "\(access)required init(_storage: RepriseObjectModel.ObjectStorage) {\n\(lines.joined())}"
  }

  /// The initialiser that Swift would synthesise if there were no initialiser for faults.
  private var plainInitializer: String? {
    guard model.declaration.designatedInitializers.isEmpty, !properties.contains(where: \.needsValue) else {
      return nil
    }
    return "init() {\n}"
  }

  private var fields: String? {
    let members = properties.map { property in
      let own = "\(property.access)var \(property.name.text): "
      let path = "(_path.appending(\(quoted(property.storedName))))"
      let type =
        switch property.kind {
        case .attribute: "Field<\(model.className), \(property.type.wrapped)>"
        case .toOne: "ToOneField<\(model.className), \(property.type.wrapped)>"
        case .toMany(let element): "ToManyField<\(model.className), \(element)>"
        }
      return "  \(own)RepriseQuery.\(type) { RepriseQuery.\(type)\(path) }\n"
    }
    return """
      \(access)nonisolated struct Fields: RepriseObjectModel.FieldSet {
        \(access)typealias Model = \(model.className)
        private let _path: RepriseObjectModel.FieldPath
        \(access)init(_ path: RepriseObjectModel.FieldPath) { _path = path }
      \(members.joined())}
      """
  }

  private var keyPaths: String? {
    guard isSound else { return nil }
    let lines = properties.map { "    \\\(model.className).\($0.name.text): \(quoted($0.storedName)),\n" }.joined()
    return """
      \(access)nonisolated static var _keyPaths: [Swift.AnyKeyPath: Swift.String] {
        [
          \\\(model.className).id: "",
      \(lines)  ]
      }
      """
  }

  /// It has a memberwise initialiser, because the compiler does not synthesise one beside the initialiser for decoding.
  private var snapshotType: String? {
    let members = properties.filter { !$0.isToMany }.map { property in
      (
        property,
        type: property.isRelationship
          ? "RepriseObjectModel.ObjectID<\(property.type.wrapped)>?" : "\(property.type.written)"
      )
    }
    let lets = members.map { "  \($0.access)let \($0.name.text): \($1)\n" }
    let parameters = members.map { ", \($0.label): \($1)" }
    // The initialiser cannot have wider access than the types of its parameters.
    let narrow = members.contains { property, _ in property.access == "fileprivate " } ? "fileprivate " : ""
    let assignments = members.map { property, _ in "    self.\(property.name.text) = \(property.name.text)\n" }
    func calls(_ line: (_ method: String, _ name: String, ModelProperty) -> String) -> String {
      members.map { property, _ in
        "    \(line(property.isRelationship ? "reference" : "attribute", quoted(property.storedName), property))\n"
      }.joined()
    }
    guard isSound else {
      return """
        \(access)nonisolated struct Snapshot: Swift.Sendable, Swift.Identifiable {
          \(access)let id: RepriseObjectModel.ObjectID<\(model.className)>
        \(lets.joined())}
        """
    }
    let decoding = calls { "self.\($2.name.text) = try values.\($0)(\($1))" }
    let encoding = calls { "try values.\($0)(\($1), self.\($2.name.text))" }
    return """
      \(access)nonisolated struct Snapshot: Swift.Sendable, Swift.Identifiable, Swift.Codable {
        \(access)let id: RepriseObjectModel.ObjectID<\(model.className)>
      \(lets.joined())  \(narrow)init(id: RepriseObjectModel.ObjectID<\(model.className)>\(parameters.joined())) {
          self.id = id
      \(assignments.joined())  }
        \(access)init(from decoder: any Swift.Decoder) throws {
          let values = try RepriseObjectModel.SnapshotDecoder(decoder)
          self.id = try values.id()
      \(decoding)  }
        \(access)func encode(to encoder: any Swift.Encoder) throws {
          var values = RepriseObjectModel.SnapshotEncoder(encoder)
          try values.id(self.id)
      \(encoding)  }
      }
      """
  }

  private var snapshot: String? {
    guard isSound else { return "\(access)nonisolated var snapshot: Snapshot { Swift.fatalError() }" }
    let values = properties.enumerated().filter { !$1.isToMany }.map { slot, property in
      let value = property.isRelationship ? "_storage.toOneID(\(slot))" : "self.\(property.name.text)"
      return ",\n    \(property.label): \(value)"
    }
    return """
      \(access)nonisolated var snapshot: Snapshot {
        Snapshot(
          id: self.id\(values.joined()))
      }
      """
  }

  /// A function that is never called. In it, the compiler checks that the key path of an inverse leads back, because
  /// the argument of `@Relationship` has no type to check against. The error appears at that argument.
  private var inverseCheck: String? {
    guard isSound else { return nil }
    let checks = properties.compactMap { property -> String? in
      guard let inverse = property.inverse, let target = property.target else { return nil }
      let call = "RepriseObjectModel._Inverse.leads(\(inverse.path), from: \(target).self, to: \(model.className).self)"
      return located(call, at: Syntax(inverse.node))
    }
    guard !checks.isEmpty else { return nil }
    return "private nonisolated static func _checkInverses() {\n\(checks.joined())}"
  }

  /// A function that is never called. In it, the compiler refuses a base class, whose properties would not be stored.
  /// Only the compiler knows whether an inherited name is a class.
  private var baseCheck: String? {
    let checks = isSound ? model.inheritedTypes : []
    if checks.isEmpty { return nil }
    let functions = checks.enumerated().map { place, type in
      located(
        "func check\(place)<ThisModel>(_: ThisModel.Type) where ThisModel: \(type.trimmed), "
          + "ThisModel: RepriseObjectModel._HasNoBaseClass {}",
        at: Syntax(type))
    }
    return "private nonisolated static func _checkBaseClass() {\n\(functions.joined())}"
  }

  /// A line whose errors appear at a place in the program's source.
  private func located(_ line: String, at node: Syntax) -> String {
    guard let place = place(node) else { return "  \(line)\n" }
    return "#sourceLocation(file: \(place.file), line: \(place.line))\n\(line)\n#sourceLocation()\n"
  }

  private func quoted(_ text: String) -> String {
    StringLiteralExprSyntax(content: text).description
  }
}

extension ModelProperty {
  fileprivate var isSearchable: Bool {
    guard case .attribute = kind else { return false }
    return marks.attribute?.options.contains { $0.name == "searchable" } ?? false
  }

  var isRelationship: Bool { target != nil }
  var isToMany: Bool { if case .toMany = kind { true } else { false } }

  /// The name as an argument label, where keywords other than these need no backticks.
  var label: String { ["inout", "var", "let"].contains(storedName) ? name.text : storedName }
}

extension PropertyType {
  /// The type as a value.
  var metatype: String { "\(written).self" }
}
#endif
