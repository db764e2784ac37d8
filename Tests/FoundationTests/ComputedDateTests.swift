import Foundation
import RepriseFoundation
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Dates computed for each object. What the terms compute is in `ComputedFieldTests`.
final class ComputedDateTests: XCTestCase {
  private let (start, end) = (
    Field<Meeting, Date>(FieldPath.root.appending("start")), Field<Meeting, Date>(FieldPath.root.appending("end"))
  )
  private let margin = Field<Meeting, Double>(FieldPath.root.appending("margin"))
  private let noon = Date(timeIntervalSinceReferenceDate: 43_200)

  private func description<Value>(_ field: Field<Meeting, Value>) -> String { field.term.description }

  func testWhatIsComputed() {
    XCTAssertEqual(description(end - start), "(end - start)")
    XCTAssertEqual(description(end - noon), "(end - 2001-01-01T12:00:00Z)")
    XCTAssertEqual(description(noon - start), "(2001-01-01T12:00:00Z - start)")
    XCTAssertEqual(description(start + 60), "(start + 60.0)")
    XCTAssertEqual(description(start - 60), "(start - 60.0)")
    XCTAssertEqual(description(start + margin), "(start + margin)")
    XCTAssertEqual(description(start - margin), "(start - margin)")
    XCTAssertEqual(description(end - start + 60), "((end - start) + 60.0)")
  }

  func testConditionsAndOrders() throws {
    let schema = try ResolvedSchema(Schema(Meeting.self))
    let (start, end, margin, noon) = (start, end, margin, noon)
    let fetch = Fetch<Meeting> { _ in
      end - start > 3_600 && start + 60 < end && noon - start >= margin && start + margin < noon
    }.sorted { _ in [end - start, (end - 60).descending] }
    let compiled = try CompiledFetch(fetch, schema: schema)
    let source = NoObjects()
    let id = AnyObjectID(Meeting.entity.interned, UniqueID())
    func matches(_ start: Double, _ end: Double, _ margin: Double) -> Bool {
      compiled.matches([.date(start), .date(end), .double(margin), .string("")], id: id, source: source)
    }
    XCTAssertTrue(matches(0, 3_601, 60))
    XCTAssertFalse(matches(0, 3_600, 60))
    XCTAssertFalse(matches(40_000, 50_000, 3_200))
    XCTAssertEqual(
      try JSONDecoder().decode(Fetch<Meeting>.self, from: JSONEncoder().encode(fetch)), fetch)
  }
}

private struct NoObjects: FetchSource {
  func values(of id: AnyObjectID) -> ContiguousArray<PropertyValue>? { nil }
  func members(of id: AnyObjectID, slot: Int) -> [AnyObjectID] { [] }
}
