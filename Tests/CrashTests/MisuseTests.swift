import XCTest

/// What the compiler cannot refuse and no error could carry back: the program stops, and says why.
final class MisuseTests: CrashTestCase {
  private func stop(_ what: String, _ words: [String], file: StaticString = #filePath, line: UInt = #line) throws {
    let child = try Child("misuse", folder + "/\(what)", ["what": what])
    let said = child.lines().joined(separator: " ")
    guard case .signalled = child.end() else { return XCTFail("'\(what)' went on", file: file, line: line) }
    for word in words { XCTAssertTrue(said.contains(word), "\(what): \(said)", file: file, line: line) }
  }

  func testAnObjectInTheHandsOfTheWrongContextStopsTheProgramWithATextThatNamesBoth() throws {
    let names = ["the context with the draft 'editor'", "the root context 'importer'", "look it up there"]
    for what in ["relate", "insert", "delete", "add", "remove"] { try stop(what, names) }
    try stop("unnamed", ["belongs to a root context", "given to a root context, another one"])
  }

  func testADerivedAttributeThatReadsAnotherObjectStopsTheProgramAndSaysWhy() throws {
    try stop("derive", ["derived attribute Bead.isLast", "'next'", "attributes of the object only", "keep a copy"])
  }

  func testADetachedObjectOrAnUndeclaredModelStopsTheProgramWithATextThatSaysWhatToDo() throws {
    try stop("detached", ["is in no context yet", "Insert it before"])
    try stop("undeclared", ["Entry is not among the models", "Open the store with it"])
  }
}
