import Reprise
import XCTest

#if Macros
@Model private final class Contact {
  @Attribute(.indexed, .indexed(.ignoringCase), .indexed([.ignoringCase, .natural])) var name: String
  @Attribute(.indexed(.natural), .lastWriter) var code: String?
  init(name: String) { self.name = name }
}

final class CollatedIndexTests: XCTestCase {
  func testTheMacroDeclaresIndexesOfCollations() {
    XCTAssertEqual(
      Contact.entity.properties.map(\.name),
      ["name", "code", "[name ignoringCase]", "[name ignoringCase+natural]", "[code natural]"])
    XCTAssertEqual(Contact.entity.properties.compactMap { $0.attribute?.isIndexed }, [true, false])
    XCTAssertEqual(Contact(name: "Ada").name, "Ada")
  }
}
#endif
