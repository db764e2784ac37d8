#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class RunSession {
  #Index<RunSession>([\.type, \.start])
  @Attribute(.unique) var key: String
  var name: String?
  var distance: Double
  var movingTime: Int
  var type: String
  var subtype: String?
  @Attribute(.indexed) var start: String
  var startLocal: String
  var averageSpeed: Double
  var elevationGain: Double?
  var streak: Int
  init(key: String) {
    self.key = key
    distance = 0
    movingTime = 0
    type = ""
    start = ""
    startLocal = ""
    averageSpeed = 0
    streak = 0
  }
}

extension SectionRule where Value == String {
  /// A day's month: "2021-08".
  fileprivate static var month: SectionRule { SectionRule("month") { String(($0 ?? "").prefix(7)) } }
}

/// The history of one runner's sessions, saved transaction by transaction below open lists. Among them is a re-import
/// that deletes 1,806 sessions and inserts 1,963.
@MainActor final class RunSessionTests: XCTestCase {
  func testEachBatchLeadsFromWhatWasShownToWhatIsShownThroughTheWholeHistory() async throws {
    let temporary = try await TemporaryStore(for: RunSession.self)
    let all = Fetch<RunSession>()
    let latest = all.sorted { $0.start.descending }
    let shadows = try [
      Shadow("start", latest, temporary.store),
      Shadow("month", latest.sectioned { $0.startLocal.section(by: .month) }, temporary.store) {
        String($0.startLocal.prefix(7))
      },
      Shadow("type", latest.sectioned { $0.type.section }, temporary.store, section: \.type),
      Shadow(
        "type over an index", all.sorted { [$0.type, $0.start] }.sectioned { $0.type.section }, temporary.store,
        section: \.type),
      Shadow(
        "long", Fetch { $0.distance > 5000 }.sorted { [$0.streak.descending, $0.start.descending] }, temporary.store),
      Shadow("a window", latest.sectioned { $0.type.section }.limit(50, offset: 20), temporary.store, section: \.type),
    ]
    var replay = Replay(RootContext(temporary.store))
    for case let transaction as [String: Any] in try DataFile("run-sessions/history.jsonl.gz").lines() {
      try await replay.apply(transaction)
      try temporary.store.mainContext.refresh()
      for shadow in shadows { try await shadow.check(replay.count % 100 == 0) }
      if testRun?.totalFailureCount ?? 0 > 0 { return XCTFail("transaction \(replay.count)") }
    }
    for shadow in shadows { try await shadow.check(true) }
    XCTAssertEqual(replay.count, 1_405)
    XCTAssertEqual(replay.operations, [5_712, 76, 1_996])
    XCTAssertEqual(shadows[0].list.count, 3_716)
    for shadow in shadows {
      XCTAssertEqual(shadow.resets, 0, shadow.label)
      print("run-sessions, \(shadow.label): \(shadow.batches) batches, \(shadow.changedRows) rows named")
    }
    let report = try await StoreMaintenance.verify(temporary.store)
    XCTAssertEqual(report.problems, [])
  }
}

/// Saves the transactions of the history.
@MainActor struct Replay {
  let context: RootContext
  private var sessions: [String: RunSession] = [:]
  private(set) var count = 0
  /// Inserts, updates, deletes.
  private(set) var operations = [0, 0, 0]
  /// The sessions that ever had a key.
  private(set) var ids: [String: [RunSession.ID]] = [:]
  /// The position of each transaction.
  private(set) var positions: [Position] = []

  init(_ context: RootContext) { self.context = context }

  mutating func apply(_ transaction: [String: Any]) async throws {
    count += 1
    for case let operation as [Any] in try XCTUnwrap(transaction["ops"] as? [Any]) {
      let key = try XCTUnwrap(operation[2] as? String)
      switch operation[0] as? String {
      case "+":
        let session = context.insert(RunSession(key: key))
        sessions[key] = session
        ids[key, default: []].append(session.id)
        set(session, operation[3])
        operations[0] += 1
      case "~":
        set(try XCTUnwrap(sessions[key]), operation[3])
        operations[1] += 1
      default:
        context.delete(try XCTUnwrap(sessions.removeValue(forKey: key)))
        operations[2] += 1
      }
    }
    positions.append(try await context.save())
    XCTAssertEqual(try context.count(Fetch<RunSession>()), sessions.count)
  }

  private func set(_ session: RunSession, _ values: Any) {
    for (name, value) in values as? [String: Any] ?? [:] {
      switch name {
      case "name": session.name = value as? String
      case "distance": session.distance = value as? Double ?? .nan
      case "movingTime": session.movingTime = value as? Int ?? -1
      case "type": session.type = value as? String ?? ""
      case "subtype": session.subtype = value as? String
      case "start": session.start = value as? String ?? ""
      case "startLocal": session.startLocal = value as? String ?? ""
      case "averageSpeed": session.averageSpeed = value as? Double ?? .nan
      case "elevationGain": session.elevationGain = value as? Double
      case "streak": session.streak = value as? Int ?? -1
      default: XCTFail("an unknown attribute: \(name)")
      }
    }
  }
}

/// A list, and a copy of its rows that knows nothing but its batches.
@MainActor private final class Shadow {
  let label: String
  let list: FetchedList<RunSession>
  private let section: ((RunSession) -> String)?
  private var rows: [[RunSession.ID]]
  private var names: [String?]
  private var observation: ListObservation?
  private(set) var batches = 0
  private(set) var resets = 0
  private(set) var changedRows = 0

  init(
    _ label: String, _ fetch: Fetch<RunSession>, _ store: Store, section: ((RunSession) -> String)? = nil
  ) throws {
    self.label = label
    self.section = section
    list = try FetchedList(fetch, in: store.mainContext)
    rows = try list.identifiers.sections.map(\.ids)
    names = list.snapshot.sections.map(\.name)
    observation = list.observe { [unowned self] in receive($0) }
  }

  private func receive(_ batch: ListBatch) {
    batches += 1
    if batch.isReset { resets += 1 }
    XCTAssertEqual(batch.before.sections.map(\.rowCount), rows.map(\.count), label)
    XCTAssertEqual(batch.before.sections.map(\.name), names, label)
    batch.apply(to: &rows) { path in
      changedRows += 1
      return list.element(at: path).id
    }
    names = batch.after.sections.map(\.name)
    XCTAssertEqual(batch.after, list.snapshot, label)
  }

  /// Holds the copy against the list, and if `wholly` against all objects in plain Swift's order.
  func check(_ wholly: Bool) async throws {
    await list.delivered()
    XCTAssertEqual(rows.map(\.count), list.snapshot.sections.map(\.rowCount), label)
    XCTAssertEqual(rows, try list.identifiers.sections.map(\.ids), label)
    guard wholly else { return }
    let fetched = try list.context.fetch(list.fetch)
    XCTAssertEqual(Set(rows.joined()), Set(fetched.map(\.id)), label)
    guard let section else { return XCTAssertEqual(rows.flatMap { $0 }, fetched.map(\.id), label) }
    // Sections stand in the order in which they come first, rows within each in that of the fetch.
    var order: [String] = []
    var expected: [String: [RunSession.ID]] = [:]
    for session in fetched {
      let name = section(session)
      if expected[name] == nil { order.append(name) }
      expected[name, default: []].append(session.id)
    }
    XCTAssertEqual(names, order, label)
    XCTAssertEqual(rows, order.compactMap { expected[$0] }, label)
  }
}
#endif
