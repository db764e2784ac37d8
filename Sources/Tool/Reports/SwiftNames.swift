import RepriseCore
import RepriseObjectModel

/// The names of a schema in Swift. No two properties of an entity, and no two entities, have the same name.
struct SwiftNames {
  private let types: [String: SwiftName]
  private let properties: [String: [String: SwiftName]]

  init(_ entities: [Entity]) {
    let types = Self.distinct(entities.map(\.name), isType: true, taken: Self.takenTypes)
    // A property with the name of a type would hide the type.
    let taken = Self.taken.union(Self.takenTypes).union(types.values.map(\.text))
    let names = entities.map { ($0.name, ($0.attributes + $0.relationships).map(\.name)) }
    properties = Dictionary(
      names.map { ($0, Self.distinct($1, isType: false, taken: taken)) }, uniquingKeysWith: { first, _ in first })
    self.types = types
  }

  func type(_ entity: Entity) -> SwiftName { types[entity.name] ?? SwiftName(entity.name, isType: true) }

  func property(_ name: String, of entity: Entity) -> SwiftName {
    properties[entity.name]?[name] ?? SwiftName(name)
  }

  /// The names that each model has already, and names with another meaning in Swift.
  private static let taken: Set = [
    "_", "`self`", "`Self`", "`init`", "none", "some", "id", "_storage", "state", "snapshot", "hashValue", "entity",
  ]

  /// The types in the declarations of properties.
  private static let takenTypes: Set = [
    "Bool", "Int", "UInt", "Double", "String", "UInt8", "Date", "UniqueID", "Blob", "ToMany", "OrderedToMany", "Type",
    "Protocol",
  ]

  /// Names that Swift can spell as they are come first, so that these stay.
  private static func distinct(_ names: [String], isType: Bool, taken: Set<String>) -> [String: SwiftName] {
    var (found, used): ([String: SwiftName], Set<String>) = ([:], taken)
    let spelled = names.map { (name: $0, swift: SwiftName($0, isType: isType)) }
    for (name, swift) in spelled.filter({ $0.swift.isSame }) + spelled.filter({ !$0.swift.isSame }) {
      var swift = swift
      while !used.insert(swift.text).inserted { swift = swift.longer }
      found[name] = swift
    }
    return found
  }
}

/// A name of the store as Swift can spell it.
package struct SwiftName {
  package let text: String
  /// Whether it is the name in the store.
  package let isSame: Bool

  /// Another name, if a second declaration has this one.
  var longer: SwiftName { SwiftName(text: text.filter { $0 != "`" } + "_", isSame: false) }

  private init(text: String, isSame: Bool) { (self.text, self.isSame) = (text, isSame) }

  package init(_ name: String, isType: Bool = false) {
    let isPlain =
      !name.isEmpty && name.first?.isNumber == false && name.allSatisfy(Self.isPlain) && name != "_"
    guard !isPlain else {
      (text, isSame) = (Self.words.contains(name) ? "`\(name)`" : name, true)
      return
    }
    let words = name.split { !Self.isPlain($0) || $0 == "_" }.map(String.init)
    var joined = words.enumerated().map { $0 == 0 && !isType ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }
      .joined()
    if joined.first?.isNumber ?? true { joined = "_" + joined }
    (text, isSame) = (joined, false)
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character == "_" || character.isASCII && character.isNumber
  }

  /// The words that are no names in a declaration.
  private static let words: Set = [
    "Any", "Self", "as", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat", "rethrows",
    "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while",
  ]
}
