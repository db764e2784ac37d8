import XCTest

/// What the compiler cannot refuse and no error could carry back: the program stops, and says why.
final class MisuseTests: CrashTestCase {
  /// - Parameter text: Behind the ID of the object, if it begins with that.
  private func stop(_ what: String, _ text: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let child = try Child("misuse", folder + "/\(what)", ["what": what])
    let said = child.lines().joined(separator: " ")
    guard case .signalled = child.end() else { return XCTFail("'\(what)' went on", file: file, line: line) }
    XCTAssertTrue(said.contains(text), "\(what): \(said)", file: file, line: line)
  }

  func testAnObjectInTheHandsOfTheWrongContextStopsTheProgramWithATextThatNamesBoth() throws {
    for what in ["relate", "insert", "delete", "add", "remove"] {
      try stop(
        what,
        """
         belongs to the context with the draft 'editor', but was used in the root context 'importer'. Pass the \
        object's `id`, and look the object up in the context that uses it.
        """)
    }
    try stop(
      "unnamed",
      """
       belongs to a root context, but was used in another context. Pass the object's `id`, and look the object up \
      in the context that uses it.
      """
    )
    try stop(
      "past",
      """
       belongs to a context that only reads, but was used in the root context 'importer'. Pass the object's `id`, and \
      look the object up in the context that uses it.
      """)
    try stop(
      "read", " belongs to a context that only reads. Look it up in an EditingContext and change it there.")
  }

  func testADerivedAttributeThatReadsAnotherObjectStopsTheProgramAndSaysWhy() throws {
    try stop(
      "derive",
      """
      The derived attribute Bead.isLast uses the relationship 'next', but does not change with the related object. \
      Compute it from attributes of the same object. If it needs a value of the related object, copy this value into \
      an attribute, or make Bead.isLast a computed property without `.derived`.
      """)
    try stop(
      "change", "The computation of the derived attribute Bolt.isLarge changes an object. Remove this change.")
  }

  func testADetachedObjectOrAnUndeclaredModelStopsTheProgramWithATextThatSaysWhatToDo() throws {
    try stop("detached", " is in no context yet. Insert it before you delete it.")
    try stop(
      "undeclared",
      "Entry is not among the models that \(folder)/undeclared was opened with. Open the store with it.")
  }

  func testAnEnumWithoutADefaultStopsTheProgram() throws {
    try stop(
      "enum", "Coin.side holds \"\", which Side cannot represent, and it has no default. Declare a default value.")
  }

  func testAPlaceThatIsNotThereStopsTheProgram() throws {
    try stop("order", "There is no object at the position 3: the relationship has 0 objects.")
    try stop(
      "row",
      """
      There is no row 7 of section 0: the row count of the source is 2. A path is valid only until the next batch of \
      changes.
      """)
    try stop("rows", "There is no row 7: the list or section has 2 rows.")
    try stop("section", "There is no section 3: the list has 1 sections.")
    try stop(
      "list",
      """
      There is no row 7 of section 0: the list of Cell has 0 rows. A path is valid only until the next batch of changes.
      """)
  }

  func testABlockingSaveOnMainActorStopsTheProgram() throws {
    try stop(
      "main",
      "`saveAndWait` would block the main thread, because this context belongs to the main actor. Call `save` instead.")
  }

  func testAMisuseWithinTheLibraryStopsTheProgram() throws {
    try stop("queue", "This code must run on a serial queue. For a `BackgroundContext`, call it in `perform`.")
    try stop(
      "table",
      "The environment in \(folder)/table was opened without the table nowhere. List the table in the environment's "
        + "options.")
  }
}
