import XCTest

/// Each rule against the whole checkout, and against a made-up breach that it must find.
final class HouseRuleTests: XCTestCase {
  private func sources() throws -> [SourceFile] { try Checkout.files(under: "Sources") }
  private func benchmarks() throws -> [SourceFile] { try Checkout.files(under: "Benchmarks") }
  private func programs() throws -> [SourceFile] { try sources() + benchmarks() }
  private func sourcesAndTests() throws -> [SourceFile] { try programs() + Checkout.files(under: "Tests") }

  private func source(_ text: String, path: String = "Sources/Query/A.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  func testNoFileIsADrawer() throws {
    XCTAssertEqual(HouseRules.drawers(source("", path: "Sources/Query/StringUtils.swift")).count, 1)
    XCTAssertEqual(HouseRules.drawers(source("", path: "Sources/Query/Store+Helpers.swift")).count, 1)
    XCTAssertEqual(HouseRules.drawers(source("", path: "Sources/Query/Common/Fetch.swift")).count, 1)
    XCTAssertEqual(HouseRules.drawers(source("", path: "Sources/Query/Commonality.swift")), [])
    expectNone(try sourcesAndTests().flatMap(HouseRules.drawers))
  }

  func testNothingIsMarkedAsUnfinished() throws {
    XCTAssertEqual(HouseRules.unfinished(source("f()\n// TO" + "DO: more")).map(\.line), [2])
    XCTAssertEqual(HouseRules.unfinished(source("// FIX" + "ME")).count, 1)
    XCTAssertEqual(HouseRules.unfinished(source("let maxTO" + "DOs = 1")), [])
    expectNone(try programs().flatMap(HouseRules.unfinished))
  }

  func testNoLineIsTooLong() throws {
    let limit = HouseRules.lineLength
    XCTAssertEqual(HouseRules.longLines(source(String(repeating: "é", count: limit))), [])
    XCTAssertEqual(HouseRules.longLines(source(String(repeating: "é", count: limit + 1))).map(\.line), [1])
    expectNone(try (sourcesAndTests() + [Checkout.file("Package.swift")]).flatMap(HouseRules.longLines))
  }

  func testEveryUncheckedSendableSaysWhyItIsSafe() throws {
    let type = "final class A: @unchecked" + " Sendable {}"
    XCTAssertEqual(HouseRules.uncheckedSendable(source(type)).count, 1)
    XCTAssertEqual(HouseRules.uncheckedSendable(source("// Safe: immutable.\n\n" + type)).map(\.line), [3])
    XCTAssertEqual(HouseRules.uncheckedSendable(source("// Safe: immutable.\n@frozen\n" + type)), [])
    XCTAssertEqual(HouseRules.uncheckedSendable(source("/// Holds.\n/// Safe: immutable.\n" + type)), [])
    expectNone(try programs().flatMap(HouseRules.uncheckedSendable))
  }

  func testEveryForcedStepIsProven() throws {
    XCTAssertEqual(HouseRules.unprovenForce(source("let a = try! f()")).count, 1)
    XCTAssertEqual(HouseRules.unprovenForce(source("let a = b as! C")).count, 1)
    XCTAssertEqual(HouseRules.unprovenForce(source("// invariant: f never throws here\nlet a = try! f()")), [])
    XCTAssertEqual(HouseRules.unprovenForce(source("let a = b as! C  // invariant: made as C above")), [])
    expectNone(try programs().flatMap(HouseRules.unprovenForce))
  }

  func testEveryTestRuns() throws {
    let test = "  func testA() async throws {\n  }\n}"
    XCTAssertEqual(HouseRules.strayTests(source("final class A: XCTestCase {\n" + test)), [])
    XCTAssertEqual(HouseRules.strayTests(source("@MainActor final class B: RestorationTestCase {\n" + test)), [])
    let stray = "final class A: XCTestCase {\n}\n\n@MainActor private final class Holder {\n" + test
    XCTAssertEqual(HouseRules.strayTests(source(stray)).map(\.line), [5])
    expectNone(try Checkout.files(under: "Tests").flatMap(HouseRules.strayTests))
  }

  func testNoTestNameStartsWithANumberOfAList() throws {
    for name in ["test7AThingIsSo", "test7And23BothAreSo"] {
      XCTAssertEqual(HouseRules.numberedTests(source("  func \(name)() throws {")).map(\.line), [1], name)
    }
    for text in ["func testAllOf7AreSo() {", "func test7th() {", "// func test7AThingIsSo() {", "f(test7AThing)"] {
      XCTAssertEqual(HouseRules.numberedTests(source(text)), [], text)
    }
    expectNone(try Checkout.files(under: "Tests").flatMap(HouseRules.numberedTests))
  }

  func testModelsOfTestsAreTestModels() throws {
    for text in ["final class A: PersistentModel {", "  private final class A: Named, PersistentModel {"] {
      XCTAssertEqual(HouseRules.modelsByHand(source(text, path: "Tests/QueryTests/A.swift")).map(\.line), [1], text)
    }
    for text in ["final class A: TestModel {", "// class A: PersistentModel {", "protocol A: PersistentModel {}"] {
      XCTAssertEqual(HouseRules.modelsByHand(source(text, path: "Tests/QueryTests/A.swift")), [], text)
    }
    XCTAssertEqual(HouseRules.modelsByHand(source("class A: PersistentModel {", path: "Tests/HTTPTests/A.swift")), [])
    expectNone(try Checkout.files(under: "Tests").flatMap(HouseRules.modelsByHand))
  }

  func testNoPathOfAMachine() throws {
    XCTAssertEqual(HouseRules.machinePaths(source("open(\"/wo" + "rk/x\")")).count, 1)
    XCTAssertEqual(HouseRules.machinePaths(source("open(\"/opt/" + "swift\")")).count, 1)
    XCTAssertEqual(HouseRules.machinePaths(source("see ../" + "shared")).count, 1)
    XCTAssertEqual(HouseRules.machinePaths(source("open(\"/tmp/x\")")), [])
    let text = [".swift", ".md", ".c", ".h", ".py", ".modulemap"]
    var files = try Checkout.rootFiles() + Checkout.files(under: ".ci", suffixes: [""])
    for folder in ["Sources", "Tests", "Docs", "Benchmarks"] {
      files += try Checkout.files(under: folder, suffixes: text)
    }
    expectNone(files.flatMap(HouseRules.machinePaths))
  }

  func testNoPublicDeclarationThrowsTyped() throws {
    let typed = "throws" + "(SaveError)"
    for text in [
      "  public func f() \(typed) {", "public init() async \(typed) {", "public func f(\n  a: Int\n) \(typed) -> Int {",
      "public var a: Int {\n  get \(typed) { 1 }\n}",
    ] {
      XCTAssertEqual(HouseRules.publicTypedThrow(source(text)).map(\.line), [1], text)
    }
    for text in [
      "func f() \(typed) {", "package func f() \(typed) {", "public func f() throws {\n  do \(typed) {\n",
      "public func f<E>(_ a: () throws(E) -> Int) throws(E) {", "public var a: Int { 1 }\nfunc f() \(typed) {",
      "public let a: Int\nfunc f() \(typed) {", "public var a: Int {\n  1\n}\n  func f() \(typed) {",
    ] {
      XCTAssertEqual(HouseRules.publicTypedThrow(source(text)), [], text)
    }
    expectNone(try sources().flatMap(HouseRules.publicTypedThrow))
  }

  func testEveryPublicDeclarationIsDocumented() throws {
    expectNone(try sources().flatMap(HouseRules.undocumented))
  }

  func testEveryCaseOfAnErrorNamesItsThrowers() throws {
    for text in [
      "  /// Full.\n  case full", "  case full(Int)", "  /// It may throw.\n  indirect case full(Failure)",
      "  /// `save` throws it.\n  case other\n  case full",
      "  /// Full.\n  case full\n  enum Reason {\n    case old\n  }",
    ] {
      let found = HouseRules.throwerlessCases(source("public enum Failure: Error {\n\(text)\n}"))
      XCTAssertEqual(found, [], "not named as an error: \(text)")
      let breaches = HouseRules.throwerlessCases(source("public enum SaveError: RepriseError {\n\(text)\n}"))
      XCTAssertEqual(
        breaches.map(\.message), ["the comment of full names no call that throws it: \"`save` throws it\""], text)
    }
    for text in [
      "  /// Full.\n  ///\n  /// `save` throws\n  /// it. Wait.\n  case full",
      "  /// `onProblem` gets it.\n  case full",
      "  /// Both throw it, and `failure` has it.\n  case full\n}\nenum Other {\n  case full",
      "  /// They may throw this.\n  case full\n  public enum Reason {\n    case old\n  }",
    ] {
      XCTAssertEqual(HouseRules.throwerlessCases(source("public enum SaveError: Error {\n\(text)\n}")), [], text)
    }
    expectNone(try sources().flatMap(HouseRules.throwerlessCases))
  }

  func testAnUndocumentedDeclarationIsFound() {
    for line in [
      "public struct A {}", "open class A {}", "  public func f() {}", "@inlinable public func f() {}",
      "public static func f()", "public class func f()", "@available(macOS 15, *) public var a = 1",
      "public private(set) var a = 1", "public nonisolated(unsafe) static var a = 1", "public init?(_ a: Int)",
      "public subscript(a: Int) -> Int", "public macro Model() = f()", "nonisolated public let a: Int",
      "public extension A {", "public typealias A = B", "public indirect enum A {",
    ] {
      XCTAssertEqual(HouseRules.undocumented(source(line)).map(\.line), [1], line)
    }
    XCTAssertEqual(HouseRules.undocumented(source("/// A.\n\npublic struct A {}")).map(\.line), [3])
    XCTAssertEqual(HouseRules.undocumented(source("// A.\npublic struct A {}")).map(\.line), [2])
    XCTAssertEqual(HouseRules.undocumented(source("/// A.\nvar b = f(\n  a)\npublic struct A {}")).map(\.line), [4])
  }

  func testWhatNeedsNoDocumentationIsLetAlone() {
    for text in [
      "struct A {}", "package func f() {}", "public import Dispatch", "  private(set) public override var a: Int",
      "public override func f() {}", "public static func == (a: A, b: A) -> Bool {", "// a public struct",
      "let a = \"\"\"\n  public struct A {}\n  \"\"\"", "/* \npublic struct A {}\n*/", "/// A.\npublic struct A {}",
      "/// A.\n@frozen\n@available(macOS 15, *)\npublic struct A {}", "/// A.\n#if Macros\npublic struct A {}\n#endif",
      "/// A.\n@attached(member, names: named(a),\n  named(b))\n@attached(peer)\npublic macro A()",
      "/** A. */\npublic struct A {}", "return public(set)", "public func hash(into hasher: inout Hasher) {",
    ] {
      XCTAssertEqual(HouseRules.undocumented(source(text)), [], text)
    }
  }
}
