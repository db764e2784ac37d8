import Foundation
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import RepriseTesting
import XCTest

final class DataSourceConformanceTests: XCTestCase {
  private func identifier(_ text: String) -> ModelIdentifier { ModelIdentifier("test:" + text) }

  func testAnArraySourceConforms() async throws {
    let seed = testSeed()
    for isComparable in [true, false] {
      try await DataSourceConformance(
        makeSource: {
          ArraySource(
            sections: [.init(name: "a", elements: [Entry(name: "x"), Entry(name: "y")])],
            identifiedBy: { ModelIdentifier("test:" + $0.name) },
            comparedBy: { isComparable && $0 == $1 })
        },
        change: { source, numbers in
          source.setSections(Self.shuffled(source.sections, &numbers))
        },
        content: { "\($0)" }, seed: seed, rounds: 300
      ).run()
    }
  }

  /// A source of a few rows that come, go, change places and change.
  private func few(
    _ source: @escaping () -> ArraySource<Entry>
  ) -> DataSourceConformance<ArraySource<Entry>> {
    DataSourceConformance(
      makeSource: source,
      change: { source, numbers in
        let names = ["a", "b", "c", "d", "e"].shuffled(using: &numbers).prefix(.random(in: 0...5, using: &numbers))
        // Where no row stays, an array source resets.
        source.setElements(
          (["x"] + names).shuffled(using: &numbers).map { Entry(name: $0, value: .random(in: 0..<3, using: &numbers)) })
      },
      content: { "\($0)" }, seed: testSeed())
  }

  func testChangesAreToldRowByRow() async throws {
    try await few {
      ArraySource(
        sections: [.init(name: "a", elements: [Entry(name: "x")])],
        identifiedBy: { ModelIdentifier("test:" + $0.name) }, comparedBy: ==)
    }.runRowChanges()
  }

  func testChangesThatAreNotToldRowByRowAreFound() async throws {
    func expect(_ reason: String, _ source: @escaping () -> ArraySource<Entry>) async {
      do {
        try await few(source).runRowChanges()
        XCTFail("nothing was found, expected: \(reason)")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.check, .rowChanges)
        XCTAssertTrue(failure.reason.contains(reason), failure.reason)
      } catch { XCTFail("\(error)") }
    }
    await expect("has no update for this row") {
      ArraySource(
        sections: [.init(name: "a", elements: [Entry(name: "x")])],
        identifiedBy: { ModelIdentifier("test:" + $0.name) }, comparedBy: { _, _ in true })
    }
    await expect("has no identifier") { ArraySource([Entry(name: "a")]) }
  }

  func testAFailureHasThePromiseAndTheSeed() async throws {
    do {
      try await few { ArraySource([Entry(name: "a")]) }.runRowChanges()
      XCTFail("nothing was found")
    } catch let failure as DataSourceFailure {
      XCTAssertEqual(
        failure.description,
        """
        The data source breaks the promise 'rowChanges': row 0 of section 0 has no identifier. Use the seed \
        \(failure.seed) to reproduce this in round 1.
        """)
    }
  }

  func testRowsWithoutIdentifiersConform() async throws {
    try await DataSourceConformance(
      makeSource: { ArraySource(["a", "b"]) },
      change: { source, numbers in
        source.setElements((0..<Int.random(in: 0...4, using: &numbers)).map { "\($0 + source.count)" })
      },
      content: { $0 }, seed: testSeed()
    ).run()
  }

  private struct Entry: Equatable {
    let name: String
    var value = 0
  }

  /// Some sections and rows come, go, move and change; some identifiers are there twice.
  private static func shuffled(
    _ sections: [ArraySource<Entry>.Section], _ numbers: inout some RandomNumberGenerator
  ) -> [ArraySource<Entry>.Section] {
    var sections = sections
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      switch Int.random(in: 0..<7, using: &numbers) {
      case 0:
        let name = "abcdef".randomElement(using: &numbers).map(String.init) ?? "a"
        if Int.random(in: 0..<9, using: &numbers) == 0 || !sections.contains(where: { $0.name == name }) {
          sections.insert(.init(name: name, elements: []), at: Int.random(in: 0...sections.count, using: &numbers))
        }
      case 1:
        if let index = sections.indices.randomElement(using: &numbers) { sections.remove(at: index) }
      case 2: sections.shuffle(using: &numbers)
      case 3:
        let index = sections.indices.randomElement(using: &numbers)
        if let index { sections[index].elements.shuffle(using: &numbers) }
      default:
        guard let index = sections.indices.randomElement(using: &numbers) else { break }
        let place = Int.random(in: 0...sections[index].elements.count, using: &numbers)
        let name = "\(Int.random(in: 0..<30, using: &numbers))"
        let entry = Entry(name: name, value: Int.random(in: 0..<3, using: &numbers))
        if place < sections[index].elements.count {
          let isOther = Bool.random(using: &numbers)
          sections[index].elements[place] =
            isOther ? entry : Entry(name: sections[index].elements[place].name, value: 7)
        } else {
          sections[index].elements.insert(entry, at: place)
        }
      }
    }
    return sections
  }

  func testFetchedListsConform() async throws {
    let seed = testSeed()
    let byName = Fetch<Item>().sorted { $0.name }.sectioned { $0.name.firstCharacter() }
    for fetch in [byName, byName.sorted { [$0.name, $0.weight.descending] }.limit(8, offset: 1), Fetch<Item>()] {
      let test = try TestStore()
      try await DataSourceConformance(
        makeSource: { try FetchedList(fetch, in: RootContext(test.store)) },
        change: { list, numbers in try Self.change(list, &numbers) },
        content: { "\($0.snapshot)" }, seed: seed
      ).run()
    }
  }

  @MainActor func testAFetchedListOfTheMainActorConforms() async throws {
    let test = try TestStore()
    try await DataSourceConformance(
      makeSource: { try FetchedList(Fetch<Item>().sorted { $0.name }, in: RootContext(test.store)) },
      change: { list, numbers in try Self.change(list, &numbers) },
      content: { "\($0.snapshot)" }, settle: { await $0.delivered() }, seed: testSeed(), rounds: 30
    ).run()
  }

  private static func change(_ list: FetchedList<Item>, _ numbers: inout some RandomNumberGenerator) throws {
    guard let context = list.context as? EditingContext else { return }
    let items = try context.fetch(Fetch<Item>())
    let name = ["", "a", "ab", "b", "bat", "c"].randomElement(using: &numbers) ?? ""
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0...1: context.insert(Item(name: name))
    case 2: items.randomElement(using: &numbers).map { context.delete($0) }
    case 3: items.randomElement(using: &numbers)?.name = name
    case 4: items.randomElement(using: &numbers)?.valueInDollars += 1
    default: context.undo()
    }
  }

  // MARK: The suite can fail

  func testEveryBrokenPromiseIsFound() async throws {
    for fault in BrokenSource.Fault.allCases {
      do {
        try await conformance(of: fault).run()
        XCTAssertEqual(fault, .none, "not found")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.check, fault.check, "\(fault): \(failure)")
        XCTAssertEqual(failure.reason.masked, fault.reason, "\(fault)")
      }
    }
    let found = Set(BrokenSource.Fault.allCases.compactMap(\.check))
    // Those of refinements have theirs in PagedConformanceTests, and that of row changes above.
    let others: Set<DataSourceFailure.Check> = [.refresh, .paging, .prefetching, .identity, .restoration, .rowChanges]
    XCTAssertEqual(
      found, Set(DataSourceFailure.Check.allCases).subtracting(others), "each check has a source that fails it")
  }

  @MainActor func testASourceThatCallsItsObserversElsewhereIsFound() async throws {
    do {
      try await conformance(of: .anotherThread).run()
      XCTFail("not found")
    } catch let failure as DataSourceFailure {
      XCTAssertEqual(failure.check, .isolation)
    }
  }

  private typealias Parts = [(name: String, rows: [Int])]

  private func scripted(_ before: Parts, _ after: Parts, _ changes: ListChanges?) -> DataSourceConformance<Scripted> {
    DataSourceConformance(
      makeSource: { Scripted(before, after, changes) }, change: { source, _ in source.proceed() },
      content: { "\($0)" }, seed: 1, rounds: 2)
  }

  func testEachFlawOfABatchIsNamed() async throws {
    let update = ListChanges.Update(before: RowPath(item: 0), after: RowPath(item: 0), properties: [])
    let flaws: [(Parts, Parts, ListChanges, String)] = [
      (
        [("a", [10])], [("a", [10])], ListChanges(deletedSections: [1]),
        "the changes name a section that does not exist, or name a section twice."
      ),
      (
        [("a", [10, 20, 30])], [("a", [30])], ListChanges(deletedRows: [RowPath(item: 1), RowPath(item: 0)]),
        "a list of changes, such as `insertedRows`, is not sorted by section and item."
      ),
      (
        [("a", [10]), ("b", [20])], [("a", [10])], ListChanges(deletedSections: [1]),
        "section 1 is deleted, and its rows are neither deleted nor moved."
      ),
      (
        [("a", [10]), ("b", [])], [("a", [10])], ListChanges(updatedRows: [update]),
        "applied to `before`, the changes give 2 sections, but `after` has 1."
      ),
      ([("a", [10])], [("a", [10])], ListChanges(), "batch 1 lists no changes."),
      (
        [("a", [10, 20])], [("a", [20, 10])], ListChanges(updatedRows: [update]),
        "in the update of row 0 of section 0, `before` is the path of another row."
      ),
    ]
    for (before, after, changes, reason) in flaws {
      do {
        try await scripted(before, after, changes).run()
        XCTFail("not found: \(reason)")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.reason, reason)
        XCTAssertEqual(failure.check, .changes, reason)
      }
    }
  }

  func testASourceWithoutRowsIsNotRelaunched() async throws {
    do {
      try await scripted([("a", [])], [("a", [])], ListChanges()).runRelaunching { $0 }
      XCTFail("nothing was checked")
    } catch let failure as DataSourceFailure {
      XCTAssertEqual(failure.reason, "the source has no rows to check. Let `makeSource` return a source with rows.")
    }
  }

  func testEachFlawOfRowChangesIsNamed() async throws {
    let move = ListChanges.Move(from: RowPath(item: 2), to: RowPath(item: 0))
    let update = ListChanges.Update(before: RowPath(item: 0), after: RowPath(item: 0), properties: [])
    let flaws: [(Parts, Parts, ListChanges?, String)] = [
      ([("a", [10, 11])], [("a", [10])], ListChanges(), "two rows have the identifier 1."),
      (
        [("a", [10])], [("a", [10, 20])], nil,
        "the batch for a change from 1 to 2 rows is a reset, but must list row changes."
      ),
      (
        [("a", [10, 20])], [("a", [10])], ListChanges(),
        "the batch deletes no row, but the source deleted row 1 of section 0."
      ),
      (
        [("a", [10])], [("a", [10, 20])], ListChanges(),
        "the batch inserts no row, but the source inserted row 1 of section 0."
      ),
      (
        [("a", [10, 20, 30])], [("a", [20, 10, 30])], ListChanges(movedRows: [move]),
        "the move from row 2 of section 0 to row 0 of section 0 names two different rows."
      ),
      (
        [("a", [10]), ("b", [20])], [("a", [10, 20]), ("b", [])], ListChanges(),
        "a row changed its section, but the batch has no move for this row."
      ),
      (
        [("a", [10, 20])], [("a", [20, 10])], ListChanges(),
        "rows changed their order, but the batch has no move for these rows."
      ),
      (
        [("a", [10])], [("a", [11])], ListChanges(),
        "the content of row 0 of section 0 changed, but the batch has no update for this row."
      ),
      (
        [("a", [10])], [("a", [11])], ListChanges(updatedRows: [update]),
        "none of 2 changes caused the row change 'insertion' in a batch."
      ),
    ]
    for (before, after, changes, reason) in flaws {
      do {
        try await scripted(before, after, changes).runRowChanges()
        XCTFail("not found: \(reason)")
      } catch let failure as DataSourceFailure {
        XCTAssertEqual(failure.reason, reason)
        XCTAssertEqual(failure.check, .rowChanges, reason)
      }
    }
  }

  private nonisolated func conformance(of fault: BrokenSource.Fault) -> DataSourceConformance<BrokenSource> {
    DataSourceConformance(
      makeSource: { BrokenSource(fault) },
      change: { source, numbers in
        var rows = source.rowsToShow
        if Bool.random(using: &numbers) || rows.isEmpty {
          rows.insert((rows.max() ?? 0) + 1, at: Int.random(in: 0...rows.count, using: &numbers))
        } else {
          rows.remove(at: Int.random(in: 0..<rows.count, using: &numbers))
        }
        source.show(rows)
      },
      content: { "\($0)" }, seed: 5)
  }
}

/// A list of numbers that breaks one promise, or none.
private final class BrokenSource: DataSource {
  enum Fault: CaseIterable {
    case none, count, collection, sectionOutOfRange, rowOutOfRange, lookup, lookupOfGone, silence, early, continuity
    case wrongEnd, missingRow, wrongPlace, disorder, emptyBatch, unmentioned, twice, forgetsOne, anotherThread
    case deafToCancelling, retains, nested, immobile, phantomRows, loading, rewrites, negativeSections

    /// With N for each number.
    var reason: String? {
      switch self {
      case .none: nil
      case .count: "`rowCount(inSection:)` returns -N, but must not be negative."
      case .negativeSections: "`sectionCount` is -N, but must not be negative."
      case .collection: "the sections have N rows together, but `rows` has N."
      case .sectionOutOfRange: "`sectionName(_:)` returns 'none' instead of nil for section N, which does not exist."
      case .phantomRows: "`rowCount(inSection:)` returns N rows instead of none for section N, which does not exist."
      case .rowOutOfRange:
        "`modelIdentifier(at:)` returns 'none' instead of nil for row -N of section N, which does not exist."
      case .lookup: "row N of section N has the identifier 'N', but `row(for:)` returns row N of section N."
      case .lookupOfGone:
        "no row has the identifier 'conformance:no-such-row', but `row(for:)` returns row N of section N."
      case .loading:
        "`row(for:)` returns `deleted` for 'conformance:no-such-row' while the load state is loading. Only a loaded "
          + "source may return `deleted`."
      case .silence, .early: "row N of section N changed before a batch announced the change."
      case .rewrites: "row N of section N changed without a batch."
      case .continuity:
        "`before` of batch N differs from the sections and row counts that the source showed before this batch."
      case .wrongEnd:
        "`after` of batch N differs from the sections and row counts that the source shows now."
      case .missingRow, .emptyBatch:
        "applied to `before`, the changes do not give the row counts in `after`."
      case .disorder: "the changes name a row that does not exist, or name a row twice."
      case .wrongPlace, .unmentioned:
        "if the changes of batch N are applied to the earlier rows, they do not give the rows of the source."
      case .twice, .forgetsOne:
        "two observers must receive the same batches in the order of their registration. They received N and N "
          + "batches. If the numbers are equal, the order or the batches differ."
      case .anotherThread: "the source called an observer outside of the source's isolation."
      case .deafToCancelling: "the source called an observer after its observation had ended."
      case .retains: "an observation retains the source."
      case .nested:
        "an observer changed the source, and the source announced this change before all observers had received the "
          + "current batch."
      case .immobile: "the source was changed N times, but sent no batch."
      }
    }

    var check: DataSourceFailure.Check? {
      switch self {
      case .none: nil
      case .count, .negativeSections, .collection: .counts
      case .sectionOutOfRange, .rowOutOfRange, .phantomRows: .outOfRange
      case .lookup, .lookupOfGone, .loading: .lookup
      case .silence, .early, .rewrites: .stability
      case .continuity, .wrongEnd: .continuity
      case .missingRow, .wrongPlace, .disorder, .emptyBatch, .unmentioned: .changes
      case .twice, .forgetsOne: .delivery
      case .anotherThread: .isolation
      case .deafToCancelling: .cancelling
      case .retains: .retaining
      case .nested: .reentrancy
      case .immobile: .change
      }
    }
  }

  private let fault: Fault
  private(set) var rowsToShow = [1, 2, 3]
  private var bodies: [Int: (ListBatch) -> Void] = [:]
  private var next = 0
  private var isDelivering = false
  private var waiting: [[Int]] = []
  private var late: ListBatch?
  private var rewritten = 0

  init(_ fault: Fault) { self.fault = fault }

  var loadState: LoadState { fault == .loading ? .loading : .loaded }
  var sectionCount: Int { fault == .negativeSections ? -1 : 1 }
  var rows: ListRows<Int> { ArraySource(fault == .collection ? rowsToShow + [0] : rowsToShow).rows }
  func sectionName(_ section: Int) -> String? { fault == .sectionOutOfRange && section == 1 ? "none" : nil }
  func rowCount(inSection section: Int) -> Int {
    if section != 0 { return fault == .phantomRows && section == 1 ? 2 : 0 }
    return fault == .count ? -1 : rowsToShow.count
  }
  func element(at path: RowPath) -> Int {
    fault == .unmentioned ? rowsToShow[path.item] * 100 + rowsToShow.count : rowsToShow[path.item] + rewritten
  }

  func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    guard path.section == 0, rowsToShow.indices.contains(path.item) else {
      return fault == .rowOutOfRange && path.item == -1 ? ModelIdentifier("none") : nil
    }
    return ModelIdentifier("\(rowsToShow[path.item])")
  }

  func row(for identifier: ModelIdentifier) -> RowLookup {
    guard let number = Int(identifier.rawValue), let item = rowsToShow.firstIndex(of: number) else {
      return fault == .lookupOfGone && !rowsToShow.isEmpty ? .row(RowPath(item: 0)) : .deleted
    }
    return .row(RowPath(item: fault == .lookup ? rowsToShow.count - 1 - item : item))
  }

  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let token = next
    next += 1
    bodies[token] = body
    if fault == .retains { return ListObservation { self.bodies[token] = nil } }
    return ListObservation { [weak self] in if self?.fault != .deafToCancelling { self?.bodies[token] = nil } }
  }

  func show(_ rows: [Int]) {
    if fault == .immobile { return }
    if fault == .rewrites { return rewritten += 1_000 }
    if fault == .nested { return deliver(rows) }
    waiting.append(rows)
    guard !isDelivering else { return }
    isDelivering = true
    defer { isDelivering = false }
    while !waiting.isEmpty { deliver(waiting.removeFirst()) }
  }

  private func deliver(_ rows: [Int]) {
    let before = ListSnapshot(rowCount: fault == .continuity ? rowsToShow.count + 1 : rowsToShow.count)
    let old = rowsToShow
    rowsToShow = rows
    if fault == .silence { return }
    let after = ListSnapshot(rowCount: fault == .wrongEnd ? rows.count + 1 : rows.count)
    let batch = ListBatch(before: before, after: after, changes: changes(old, rows))
    if fault == .early {
      if let late { for body in bodies.values { body(late) } }
      late = batch
      return
    }
    if fault == .anotherThread {
      let bodies = Confined(bodies)
      let thread = Thread { for body in bodies.value.values { body(batch) } }
      thread.start()
      while !thread.isFinished { usleep(100) }
      return
    }
    for token in bodies.keys.sorted().dropLast(fault == .forgetsOne && bodies.count > 1 ? 1 : 0) {
      bodies[token]?(batch)
      if fault == .twice, token > 0 { bodies[token]?(batch) }
    }
  }

  private func changes(_ old: [Int], _ new: [Int]) -> ListChanges {
    var deleted = old.indices.filter { !new.contains(old[$0]) }.map { RowPath(item: $0) }
    var inserted = new.indices.filter { !old.contains(new[$0]) }.map { RowPath(item: $0) }
    switch fault {
    case .missingRow:
      deleted = []
      inserted = []
      if !new.isEmpty, !old.isEmpty {
        let path = RowPath(item: 0)
        return ListChanges(updatedRows: [ListChanges.Update(before: path, after: path, properties: [])])
      }
    case .wrongPlace where !inserted.isEmpty && new.count > 1:
      inserted = [RowPath(item: (inserted[0].item + 1) % new.count)]
    case .disorder: deleted = deleted.isEmpty ? [RowPath(item: old.count)] : deleted
    case .emptyBatch: return ListChanges()
    default: break
    }
    return ListChanges(deletedRows: deleted, insertedRows: inserted)
  }

  /// Safe: the source waits for the other thread.
  private struct Confined: @unchecked Sendable {
    let value: [Int: (ListBatch) -> Void]
    init(_ value: [Int: (ListBatch) -> Void]) { self.value = value }
  }
}

/// A source that proceeds once, from some sections to others, and tells the changes that it was given. The tens of a
/// number are the identifier of its row.
private final class Scripted: DataSource {
  private var parts: [(name: String, rows: [Int])]
  private var next: [(name: String, rows: [Int])]?
  private let changes: ListChanges?
  private var bodies: [Int: (ListBatch) -> Void] = [:]

  init(_ before: [(name: String, rows: [Int])], _ after: [(name: String, rows: [Int])], _ changes: ListChanges?) {
    (parts, next, self.changes) = (before, after, changes)
  }

  func proceed() {
    guard let next else { return }
    let before = snapshot
    (parts, self.next) = (next, nil)
    let batch = ListBatch(before: before, after: snapshot, changes: changes)
    for token in bodies.keys.sorted() { bodies[token]?(batch) }
  }

  var loadState: LoadState { .loaded }
  var sectionCount: Int { parts.count }
  func sectionName(_ section: Int) -> String? { parts.indices.contains(section) ? parts[section].name : nil }
  func rowCount(inSection section: Int) -> Int { parts.indices.contains(section) ? parts[section].rows.count : 0 }
  func element(at path: RowPath) -> Int { parts[path.section].rows[path.item] }

  func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    guard parts.indices.contains(path.section), parts[path.section].rows.indices.contains(path.item) else { return nil }
    return ModelIdentifier("\(parts[path.section].rows[path.item] / 10)")
  }

  func row(for identifier: ModelIdentifier) -> RowLookup {
    for (section, part) in parts.enumerated() {
      if let item = part.rows.firstIndex(where: { "\($0 / 10)" == identifier.rawValue }) {
        return .row(RowPath(section: section, item: item))
      }
    }
    return .deleted
  }

  func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation {
    let token = bodies.count
    bodies[token] = body
    return ListObservation { [weak self] in self?.bodies[token] = nil }
  }
}
