#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// An index over several properties, or a unique one, as a class declares it.
struct ModelIndex {
  /// The names of the properties.
  let columns: [String]
  let kind: Kind
  let keepsHistory: Bool

  enum Kind {
    case plain
    case unique(nilsAreEqual: Bool)
  }
}

/// Reads `#Index<Item>([\.isDone, \.dueDate])` and `#Unique` in a model's class: the columns of each index, and the
/// problems.
struct IndexReader {
  private(set) var indexes: [ModelIndex] = []
  private let known: [[String]]
  private let kind: ModelIndex.Kind
  private let keepsHistory: Bool
  private(set) var problems: [Problem] = []

  /// The limit of the schema.
  private static let columnLimit = 16

  /// `nil` for the expansion of any other macro.
  init?(
    _ expansion: MacroExpansionDeclSyntax, of model: ClassDeclSyntax, _ properties: [ModelProperty],
    besides known: [[String]]
  ) {
    let name = expansion.macroName.text
    guard name == "Index" || name == "Unique" else { return nil }
    self.known = known
    // An array, because filtering the syntax list would make a separate tree. Problems in such a tree have no place in
    // the source.
    let arguments = Array(expansion.arguments)
    func options(_ label: String) -> [ExprSyntax] { arguments.filter { $0.label?.text == label }.map(\.expression) }
    func isTrue(_ label: String) -> Bool {
      options(label).contains { $0.as(BooleanLiteralExprSyntax.self)?.literal.tokenKind == .keyword(.true) }
    }
    kind = name == "Unique" ? .unique(nilsAreEqual: isTrue("nilsAreEqual")) : .plain
    keepsHistory = isTrue("keepsHistory")
    for option in options("nilsAreEqual") + options("keepsHistory")
    where option.as(BooleanLiteralExprSyntax.self) == nil {
      report("index", "write 'true' or 'false' here: a macro cannot read the value of a variable", at: option)
    }
    // The compiler itself reports wrong labels.
    let lists = arguments.filter { $0.label == nil }
    if lists.isEmpty {
      let example = #"'#\#(name)<\#(model.name.text)>([\.isDone, \.due])'"#
      report("index", "name the properties of the index, as in \(example)", at: expansion)
    }
    for argument in lists { read(argument.expression, properties) }
  }

  private mutating func report(_ id: String, _ text: String, at node: some SyntaxProtocol) {
    problems.append(Problem(id, text, at: node))
  }

  private mutating func read(_ argument: ExprSyntax, _ properties: [ModelProperty]) {
    guard let list = argument.as(ArrayExprSyntax.self) else {
      report("index", #"write the properties of an index out, as in '[\.isDone, \.due]'"#, at: argument)
      return
    }
    if list.elements.isEmpty {
      report("index", "an index needs at least one property", at: list)
      return
    }
    if list.elements.count > Self.columnLimit {
      report("index", "an index has \(Self.columnLimit) properties at most", at: list)
      return
    }
    var names: [String] = []
    for element in list.elements {
      guard let name = name(of: element.expression, properties) else { return }
      if names.contains(name) {
        report("index", "'\(name)' is in this index already: remove it here", at: element.expression)
        return
      }
      names.append(name)
    }
    if known.contains(names) || indexes.contains(where: { $0.columns == names }) {
      report("index", "there is an index over these properties already: remove this one", at: list)
    } else {
      indexes.append(ModelIndex(columns: names, kind: kind, keepsHistory: keepsHistory))
    }
  }

  private mutating func name(of column: ExprSyntax, _ properties: [ModelProperty]) -> String? {
    guard let path = column.as(KeyPathExprSyntax.self),
      let last = path.components.last?.component.as(KeyPathPropertyComponentSyntax.self)
    else {
      report("index", #"name a property of an index by its key path, as in '\.isDone'"#, at: column)
      return nil
    }
    // The components before the last may belong to the type's name, if the path has a root: `\Shop.Item.name`.
    let isOwn = path.components.dropLast().allSatisfy { component in
      let name = component.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text
      return path.root != nil && name?.first?.isUppercase == true
    }
    let name = last.declName.baseName.text.withoutBackticks
    guard isOwn else {
      report("index", "an index can name only properties of this model, not properties of a related model", at: column)
      return nil
    }
    guard let property = properties.first(where: { $0.storedName == name }) else {
      report("index", "'\(name)' is not persisted, so no index can have it", at: column)
      return nil
    }
    if property.isToMany {
      report(
        "index",
        "'\(name)' is to-many, and this model stores no value for it: index the to-one at its other end, if there is"
          + " one",
        at: column)
      return nil
    }
    return name
  }
}
#endif
