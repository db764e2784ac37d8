#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import XCTest

/// Properties that cannot be persisted as they are written, each with its diagnostic.
final class PropertyProblemTests: XCTestCase {
  /// A property marked with ¶, in a model; what each remedy makes of it.
  private func check(
    _ property: String, _ message: String, _ remedies: (String, String)..., curesAll: Bool = true,
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    func model(_ property: String) -> String { "@Model final class Item {\n  \(property)\n}" }
    try assertProblem(
      model(property), message, remedies: remedies.map { ($0.0, model($0.1)) }, curesAll: curesAll, file: file,
      line: line)
  }

  private func assertFine(_ property: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let misuse = try Misuse("@Model final class Item {\n  \(property)\n}")
    XCTAssertEqual(misuse.diagnostics.map(\.message), [], property, file: file, line: line)
  }

  func testAConstantIsRefused() throws {
    try check(
      "¶let name: String = \"\"",
      "a persisted property must be 'var': an object gets its values after it is made",
      ("change to 'var'", "var name: String = \"\""))
  }

  func testALazyPropertyIsRefused() throws {
    try check(
      "public ¶lazy var name: String = \"\"", "a persisted property cannot be lazy: its value is in the store",
      ("remove 'lazy'", "public var name: String = \"\""),
      ("keep it out of the store", "@Transient public lazy var name: String = \"\""))
  }

  func testAWeakPropertyIsRefused() throws {
    try check(
      "¶weak var owner: Person?", "a persisted property cannot be 'weak': it stores the other object's ID",
      ("remove 'weak'", "var owner: Person?"), ("keep it out of the store", "@Transient weak var owner: Person?"))
    try check(
      "¶unowned(unsafe) var owner: Person?",
      "a persisted property cannot be 'unowned': it stores the other object's ID",
      ("remove 'unowned(unsafe)'", "var owner: Person?"),
      ("keep it out of the store", "@Transient unowned(unsafe) var owner: Person?"))
  }

  func testAnObserverThatWouldNeverBeCalledIsRefused() throws {
    let why = "undo, discard and other contexts would change the value without it"
    try check(
      "var name: String = \"\" { ¶didSet { print(name) } }", "a persisted property cannot have 'didSet': \(why)",
      ("keep it out of the store", "@Transient var name: String = \"\" { didSet { print(name) } }"))
    try check(
      "var name: String? { ¶willSet {} }", "a persisted property cannot have 'willSet': \(why)",
      ("keep it out of the store", "@Transient var name: String? { willSet {} }"))
  }

  func testAMissingTypeIsRefused() throws {
    let message = "a persisted property needs its type written out: a macro cannot infer it"
    try check("var ¶name = \"\"", message, ("add ': String'", "var name: String = \"\""))
    try check("var ¶count = 1", message, ("add ': Int'", "var count: Int = 1"))
    try check("var ¶price=1.5", message, ("add ': Double'", "var price: Double=1.5"))
    try check("var ¶done = false", message, ("add ': Bool'", "var done: Bool = false"))
    try check("var ¶made = Date()", message, ("add ': <#Type#>'", "var made: <#Type#> = Date()"), curesAll: false)
  }

  func testSeveralInOneDeclarationAreRefused() throws {
    try check("var ¶a: Int = 1, b: Int = 2", "declare each persisted property by itself")
    try check("var ¶(a, b): (Int, Int) = (1, 2)", "declare each persisted property by itself")
  }

  func testATransientPropertyWithoutValueIsRefused() throws {
    let message = "a transient property needs an initial value, for objects that come from the store"
    try check("@Transient var ¶cache: Int", message)
    try check("@Transient let ¶cache: Int?", message)
    try assertFine("@Transient var cache: Int?")
    try assertFine("@Transient let cache = 1")
    try assertFine("@Transient lazy var cache: Int = 1")
  }

  func testMarksThatExcludeEachOtherAreRefused() throws {
    try check(
      "@Attribute(.indexed) ¶@Transient var name: String?", "'@Transient' and '@Attribute' exclude each other",
      ("remove '@Transient'", "@Attribute(.indexed) var name: String?"))
    try check(
      "@Relationship ¶@Attribute var owner: Person?", "'@Attribute' and '@Relationship' exclude each other",
      ("remove '@Attribute'", "@Relationship var owner: Person?"))
    try check(
      "@Attribute ¶@Attribute(.indexed) var name: String?", "'@Attribute' is there twice",
      ("remove '@Attribute'", "@Attribute var name: String?"))
  }

  func testAMarkOnWhatIsNotStoredIsRefused() throws {
    try check(
      "¶@Attribute(.indexed) var name: String { \"\" }",
      "a computed property is not persisted, so '@Attribute' has no effect",
      ("remove '@Attribute'", "var name: String { \"\" }"))
    try check(
      "¶@Transient static var all: Int = 1", "a static property belongs to no object and is not persisted",
      ("remove '@Transient'", "static var all: Int = 1"))
  }

  func testNamesThatEveryModelHasAreRefused() throws {
    for name in ["id", "_storage", "state", "snapshot", "hashValue"] {
      try check("var ¶\(name): Int = 0", "every model already has '\(name)'; choose another name")
    }
    try check("var ¶id: Int { 0 }", "every model already has 'id'; choose another name")
    try check("@Transient var ¶state: Int = 0", "every model already has 'state'; choose another name")
    try check("static let ¶entity: Int = 1", "every model already has a static 'entity'; choose another name")
    try assertFine("var entity: String?")
  }

  func testTypesThatCannotBeStoredAreRefused() throws {
    let hint = "use a type that conforms to 'AttributeValue'"
    try check(
      "var sizes: ¶(Int, Int)?", "the store cannot hold '(Int, Int)?': \(hint)",
      ("keep it out of the store", "@Transient var sizes: (Int, Int)?"))
    try check(
      "var sizes: ¶[(Int, Int)] = []", "the store cannot hold '[(Int, Int)]': \(hint)",
      ("keep it out of the store", "@Transient var sizes: [(Int, Int)] = []"))
    try check(
      "var actions: ¶[String: () -> Void] = [:]", "the store cannot hold '[String: () -> Void]': \(hint)",
      ("keep it out of the store", "@Transient var actions: [String: () -> Void] = [:]"))
    try check(
      "var action: ¶(() -> Void)?", "the store cannot hold '(() -> Void)?': \(hint)",
      ("keep it out of the store", "@Transient var action: (() -> Void)?"))
    try check(
      "var thing: ¶any Hashable = 1", "the store cannot hold 'any Hashable': \(hint)",
      ("keep it out of the store", "@Transient var thing: any Hashable = 1"))
  }

  func testAnArrayOfWhatMayBeAModelIsMarked() throws {
    for type in ["[Item]", "Set<Item>", "Array<Item>?", "[Item?]"] {
      let element = type.contains("Item?]") ? "Item?" : "Item"
      try check(
        "var items: ¶\(type) = []",
        "mark an array or a set of values with '@Attribute'; for a to-many relationship, use 'ToMany<\(element)>'",
        ("change to 'ToMany<\(element)>'", "var items: ToMany<\(element)>"),
        ("store the values", "@Attribute var items: \(type) = []"),
        ("keep it out of the store", "@Transient var items: \(type) = []"))
      try assertFine("@Attribute var items: \(type) = []")
    }
  }

  func testCollectionsOfValuesAreAttributes() throws {
    for type in [
      "[String] = []", "[String] = [\"a\"]", "[Int?]?", "[[Date]] = []", "Set<String> = []",
      "[String: Int] = [:]", "[String: [Double]]?", "Dictionary<String, Bool> = [\"a\": true]",
      "[String: Condition] = [:]", "Array<UUID> = []",
    ] {
      try assertFine("var values: \(type)")
    }
  }

  func testATypeThatTheFieldsHideIsRefused() throws {
    let message = "'Model' means this class here: write the type with its module, as in 'Shop.Model'"
    try check("var model: ¶Model = .convertible", message)
    try check("@Relationship var model: ¶Model?", message)
    try check("var models: ¶ToMany<Model>", message)
    try assertFine("var model: Shop.Model = .convertible")
  }

  func testAnOptionThatCannotBeReadIsRefused() throws {
    try check(
      "@Attribute(¶option) var name: String?",
      "write the option itself, as in '.indexed': a macro cannot read a variable")
    try assertFine("@Attribute(AttributeOption.indexed) var name: String?")
    try assertFine("@Attribute(.indexed, .counter) var count: Int?")
  }

  func testASearchOfWhatIsNoTextIsRefused() throws {
    try check("@Attribute(¶.searchable) var count: Int?", "only a text has words to search: 'Int' is not a text")
    try check(
      "@Attribute(.indexed, ¶.searchable) var made: Foundation.Date?",
      "only a text has words to search: 'Foundation.Date' is not a text")
    try assertFine("@Attribute(.searchable) var body: String = \"\"")
    try assertFine("@Attribute(.indexed, .searchable) var body: Swift.String?")
    // An alias may be one, which the schema knows when the store is opened.
    try assertFine("@Attribute(.searchable) var body: Body?")
    try assertFine("@Attribute(.set) var tags: Set<String> = []")
    try check("@Attribute(.counter, ¶.set) var count: Int?", "an attribute has one merge rule at most")
  }

  func testRulesOfOtherTypesAreRefused() throws {
    try check("@Attribute(¶.pattern(\"a\")) var count: Int = 0", "only a text has a pattern: 'Int' is not a text")
    try check(
      "@Attribute(¶.required) var count: Int = 0", "'Int' is never nil: '.required' is for optionals and texts")
    try check(
      "@Attribute(¶.range(1...5)) var name: String = \"\"",
      "a text has no range of numbers: '.length(1...5)' is for the number of its characters")
    try check(
      "@Attribute(¶.length(1...5)) var count: Int = 0",
      "'Int' has no length: texts, bytes, arrays and sets have one")
  }

  func testWhatCannotBeDerivedIsRefused() throws {
    try check(
      "@Attribute(¶.derived) var count: Int = 0",
      "'.derived' is for computed properties: give this one a getter, or remove '.derived'")
    try check(
      "@Attribute(.derived, ¶.counter) var count: Int { 1 }",
      "a derived attribute is not merged: it follows from merged attributes")
    try check(
      "@Attribute(.derived) var shade: ¶Shade { .dark }",
      "a derived attribute of type 'Shade' must be optional: objects that were stored before it was declared have no"
        + " value", ("make it optional", "@Attribute(.derived) var shade: Shade? { .dark }"))
    for (uses, way) in [("¶owner?.name", ""), ("¶label", ", which 'label' uses")] {
      try check(
        "@Relationship var owner: Person?; @Attribute(.derived) var text: String? { \(uses) }\n"
          + "  var label: String? { owner?.name }",
        "a derived attribute cannot use the relationship 'owner'\(way): it would not change with the related object")
    }
  }

  func testFormerNamesThatCannotBeAreRefused() throws {
    let message = "a former name is a string literal, and not empty"
    try check("@Attribute(was: ¶\"\") var name: String?", message)
    try assertProblem("@Model(was: ¶former) final class Item {}", message)
    try check("@Attribute(was: ¶\"name\") var name: String?", "'name' is the present name: remove it here")
    try check("@Attribute(was: \"a\", ¶\"a\") var name: String?", "'a' is there twice")
  }

  func testAnImplicitlyUnwrappedAttributeIsRefused() throws {
    try check(
      "var name: ¶String!",
      "a persisted property cannot be implicitly unwrapped with '!': an object from the store may have no value",
      ("change to 'String?'", "var name: String?"))
  }

  func testConstantDefaultsAreAccepted() throws {
    for value in [
      "Int = 0", "Int = -1", "Int = .max", "Int = Int.max", "Int = 24 * 60 * 60", "Int = (1 + 2)", "Int? = nil",
      "[UInt8] = [1, 2]", "Array<UInt8> = []", "Condition = .used", "Condition = Shop.Condition.used", "Bool = true",
      "String = \"a\"", "Double = -.infinity", "Foundation.Date?", "Optional<Int> = nil", "(Int)? = 1",
    ] {
      try assertFine("var value: \(value)")
    }
  }

  func testADefaultThatIsNoConstantIsMovedIntoTheInitialisers() throws {
    let message = "the default of a persisted property must be a constant: assign this value in the initialiser"
    try assertProblem(
      """
      @Model final class Item {
        var made: Date = ¶Date()
        var name: String
        init(name: String) {
          self.name = name
        }
        init() { name = "" }
        init(made: Date) {}
        convenience init(a: Int) {
          self.init()
        }
      }
      """, message,
      remedies: [
        (
          "assign it in the initialiser",
          """
          @Model final class Item {
            var made: Date
            var name: String
            init(name: String) {
              self.made = Date()
              self.name = name
            }
            init() { self.made = Date(); name = "" }
            init(made: Date) { self.made = Date()}
            convenience init(a: Int) {
              self.init()
            }
          }
          """
        )
      ])
    for value in ["Date()", "\"\\(1)\"", "f(1)", "now", "shared.name", "{ 1 }()", "Config.shared.name"] {
      try check("var value: String = ¶\(value)", message)
    }
  }

  func testATypeWithoutAZeroNeedsADefault() throws {
    try check(
      "var ¶condition: Condition; init() {}",
      "'condition' needs a default value or must be optional: the store may have no value for it, or a value that"
        + " 'Condition' cannot represent",
      ("add a default value", "var condition: Condition = <#default#>; init() {}"),
      ("make it optional", "var condition: Condition?; init() {}"), curesAll: false)
    try assertFine("var condition: Condition?")
    try assertFine("var condition: Condition = .new")
  }
}
#endif
