import RepriseRestoration
import XCTest

final class IdentityTests: XCTestCase {
  func testAnEmptyBlankOrDividedIDIsRefusedWhenItIsMade() {
    for id in ["", " ", "\t\n", "\u{3000}", "a/b", "/"] {
      XCTAssertThrowsError(try NodePath([id]), id)
      XCTAssertThrowsError(try NodePath.of("list").appending(id), id)
    }
    assertThrows(
      "'' cannot be a restoration ID: a path needs at least one ID, and the array has none. Choose another ID.",
      try NodePath([]))
    XCTAssertThrowsError(try NodePath([String(repeating: "x", count: 4_001)]))
    XCTAssertNoThrow(try NodePath([String(repeating: "x", count: 4_000)]))
  }

  func testAPathGivesBackWhatItWasMadeOf() throws {
    let path = try NodePath(["list", "détail 1", "🪑"])
    XCTAssertEqual(path.components, ["list", "détail 1", "🪑"])
    XCTAssertEqual(path.text, "list/détail 1/🪑")
    XCTAssertEqual(path.id, "🪑")
    XCTAssertEqual(path.parent, try NodePath(["list", "détail 1"]))
    XCTAssertNil(try NodePath(["list"]).parent)
    XCTAssertEqual(try NodePath(["list"]).id, "list")
  }

  func testAnIDIsTheSameHoweverItIsSpelt() throws {
    let (composed, decomposed) = ("d\u{E9}tail", "de\u{301}tail")
    for path in [try NodePath(["list", decomposed]), try NodePath(["list"]).appending(decomposed)] {
      XCTAssertEqual(Array(path.text.utf8), Array("list/\(composed)".utf8))
    }
    XCTAssertEqual(Array(RestorationKey<Int>(decomposed).id.utf8), Array(composed.utf8))
  }

  func testAnIDThatCombinesWithTheSlashBeforeItIsRefused() {
    XCTAssertThrowsError(try NodePath(["\u{301}x"]))
    XCTAssertThrowsError(try NodePath.of("list").appending("\u{338}"))
  }

  func testAPathInAStateIsCheckedWhenItIsRead() throws {
    let path = NodePath.of("a/b")
    XCTAssertEqual(try StateDecoder.decode(NodePath.self, from: StateEncoder.encode(path)).state, path)
    for text in ["", "/", "a//b", "/a", "a/", "a/ /b"] {
      assertThrows(
        "'\(text)' is not a screen's path", try StateDecoder.decode(NodePath.self, from: StateEncoder.encode(text)))
    }
  }
}
