#if Macros
import RepriseObjectModel
import XCTest

/// Objects of `@Model` classes that come from a store: made without values, filled on first use.
final class FaultTests: XCTestCase {
  func testMakingAFaultReadsNothingAndDefaultsDoNotHideWhatIsStored() throws {
    let host = Host([.string("Stored"), .int(7), .null, .string("new"), .null, .null])
    let storage = ObjectStorage(Item.entity, uuid: UniqueID(), host: host)
    let item = try XCTUnwrap(Item.entity.makeObject(storage) as? Item)
    XCTAssertEqual(host.fills, 0)
    XCTAssertTrue(item._storage === storage)
    XCTAssertEqual(item.name, "Stored")
    XCTAssertEqual(item.valueInDollars, 7)
    XCTAssertEqual(item.condition, .new)
    XCTAssertEqual(host.fills, 1)
    XCTAssertTrue(host.changes.isEmpty, "making a fault wrote \(host.changes)")
  }

  func testAFaultKeepsTheIDOfItsObject() throws {
    let uuid = UniqueID()
    let storage = ObjectStorage(Item.entity, uuid: uuid, host: Host([]))
    XCTAssertEqual(Item(_storage: storage).id.uuid, uuid)
  }

  func testASetterGoesToTheContext() {
    let host = Host([.string("Stored"), .int(7), .null, .string("new"), .null, .null])
    let item = Item(_storage: ObjectStorage(Item.entity, uuid: UniqueID(), host: host))
    item.valueInDollars = 8
    item.serial = "S"
    XCTAssertEqual(host.changes, [1: .int(8), 2: .string("S")])
  }

  func testARawValueWithoutACaseReadsAsTheDefaultAndSaysSo() {
    let host = Host([.string("Stored"), .int(7), .null, .string("melted"), .null, .null])
    let item = Item(_storage: ObjectStorage(Item.entity, uuid: UniqueID(), host: host))
    XCTAssertEqual(item.condition, .used)
    XCTAssertEqual(item.state, .unreadable)
    XCTAssertEqual(host.misreads, [3])
  }
}

/// A context of one record.
private final class Host: ObjectHost {
  func didRead(_ slot: Int, of storage: ObjectStorage) {}
  let record: ContiguousArray<PropertyValue>
  var fills = 0
  var changes: [Int: PropertyValue] = [:]
  var misreads: [Int] = []

  init(_ record: ContiguousArray<PropertyValue>) { self.record = record }

  func fill(_ storage: ObjectStorage) {
    fills += 1
    storage.values = record
  }
  func misread(_ slot: Int, of storage: ObjectStorage) { misreads.append(slot) }
  func set(_ value: PropertyValue, at slot: Int, of storage: ObjectStorage) { changes[slot] = value }
  func setToOne(_ object: (any PersistentModel)?, at slot: Int, of storage: ObjectStorage) {}
  func toOne(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { nil }
  func toMany(_ slot: Int, of storage: ObjectStorage) -> [any PersistentModel] { [] }
  func insertMember(_ object: any PersistentModel, into slot: Int, of storage: ObjectStorage) {}
  func removeMember(_ object: any PersistentModel, from slot: Int, of storage: ObjectStorage) {}
  func member(at position: Int, _ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { nil }
  func position(of object: any PersistentModel, _ slot: Int, of storage: ObjectStorage) -> Int? { nil }
  func insertMember(_ object: any PersistentModel, at position: Int, into slot: Int, of storage: ObjectStorage) {}
  func insertMembers(
    _ objects: [any PersistentModel], between lower: (any PersistentModel)?, and upper: (any PersistentModel)?,
    into slot: Int, of storage: ObjectStorage
  ) -> Bool { true }
  func contains(_ object: any PersistentModel, at slot: Int, of storage: ObjectStorage) -> Bool { false }
  func asOneStep(_ body: () -> Void) { body() }
  func adopt(_ object: any PersistentModel, _ body: () -> Void) { body() }
  func toManyCount(_ slot: Int, of storage: ObjectStorage) -> Int { 0 }
  func toManyFirst(_ slot: Int, of storage: ObjectStorage) -> (any PersistentModel)? { nil }
}
#endif
