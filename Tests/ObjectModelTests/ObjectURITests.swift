import RepriseObjectModel
import RepriseTestArchives
import RepriseTestModels
import XCTest

final class ObjectURITests: XCTestCase {
  private let log = UniqueID(high: 0x0189_0A5D_AC96_774B, low: 0xBCCE_B302_099A_8057)
  private let object = UniqueID(high: 0x0189_0A5D_AC97_7000, low: 0x8000_0000_0000_0001)

  func testAURIReadsBackWhateverTheEntityIsCalled() {
    for entity in ["Item", "a", "Größe", "a/b", "100%", "%41", " ", "🪑", "a\u{0}b", "..", "e\u{301}", "\u{7}", "?#[]@"]
    {
      let uri = ObjectURI(log: log, entity: entity, uuid: object)
      XCTAssertEqual(ObjectURI(uri.text), uri, uri.text)
      XCTAssertEqual(ObjectURI(uri.text)?.entity.utf8.elementsEqual(entity.utf8), true, uri.text)
      XCTAssertTrue(uri.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, uri.text)
      XCTAssertEqual(uri.text.split(separator: "/", omittingEmptySubsequences: false).count, 5, uri.text)
    }
    XCTAssertEqual(
      ObjectURI(log: log, entity: "a b", uuid: object).text,
      "reprise://01890a5d-ac96-774b-bcce-b302099a8057/a%20b/01890a5d-ac97-7000-8000-000000000001")
  }

  func testMalformedURIsAreRefused() {
    for text in [
      "", "reprise:", "reprise://", "reprise:///", "reprise:////", "http://\(log)/Item/\(object)",
      "REPRISE://\(log)/Item/\(object)", "reprise:/\(log)/Item/\(object)", "reprise://\(log)/Item",
      "reprise://\(log)/Item/", "reprise://\(log)//\(object)", "reprise:///Item/\(object)",
      "reprise://\(log)/Item/\(object)/", "reprise://\(log)/Item/\(object)/more", "reprise://\(log)/a/b/\(object)",
      "reprise://\(log)/Item/\(object)?", " reprise://\(log)/Item/\(object)", "reprise://\(log)/It em/\(object)",
      "reprise://\(log)/Größe/\(object)", "reprise://\(log)/%/\(object)", "reprise://\(log)/%4/\(object)",
      "reprise://\(log)/%4G/\(object)", "reprise://\(log)/%+1/\(object)", "reprise://\(log)/%-1/\(object)",
      "reprise://\(log)/%C3/\(object)", "reprise://\(log)/%ff/\(object)", "reprise://x\(log)/Item/\(object)",
      "reprise://\(log)/Item/\(object)x", "reprise://\("\(log)".uppercased())/Item/\(object)",
      "reprise://\(log)/Item/\("\(object)".uppercased())", "reprise://\(log)/%c3%9f/\(object)",
      "reprise://\(log)/%49tem/\(object)",
    ] {
      XCTAssertNil(ObjectURI(text), text)
    }
  }
}

final class ObjectIDTests: XCTestCase {
  func testAnIDReadsBackFromAnArchive() throws {
    for entity in ["Item", "a/b", "Größe", ""] where !entity.isEmpty {
      let id = AnyObjectID(EntityName(entity), UniqueID())
      XCTAssertEqual(try ArchivedForm.roundTrip(id), id)
      XCTAssertEqual(id.entity, entity)
    }
  }

  func testDamagedIDsAreErrors() {
    for text in [
      #""""#, #""Item""#, #""/01890a5d-ac96-774b-bcce-b302099a8057""#, #""Item/""#, #""Item/1""#, "1", "null",
    ] {
      XCTAssertThrowsError(try ArchivedForm.read(text, as: AnyObjectID.self), text) {
        XCTAssertTrue($0 is DecodingError, "\($0)")
      }
    }
  }

  func testTheOrderIsTotalAcrossEntities() {
    let uuid = UniqueID()
    let (one, two) = (AnyObjectID(EntityName("Zebra"), uuid), AnyObjectID(EntityName("Ape"), uuid))
    XCTAssertLessThan(two, one)
    XCTAssertFalse(one < two)
    XCTAssertFalse(one < one)
  }
}
