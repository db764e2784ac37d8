import RepriseObjectModel
import RepriseTestArchives
import RepriseTestModels
import RepriseTestSeeds
import XCTest

final class PropertyValueTests: XCTestCase {
  func testAnArchivedValueReadsBackToTheLastBit() throws {
    var random = SeededGenerator(seed: testSeed(default: 51))
    for _ in 0..<2_000 {
      let value = RandomValues.value(&random)
      let back = try ArchivedForm.roundTrip(value)
      XCTAssertTrue(back.isIdentical(to: value), "\(value)")
    }
  }

  func testTheArchivedFormStays() throws {
    let uuid = UniqueID(high: 1, low: 2)
    let forms: [(PropertyValue, String)] = [
      (.null, #"{"null":true}"#), (.bool(false), #"{"bool":false}"#), (.int(-5), #"{"int":-5}"#),
      (.unsigned(.max), #"{"uint":18446744073709551615}"#), (.double(1), #"{"double":4607182418800017408}"#),
      (.string("a"), #"{"string":"a"}"#), (.bytes([1, 255]), #"{"bytes":[1,255]}"#), (.date(0), #"{"date":0}"#),
      (.uuid(uuid), #"{"uuid":"00000000-0000-0001-0000-000000000002"}"#),
      (
        .reference(AnyObjectID(EntityName("Item"), uuid)),
        #"{"ref":"Item/00000000-0000-0001-0000-000000000002"}"#
      ),
    ]
    for (value, form) in forms {
      XCTAssertEqual(try ArchivedForm.text(value), form)
      XCTAssertEqual(try ArchivedForm.read(form, as: PropertyValue.self), value)
    }
  }

  func testDamagedFormsAreErrors() {
    for text in ["{}", #"{"mood":1}"#, #"{"int":1,"bool":true}"#] {
      XCTAssertEqual(
        ArchivedForm.problem(of: text, as: PropertyValue.self), "expected one key that names the kind of a value")
    }
    for (count, digits, problem) in [
      (1, "00", "a SHA-256 has 64 hexadecimal digits"),
      (-1, String(repeating: "0", count: 64), "a blob cannot have -1 bytes"),
      (Int.max, String(repeating: "0", count: 64), "a blob cannot have 9223372036854775807 bytes"),
    ] {
      let text = #"{"blob":{"byteCount":\#(count),"sha256":"\#(digits)"}}"#
      XCTAssertEqual(ArchivedForm.problem(of: text, as: PropertyValue.self), problem)
    }
    for text in [#"{"int":"a"}"#, "1", #"{"bytes":[256]}"#, #"{"ref":"Item"}"#] {
      XCTAssertThrowsError(try ArchivedForm.read(text, as: PropertyValue.self), text) {
        XCTAssertTrue($0 is DecodingError, "\($0)")
      }
    }
  }

  func testEqualValuesHaveEqualHashes() {
    XCTAssertEqual(PropertyValue.string("é").hashValue, PropertyValue.string("e\u{301}").hashValue)
    XCTAssertEqual(PropertyValue.double(.nan), .double(.nan))
    XCTAssertEqual(Set([PropertyValue.double(.nan), .double(.nan), .double(0), .double(-0.0)]).count, 3)
    XCTAssertNotEqual(PropertyValue.double(1), .date(1))
  }
}
