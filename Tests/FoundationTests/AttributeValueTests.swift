import Foundation
import RepriseFoundation
import RepriseObjectModel
import XCTest

final class AttributeValueTests: XCTestCase {
  func testDatesKeepTheirLastBit() {
    for seconds in [
      0, -0.0, 0.1, -1e-300, 1.5e9, .leastNonzeroMagnitude, Date.distantPast.timeIntervalSinceReferenceDate,
    ] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      XCTAssertEqual(date.propertyValue, .date(seconds))
      let back = Date.from(date.propertyValue)
      XCTAssertEqual(back?.timeIntervalSinceReferenceDate.bitPattern, seconds.bitPattern)
    }
    XCTAssertNil(Date.from(.double(1)))
    XCTAssertNil(Date.from(.null))
  }

  func testDataIsKeptByteForByteEvenASlice() {
    let data = Data([9, 0, 1, 255, 128])
    XCTAssertEqual(data.propertyValue, .bytes([9, 0, 1, 255, 128]))
    XCTAssertEqual(data[2...].propertyValue, .bytes([1, 255, 128]))
    XCTAssertEqual(Data.from(data[2...].propertyValue), Data([1, 255, 128]))
    XCTAssertEqual(Data().propertyValue, .bytes([]))
    XCTAssertNil(Data.from(.string("a")))
  }

  func testAUUIDHasTheSameTextInBothTypes() throws {
    for _ in 0..<100 {
      let uuid = UUID()
      let id = UniqueID(uuid)
      XCTAssertEqual(id.description, uuid.uuidString.lowercased())
      XCTAssertEqual(UUID(id), uuid)
      XCTAssertEqual(uuid.propertyValue, .uuid(id))
      XCTAssertEqual(UUID.from(.uuid(id)), uuid)
    }
    XCTAssertNil(UUID.from(.string(UUID().uuidString)))
  }

  func testOptionalsOfThemAreAttributesToo() {
    XCTAssertTrue(Date?.isOptional)
    XCTAssertFalse(Date.isOptional)
    XCTAssertEqual(Date?.none.propertyValue, .null)
    XCTAssertEqual(Data?.from(.null), .some(nil))
    XCTAssertEqual(Date?.attributeKind, .date)
    XCTAssertEqual(Data.attributeKind, .bytes)
    XCTAssertEqual(UUID.attributeKind, .uuid)
  }
}
