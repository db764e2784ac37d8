import Foundation
import Reprise
import XCTest

#if Macros
@Model private final class Chapter {
  var title: String = ""
  var pages: Int?
  private var note: String?
  var `class`: String?
  @Relationship(inverse: \Volume.chapters) var volume: Volume?
  @Transient var isShown: Bool = false
  init(title: String) { self.title = title }

  static func notes(_ text: String) -> Predicate<Chapter> { #Predicate { $0.note == text } }
}

@Model private final class Volume {
  var isBound: Bool = false
  var chapters: ToMany<Chapter>
  init() {}
}

final class PredicateTests: XCTestCase {
  func testThePropertiesOfAModelAreFoundByTheirKeyPaths() throws {
    let chapter = Chapter(title: "One")
    let id = chapter.id
    let named = try Field<Chapter, String>(named: "note")
    let note = Fetch<Chapter> { _ in named == "a" }
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.title == "One" }), Fetch { $0.title == "One" })
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.pages == 3 }), Fetch { $0.pages == 3 })
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.class == nil }), Fetch { $0.class == nil })
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.id == id }), Fetch { $0.id == id })
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.volume == nil }), Fetch { $0.volume == nil })
    XCTAssertEqual(try Fetch(#Predicate<Chapter> { $0.volume?.isBound == true }), Fetch { $0.volume.isBound == true })
    XCTAssertEqual(
      try Fetch(#Predicate<Volume> { $0.chapters.contains { $0.title == "One" } }),
      Fetch { $0.chapters.any { $0.title == "One" } })
    XCTAssertEqual(try Fetch(#Predicate<Volume> { $0.chapters.count > 2 }), Fetch { $0.chapters.count > 2 })
    XCTAssertEqual(try Fetch(#Predicate<Volume> { $0.chapters.isEmpty }), Fetch { $0.chapters.isEmpty })
    XCTAssertEqual(try Fetch(Chapter.notes("a")), note)
    XCTAssertThrowsError(try Fetch(#Predicate<Chapter> { $0.isShown })) {
      guard case FetchError.notTranslatable? = $0 as? FetchError else { return XCTFail("\($0)") }
    }
  }
}
#endif
