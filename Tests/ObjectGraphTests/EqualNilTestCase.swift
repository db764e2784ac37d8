import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

/// Stores with what is unique with `nilsAreEqual: true`.
class EqualNilTestCase: XCTestCase {
  func testStore() throws -> TestStore {
    let test = try TestStore(Schema(Seat.self, Hall.self, Ticket.self))
    addTeardownBlock { withExtendedLifetime(test) {} }
    return test
  }

  func violations(of save: () async throws -> Void) async -> [RuleViolation] {
    do {
      try await save()
      return []
    } catch SaveError.refused(let refusal) {
      return refusal.violations
    } catch {
      XCTFail("\(error)")
      return []
    }
  }

  func assertSound(_ store: Store, line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [], line: line)
  }

  func inserted(row: Int?, hall: AnyObjectID? = nil) -> (object: AnyObjectID, change: ObjectChange) {
    var values = Seat.entity.defaults
    values[0] = row.map { .int(Int64($0)) } ?? .null
    values[2] = hall.map { .reference($0) } ?? .null
    return (AnyObjectID(Seat.entity.interned, UniqueID()), .inserted(values))
  }
}
