import Reprise
import XCTest

#if Macros
@Model private final class Tally {
  @Attribute(.counter) var count: Int
  @Attribute(.indexed, .counter) var share: Double?
  @Attribute(.set) var tags: Set<String> = []
  @Attribute(.lastWriter) var note: String
  @Attribute(.text) var story: String = ""
  var plain: Int
  init(count: Int) {
    self.count = count
    (note, plain) = ("", 0)
  }
}

final class MergeRuleTests: XCTestCase {
  func testTheMacroPassesMergeRulesOn() {
    let attributes = Tally.entity.properties.compactMap(\.attribute)
    XCTAssertEqual(attributes.map(\.mergeRule), [.counter, .counter, .set, .lastWriter, .text, nil])
    XCTAssertEqual(attributes.map(\.isIndexed), [false, true, false, false, false, false])
    XCTAssertEqual(Tally(count: 1).tags, [])
  }
}
#endif
