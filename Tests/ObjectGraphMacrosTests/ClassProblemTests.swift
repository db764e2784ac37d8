#if Macros && canImport(SwiftSyntaxMacrosTestSupport)
import XCTest

/// Classes that cannot be models, each with its diagnostic.
final class ClassProblemTests: XCTestCase {
  func testAStructIsRefused() throws {
    try assertProblem(
      "@Model ¶struct Item { var name: String? }", "'@Model' is for classes: an object of a store has an identity",
      remedies: [("change to 'final class'", "@Model final class Item { var name: String? }")])
    try assertProblem(
      "¶@Model enum Item {}", "'@Model' is for classes: an object of a store has an identity")
    try assertProblem(
      "¶@Model actor Item {}", "'@Model' is for classes: an object of a store has an identity")
  }

  func testAClassThatIsNotFinalIsRefused() throws {
    let message = "a model must be final: the store makes its objects, and knows no subclasses"
    try assertProblem("@Model ¶class Item {}", message, remedies: [("add 'final'", "@Model final class Item {}")])
    try assertProblem(
      "@Model\n/// An item.\npublic ¶class Item {}", message,
      remedies: [("add 'final'", "@Model\n/// An item.\npublic final class Item {}")])
    try assertProblem(
      "@Model open ¶class Item {}", message,
      remedies: [("change to 'public final'", "@Model public final class Item {}")])
  }

  func testAGenericClassIsRefused() throws {
    try assertProblem(
      "@Model final class Item¶<T> { var name: String? }",
      "a model cannot be generic: all its objects have the same properties in the store")
  }

  func testAnIsolatedClassIsRefused() throws {
    try assertProblem(
      "¶@MainActor @Model final class Item {}",
      "a model cannot belong to an actor: each object belongs to the isolation of its context",
      remedies: [("remove '@MainActor'", "@Model final class Item {}")])
    try assertProblem(
      "@Model\n¶@MainActor\nfinal class Item {}",
      "a model cannot belong to an actor: each object belongs to the isolation of its context",
      remedies: [("remove '@MainActor'", "@Model\nfinal class Item {}")])
  }

  func testASendableClassIsRefused() throws {
    let message = "a model cannot be Sendable: hand over an object's 'id' or its 'snapshot'"
    try assertProblem("@Model final class Item: ¶Sendable {}", message)
    try assertProblem("@Model final class Item: Codable, ¶@unchecked Sendable {}", message)
  }

  func testANameThatTheCompilerCannotReadIsRefused() throws {
    let message = "the name of a model is a string literal, and not empty"
    try assertProblem("@Model(¶\"\") final class Item {}", message)
    try assertProblem("@Model(¶\"A\\(1)\") final class Item {}", message)
    try assertProblem("@Model(¶itemName) final class Item {}", message)
  }

  func testAMissingInitialiserIsWritten() throws {
    try assertProblem(
      """
      @Model public final class ¶Item {
        public var name: String
        var serial: String?
        var price: Int = 0
        var made: Date
      }
      """, "a model needs an initialiser, because 'name' has no initial value",
      remedies: [
        (
          "add an initialiser",
          """
          @Model public final class Item {
            public var name: String
            var serial: String?
            var price: Int = 0
            var made: Date

            public init(name: String, made: Date) {
              self.name = name
              self.made = made
            }
          }
          """
        )
      ])
  }

  func testAConvenienceInitialiserIsNoInitialiser() throws {
    let misuse = try Misuse("@Model final class Item { var n: Int = 0; convenience init(n: Int) { self.init() } }")
    XCTAssertEqual(misuse.diagnostics.count, 0)
    XCTAssertTrue(misuse.members.contains { $0.trimmedDescription.hasPrefix("init()") })
  }

  func testNestedTypesThatTheMacroMakesAreRefused() throws {
    try assertProblem(
      "@Model final class Item { struct ¶Snapshot {} }",
      "every model already has a type 'Snapshot'; choose another name")
    try assertProblem(
      "@Model final class Item { typealias ¶ID = Int }", "every model already has a type 'ID'; choose another name")
  }

  func testAPersistedPropertyUnderABuildConditionIsRefused() throws {
    try assertProblem(
      """
      @Model final class Item {
        #if DEBUG
        var ¶trace: String?
        var title: String { "" }
        @Transient var cache: Int?
        #endif
      }
      """, "a persisted property cannot depend on a build condition: the store is the same for all builds",
      remedies: [
        (
          "keep it out of the store",
          """
          @Model final class Item {
            #if DEBUG
            @Transient var trace: String?
            var title: String { "" }
            @Transient var cache: Int?
            #endif
          }
          """
        )
      ])
  }

  func testAMarkOutsideAModelIsRefused() throws {
    try assertProblem(
      "final class Item { ¶@Attribute(.indexed) var name: String = \"\" }",
      "'@Attribute' is only for classes with '@Model'")
    try assertProblem("@Model final class Item { ¶@Transient func f() {} }", "'@Transient' is for properties")
  }
}
#endif
