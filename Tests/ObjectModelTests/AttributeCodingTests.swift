import Foundation
import RepriseObjectModel
import XCTest

/// Values of attributes for other programs, of a type that does not have every stored value.
final class AttributeCodingTests: XCTestCase {
  struct Even: AttributeValue {
    let number: Int64
    static var attributeKind: AttributeKind { .int }
    var propertyValue: PropertyValue { .int(number) }
    static func from(_ value: PropertyValue) -> Even? {
      if case .int(let number) = value, number.isMultiple(of: 2) { Even(number: number) } else { nil }
    }
  }

  struct Box: Codable {
    enum Key: CodingKey { case size }
    let stored: PropertyValue

    init(_ stored: PropertyValue) { self.stored = stored }

    init(from decoder: any Decoder) throws {
      stored = try decoder.container(keyedBy: Key.self).decode(stored: Even.self, forKey: .size)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(stored, as: Even.self, forKey: .size)
    }
  }

  func testAValueOfTheTypeIsCoded() throws {
    let data = Data(#"{"size":4}"#.utf8)
    XCTAssertEqual(try JSONDecoder().decode(Box.self, from: data).stored, .int(4))
    XCTAssertEqual(try JSONEncoder().encode(Box(.int(4))), data)
  }

  func testAValueThatTheTypeLacksIsRefused() {
    XCTAssertThrowsError(try JSONDecoder().decode(Box.self, from: Data(#"{"size":3}"#.utf8))) { error in
      guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.debugDescription, "it is not a value of Even")
    }
    XCTAssertThrowsError(try JSONEncoder().encode(Box(.int(3)))) { error in
      guard case EncodingError.invalidValue(_, let context) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(context.debugDescription, "3 is not a value of Even")
    }
  }
}
