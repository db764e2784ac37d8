import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// A body leads from the values before to those after, and its inverse back.
final class ChangeTests: ChangeTestCase {
  private func expect(
    _ change: ObjectChange, from before: Values?, to after: Values?, isSpliced: Bool, _ note: String
  ) throws {
    try body(change, isSpliced: isSpliced).withUnsafeBytes { bytes in
      let change = try Change(bytes)
      XCTAssertEqual(change.object, ObjectAddress(entity: 2, uuid: LogFixture.object(1)), note)
      XCTAssertEqual(try change.applied(to: before, entity, map), after, note)
      XCTAssertEqual(try change.inverse.applied(to: after, entity, map), before, note)
      XCTAssertEqual(try change.inverse.inverse.applied(to: before, entity, map), after, note)
    }
  }

  func testAChangeLeadsThereAndItsInverseBack() throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      var before = values(&random)
      for step in 0..<40 {
        let note = "seed \(seed), step \(step)"
        let isSpliced = Bool.random(using: &random)
        try expect(.inserted(before), from: nil, to: before, isSpliced: isSpliced, note)
        let after = changed(before, &random)
        if let change = ObjectChange.updated(from: before, to: after) {
          try expect(change, from: before, to: after, isSpliced: isSpliced, note)
        }
        try expect(.deleted(after), from: after, to: nil, isSpliced: isSpliced, note)
        before = after
      }
    }
  }

  func testFieldsOfAnInsertionAndOfADeletionHaveOneValue() throws {
    let values = try LogFixture.fullValues(map)
    for (change, isInsertion) in [(ObjectChange.inserted(values), true), (.deleted(values), false)] {
      try body(change).withUnsafeBytes { bytes in
        var fields = try Change(bytes).fields
        var numbers: [UInt32] = []
        while let (number, field) = try fields.next() {
          numbers.append(number)
          guard case .set(let old, let new) = field else { return XCTFail("\(number)") }
          XCTAssertEqual(old.isEmpty, isInsertion)
          XCTAssertEqual(new.isEmpty, !isInsertion)
        }
        XCTAssertEqual(numbers, entity.stored.map(\.number))
      }
    }
  }

  func testAChangeOfAnotherObjectIsRefused() throws {
    let values = try LogFixture.fullValues(map)
    var other = values
    other[LogSample.title] = .string("another")
    let id = LogFixture.object(1)
    let update = try XCTUnwrap(ObjectChange.updated(from: other, to: values))
    try body(update).withUnsafeBytes { bytes in
      XCTAssertThrowsError(try Change(bytes).applied(to: values, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .otherValue(id, property: 5))
      }
      XCTAssertThrowsError(try Change(bytes).applied(to: nil, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .missingObject(id))
      }
    }
    try body(.inserted(values)).withUnsafeBytes { bytes in
      XCTAssertThrowsError(try Change(bytes).applied(to: values, entity, map)) {
        XCTAssertEqual($0 as? ReplayError, .presentObject(id))
      }
    }
  }

  func testEveryTruncationAndFlippedByteIsReadOrRefused() throws {
    let values = try LogFixture.fullValues(map)
    var random = SeededGenerator(seed: testSeed())
    // Values that a seed changes to themselves are no update, so another change is drawn.
    var update: ObjectChange?
    while update == nil { update = .updated(from: values, to: changed(values, &random)) }
    for whole in [body(.inserted(values)), body(try XCTUnwrap(update), isSpliced: true)] {
      for offset in whole.indices {
        for bytes in [Array(whole[..<offset]), whole.enumerated().map { $0 == offset ? $1 ^ 0x41 : $1 }] {
          bytes.withUnsafeBytes { bytes in
            guard let change = try? Change(bytes) else { return }
            _ = try? change.applied(to: values, entity, map)
            _ = try? change.inverse.applied(to: values, entity, map)
          }
        }
      }
    }
  }
}
