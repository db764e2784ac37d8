#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

/// Questions of the past, answered by the finished store: at once, after reopening, after compaction, and as far as the
/// log goes back after its beginning is dropped.
@MainActor final class PastSessionTests: XCTestCase {
  private struct Question {
    let transaction: Int
    let key: String
    /// `nil` if there was no such session.
    let answer: [String: NSObject]?

    init(_ line: Any) throws {
      let line = try XCTUnwrap(line as? [String: Any])
      transaction = try XCTUnwrap(line["seq"] as? Int)
      key = try XCTUnwrap(line["key"] as? String)
      answer = line["expect"] as? [String: NSObject]
    }
  }

  func testEachQuestionIsAnsweredWhateverHasBecomeOfTheStore() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/reprise-past-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var store = try await Store.open(folder, for: RunSession.self)
    var replay = Replay(RootContext(store))
    for case let transaction as [String: Any] in try DataFile("run-sessions/history.jsonl.gz").lines() {
      try await replay.apply(transaction)
    }
    let questions = try DataFile("run-sessions/asof.jsonl.gz").lines().map(Question.init)
    XCTAssertEqual(questions.count, 400)
    try ask(questions, replay, store, "at once")
    try await store.close()
    store = try await Store.open(folder, for: RunSession.self)
    try ask(questions, replay, store, "reopened")
    try await store.close()
    try await StoreMaintenance.compact(folder)
    store = try await Store.open(folder, for: RunSession.self)
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try ask(questions, replay, store, "compacted")

    let floor = replay.positions[700]
    let retained = try await store.log.retain(.from(floor))
    XCTAssertEqual(retained.firstPosition, floor)
    let known = questions.filter { replay.positions[$0.transaction - 1] + 1 >= floor }
    XCTAssertGreaterThan(known.count, 50)
    XCTAssertLessThan(known.count, 300)
    try ask(known, replay, store, "above the floor")
    for question in questions where replay.positions[question.transaction - 1] + 1 < floor {
      XCTAssertThrowsError(try store.context(at: replay.positions[question.transaction - 1])) { error in
        guard case StoreError.truncated? = error as? StoreError else { return XCTFail("\(error)") }
      }
    }
    try await store.close()
    store = try await Store.open(folder, for: RunSession.self)
    let proved = try await StoreMaintenance.verify(store)
    XCTAssertEqual(proved.problems, [])
    try ask(known, replay, store, "reopened above the floor")
    try await store.close()
  }

  private func ask(_ questions: [Question], _ replay: Replay, _ store: Store, _ message: String) throws {
    for (place, question) in questions.enumerated() {
      let past = try store.context(at: replay.positions[question.transaction - 1])
      let session = replay.ids[question.key]?.lazy.compactMap { past.find($0) }.first
      let message = "\(message): \(question.key) after \(question.transaction)"
      XCTAssertEqual(session.map(values), question.answer, message)
      // The same by an index, which costs all that changed since.
      if place % 40 > 0 { continue }
      XCTAssertEqual(try past.fetch(Fetch<RunSession> { $0.key == question.key }), session.map { [$0] } ?? [], message)
    }
  }

  /// Without what is null, which the answers leave out.
  private func values(_ session: RunSession) -> [String: NSObject] {
    var values: [String: NSObject] = [
      "distance": session.distance as NSNumber, "movingTime": session.movingTime as NSNumber,
      "type": session.type as NSString, "start": session.start as NSString,
      "startLocal": session.startLocal as NSString, "averageSpeed": session.averageSpeed as NSNumber,
      "streak": session.streak as NSNumber,
    ]
    values["name"] = session.name as NSString?
    values["subtype"] = session.subtype as NSString?
    values["elevationGain"] = session.elevationGain as NSNumber?
    return values
  }
}
#endif
