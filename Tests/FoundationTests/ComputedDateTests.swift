import Foundation
import RepriseFoundation
import RepriseObjectModel
import RepriseQuery
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
    let noon = noon
    let fetch = Fetch<Meeting> {
      $0.end - $0.start > 3_600 && $0.start + 60 < $0.end && noon - $0.start >= $0.margin && $0.start + $0.margin < noon
    }.sorted { [$0.end - $0.start, ($0.end - 60).descending] }
    let compiled = try CompiledFetch(fetch, schema: schema)
    let source = NoObjects()
    let id = AnyObjectID(Meeting.entity.interned, UniqueID())
    func matches(_ start: Double, _ end: Double, _ margin: Double) -> Bool {
      compiled.matches([.date(start), .date(end), .double(margin)], id: id, source: source)
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

private final class Meeting: PersistentModel {
  static let entity = Entity(
    Meeting.self, name: "Meeting",
    properties: [.attribute("start", Date.self), .attribute("end", Date.self), .attribute("margin", Double.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
  var snapshot: Int { 0 }

  struct Fields: FieldSet {
    typealias Model = Meeting
    let start: Field<Meeting, Date>
    let end: Field<Meeting, Date>
    let margin: Field<Meeting, Double>
    init(_ path: FieldPath) {
      start = Field(path.appending("start"))
      end = Field(path.appending("end"))
      margin = Field(path.appending("margin"))
    }
  }
}
