import XCTest

final class FolderFloorTests: XCTestCase {
  func testNoFileRefersToATypeOfAHigherFolder() throws {
    let files = try Checkout.files(under: "Sources")
    XCTAssertGreaterThan(files.count, 300, "the sources were not found")
    XCTAssertEqual(FolderFloors().unknownFolders(files), [], "folders without a floor; add them to FolderFloors")
    for target in Dictionary(grouping: files, by: \.folder).values { expectNone(FolderFloors().breaches(target)) }
  }

  /// The page that explains the architecture has a row for each folder of the targets that it has tables for.
  func testArchitectureListsTheFoldersOfItsTables() throws {
    let page = try Checkout.file("Docs/Architecture.md").lines.filter { $0.hasPrefix("| `") }
    for target in ["Log", "Journal", "EventStore", "ObjectGraph", "Restoration"] {
      let folders = try XCTUnwrap(FolderFloors().floors[target])
      for folder in folders where !page.contains(where: { $0.split(separator: "|")[0].contains("`\(folder)`") }) {
        XCTFail("Docs/Architecture.md has no row for the folder \(folder) of \(target)")
      }
    }
  }

  private let canary = FolderFloors(floors: ["House": ["Cellar", "Hall", "Roof/Tiles"]])

  private func file(_ folder: String, _ text: String) -> SourceFile {
    SourceFile(path: "Sources/House/\(folder)/A.swift", text: text)
  }

  private func breaches(_ text: String, in folder: String = "Cellar") -> [Breach] {
    canary.breaches([
      file(folder, text), file("Roof/Tiles", "package final class Tile {\n  struct Edge {}\n}\n"),
      file("Hall", "@MainActor public struct Coat<Size>: Hashable {\n}\nprivate enum Hook {}\n"),
    ])
  }

  func testAReferenceUpwardIsFoundWhateverItsForm() {
    for text in [
      "let tile: Tile?", "extension Tile {", "func lay(_ tiles: [Tile])", "let all = Dictionary<Int,Tile>()",
      "let text = \"wall \\(lay(Tile.all())) of a Hall\"",
    ] {
      XCTAssertEqual(breaches(text).count, 1, text)
    }
    XCTAssertEqual(breaches("var coat = Coat<Int>()").count, 1)
    XCTAssertTrue(breaches("\nlet tile: Tile").description.contains("Sources/House/Cellar/A.swift:2"))
  }

  func testReferencesDownwardAndWithinAFloorAreNone() {
    XCTAssertEqual(breaches("let coat: Coat<Tile>", in: "Roof/Tiles"), [])
    XCTAssertEqual(breaches("let coat: Coat<Int>", in: "Hall"), [])
  }

  func testWordsThatAreNoReferencesAreNotTakenForSome() {
    for text in [
      "// a Tile", "/// See ``Tile``.", "let text = \"Tile\"", "let text = \"\\(wall(3)) Tile\"",
      "let place = wall.Tile", "let Tiles = 3",
      "let edge: Edge",
      "struct Tile {}", "let hook: Hook",
    ] {
      XCTAssertEqual(breaches(text), [], text)
    }
  }

  func testAFolderWithoutAFloorIsFound() {
    XCTAssertEqual(canary.unknownFolders([file("Attic", ""), file("Hall", "")]), ["House/Attic"])
    XCTAssertEqual(canary.unknownFolders([SourceFile(path: "Sources/Shed/Tools/A.swift", text: "")]), ["Shed"])
    XCTAssertEqual(canary.unknownFolders([SourceFile(path: "Sources/Shed/A.swift", text: "")]), [])
  }
}
