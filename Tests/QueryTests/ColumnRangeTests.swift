import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Which rows of an index over several columns a condition leaves, and whose order they have.
final class ColumnRangeTests: XCTestCase {
  private let schema = try? ResolvedSchema(Schema(Todo.self, Folder.self))
  private let folder = Folder.ID(AnyObjectID(Folder.entity.interned, UniqueID(high: 1, low: 2)))

  private enum Slot {
    static let rank = 3
    static let doneDue = 6
    static let folderTitle = 7
    static let folderDoneDue = 8
    static let titleNote = 9
  }

  private func compile(
    _ condition: (Todo.Fields) -> Condition<Todo>, _ keys: (Todo.Fields) -> [SortKey<Todo>] = { _ in [] }
  ) throws -> CompiledFetch {
    try CompiledFetch(Fetch<Todo>(condition).sorted(keys), schema: XCTUnwrap(schema))
  }

  private func key(_ values: PropertyValue...) -> [UInt8] { values.flatMap { OrderKey.bytes(of: $0) } }

  private func slots(_ path: AccessPath) -> [Int] {
    switch path {
    case .index(let slot, _), .inverse(let slot, _): [slot]
    case .union(let parts), .intersection(let parts): parts.flatMap { slots($0) }
    default: []
    }
  }

  func testColumnsWithOneValueAndARangeBehindThemAreOneRange() throws {
    let fetch = try compile { !$0.isDone && $0.due > 5 }
    let (lower, upper) = (key(.bool(false)) + OrderKey.successor(of: key(.double(5)))!, key(.bool(false)) + [7])
    XCTAssertEqual(fetch.access, .index(slot: Slot.doneDue, KeyRanges(KeyRange(lower: lower, upper: upper))))
    XCTAssertTrue(fetch.accessIsExact)
    let alone = try compile { $0.isDone == true }
    let done = key(.bool(true))
    XCTAssertEqual(
      alone.access,
      .index(slot: Slot.doneDue, KeyRanges(KeyRange(lower: done, upper: OrderKey.successor(of: done)))))
    XCTAssertTrue(alone.accessIsExact)
  }

  func testAListOfValuesIsAsManyRanges() throws {
    let fetch = try compile { $0.due.isIn([1, 5]) && !$0.isDone }
    guard case .index(Slot.doneDue, let ranges) = fetch.access else { return XCTFail("\(fetch.access)") }
    XCTAssertEqual(ranges.ranges.map(\.lower), [1, 5].map { key(.bool(false), .double($0)) })
    XCTAssertTrue(fetch.accessIsExact)
    XCTAssertNil(fetch.countedIndex)
  }

  func testTheOrderBehindWhatIsFixedIsCounted() throws {
    let folder = folder
    let open = { (todo: Todo.Fields) in todo.folder == folder && !todo.isDone }
    let counted = [
      (try compile(open, { [$0.due.ascending] }), Slot.folderDoneDue, true),
      (try compile(open, { [$0.due.descending] }), Slot.folderDoneDue, false),
      (try compile({ $0.folder == folder }, { [$0.title.ascending] }), Slot.folderTitle, true),
      (try compile({ $0.folder == nil }, { [$0.title.ascending] }), Slot.folderTitle, true),
      (try compile({ $0.folder == folder }, { [$0.isDone.ascending, $0.due.ascending] }), Slot.folderDoneDue, true),
      (try compile({ _ in Condition(true) }, { [$0.isDone.descending, $0.due.descending] }), Slot.doneDue, false),
      (try compile({ $0.isDone == true }, { [$0.isDone.ascending, $0.due.ascending] }), Slot.doneDue, true),
      (try compile({ !$0.isDone && $0.due == nil }), Slot.doneDue, true),
      (try compile({ $0.title == "a" && $0.note.hasPrefix("b") }, { [$0.note.ascending] }), Slot.titleNote, true),
    ]
    for (place, (fetch, slot, isAscending)) in counted.enumerated() {
      XCTAssertEqual(fetch.countedIndex?.slot, slot, "\(place)")
      XCTAssertEqual(fetch.countedIndex?.isAscending, isAscending, "\(place)")
    }
    for (place, fetch) in [
      // Not the order of the index, or not of all that matches.
      try compile(open, { [$0.title.ascending] }),
      try compile({ $0.folder == folder }, { [$0.due.ascending] }),
      try compile({ !$0.isDone && $0.rank > 1 }, { [$0.due.ascending] }),
      try compile({ !$0.isDone }, { [$0.due.ascending(nils: .last)] }),
      try compile({ _ in Condition(true) }, { [$0.isDone.ascending, $0.due.descending] }),
      try compile({ $0.isDone == true }, { [$0.due.ascending, $0.isDone.descending] }),
      // Ties would come by title instead of birth.
      try compile({ $0.folder == folder }),
      try compile({ $0.title > "a" }, { [$0.title.ascending] }),
    ].enumerated() {
      XCTAssertNil(fetch.countedIndex, "\(place)")
    }
  }

  func testTheSortKeyOfAFetchThatColumnsCoverIsTheRowKey() throws {
    let fetch = try compile({ $0.isDone == true }, { [$0.due.descending] })
    var values = Todo.entity.defaults
    values[1] = .bool(true)
    values[2] = .double(4)
    let id = AnyObjectID(Todo.entity.interned, UniqueID(high: 7, low: 8))
    let source = try DetachedSource(Todo.self, Folder.self, objects: [])
    let key = fetch.sortKey(of: values, id: id, source: source)
    XCTAssertEqual(key.map { ~$0 }, Todo.entity.rowKeys(Slot.doneDue, values, id.uuid)[0])
    XCTAssertEqual(key.withUnsafeBytes { fetch.uuid(ofSortKey: $0[...]) }, id.uuid)
  }

  func testWhatColumnsHoldInPartIsTestedOrIntersected() throws {
    let folder = folder
    let partly = try compile { $0.folder == folder && $0.due > 1 && $0.title.contains("x") }
    XCTAssertFalse(partly.accessIsExact)
    XCTAssertEqual(slots(partly.access), [Slot.folderTitle])
    let both = try compile { $0.folder == folder && !$0.isDone && $0.rank > 3 }
    XCTAssertEqual(slots(both.access), [Slot.folderDoneDue, Slot.rank])
    XCTAssertTrue(both.accessIsExact)
    let either = try compile { $0.folder == folder && !$0.isDone || $0.rank > 3 }
    XCTAssertEqual(Set(slots(either.access)), [Slot.folderDoneDue, Slot.rank])
    XCTAssertTrue(either.accessIsExact)
    XCTAssertEqual(try compile { !$0.isDone && $0.isDone == true }.access, .nothing)
    XCTAssertEqual(try compile { $0.note == "a" || !$0.isDone }.access, .scan)
  }

  func testAPathThatSaysMoreThanTheColumnsIsNotReplacedByThem() throws {
    let fetch = try compile { $0.folder == folder && ($0.title == "a" || $0.title == "b" && $0.note <= "c") }
    guard case .intersection(let parts) = fetch.access else { return XCTFail("\(fetch.access)") }
    XCTAssertTrue(parts.flatMap { slots($0) }.contains(Slot.titleNote), "\(parts)")
  }

  func testARangeBehindALongTextIsExact() throws {
    let long = String(repeating: "a", count: 350)
    for (condition, isIn) in [
      ({ $0.title == long && $0.note == "b" }, { $0 == "b" }),
      ({ $0.title == long && $0.note == long }, { $0 == long }),
      ({ $0.title == long && $0.note > long }, { $0 > long }),
      ({ $0.title == long && $0.note.hasPrefix(long) }, { $0.hasPrefix(long) }),
    ] as [((Todo.Fields) -> Condition<Todo>, (String) -> Bool)] {
      let fetch = try compile(condition)
      XCTAssertTrue(fetch.accessIsExact)
      guard case .index(Slot.titleNote, let ranges) = fetch.access else { return XCTFail("\(fetch.access)") }
      for note in ["b", long, long + "b"] {
        var values = Todo.entity.defaults
        values[0] = .string(long)
        values[4] = .string(note)
        let row = Todo.entity.rowKeys(Slot.titleNote, values, UniqueID(high: 1, low: 1))[0]
        XCTAssertEqual(ranges.contains(row), isIn(note))
      }
    }
  }
}
