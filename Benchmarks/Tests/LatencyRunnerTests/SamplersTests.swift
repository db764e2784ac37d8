import Foundation
import XCTest

@testable import LatencyRunner

final class SamplersTests: XCTestCase {
  private var folder = ""

  override func setUp() async throws { folder = NSTemporaryDirectory() + "samplers-\(UUID().uuidString)" }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  /// It would be given a copy of all stores for one of its own.
  func testTheEmptyProgramTakesPartInStartsAlone() throws {
    let workers = Workers(folder: folder)
    let stores = try StoreCache(folder: folder, workers: workers, keepsOld: false)
    let plan = Plan(profile: .full)
    let groups = Samplers(plan: plan, workers: workers, stores: stores, agreement: Agreement())
      .groups(plan.rows, [.lmdb, .swift])
    let measured = groups.joined().filter { $0.peer == .swift }.flatMap(\.rows).map(\.name)
    XCTAssertEqual(
      measured, plan.rows.map(\.name).filter { $0.hasPrefix("restore.") && $0 != "restore.inside.100k" })
    XCTAssertEqual(try stores.store(StoreShape(objects: 10), of: .swift), folder)
  }

  func testTheUsualFormOfGRDBIsNotAskedQuestions() throws {
    let workers = Workers(folder: folder)
    let stores = try StoreCache(folder: folder, workers: workers, keepsOld: false)
    let groups = Samplers(plan: Plan(profile: .quick), workers: workers, stores: stores, agreement: Agreement())
      .groups([.named("rank.100k"), .named("query.rank"), .named("list.open.condition")], [.grdb, .grdbUsual])
    XCTAssertEqual(groups.map { $0.map(\.peer) }, [[.grdb, .grdbUsual], [.grdb], [.grdb]])
  }

  /// A worker in sh that makes an empty store, and answers every question alike.
  private func installWorker(_ peer: Peer, answer: String) throws {
    let path = folder + "/dynamic/" + peer.worker
    try FileManager.default.createDirectory(atPath: folder + "/dynamic", withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      case "$1" in
      make) mkdir "$2"; echo objects 100000; echo events 100000 ;;
      list-memory) echo bytes 800; echo rows 50; \(answer) ;;
      *) echo "$1 $3 $4 $5" >>"\(folder)/asked-\(peer.rawValue)"; echo sample 4000; echo sample 2000; \(answer) ;;
      esac
      """
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private func measure(_ rows: [String], _ peers: [Peer]) throws -> [Figure] {
    let workers = Workers(folder: folder)
    let stores = try StoreCache(folder: folder + "/stores", workers: workers, keepsOld: false)
    let samplers = Samplers(plan: Plan(profile: .quick), workers: workers, stores: stores, agreement: Agreement())
    return Measurement(report: { _ in }).run(samplers.groups(rows.map(Row.named), peers))
  }

  func testAQuestionIsAskedOfEveryPeerInEveryRound() throws {
    for peer in [Peer.grdb, .lmdb] { try installWorker(peer, answer: "echo check 7") }
    let figures = try measure(["query.in100", "list.change.saved"], [.grdb, .lmdb, .swift])
    XCTAssertEqual(figures.map(\.row.name), ["query.in100", "query.in100", "list.change.saved", "list.change.saved"])
    XCTAssertEqual(figures.map { $0.summary?.median }, [3, 3, 3, 3])
    XCTAssertEqual(figures.map { $0.summary?.count }, [6, 6, 6, 6])
    let asked = try String(contentsOfFile: folder + "/asked-grdb", encoding: .utf8).split(separator: "\n")
    XCTAssertEqual(
      asked,
      (1...3).map { "query question=in100 rounds=5 seed=\($0)" }
        + (1...3).map { "list question=change.saved rounds=5 seed=\($0)" })
  }

  func testAWrongAnswerFailsTheRun() throws {
    try installWorker(.grdb, answer: "echo check 7")
    try installWorker(.lmdb, answer: "echo check 8")
    let figures = try measure(["query.in100", "list.memory.condition"], [.grdb, .lmdb])
    XCTAssertEqual(figures.map(\.isFault), [false, true, false, true])
    XCTAssertEqual(figures[1].outcome, .skipped(.failed("answered 8, and grdb 7")))
    XCTAssertEqual(figures[2].summary?.median, 16)
  }

  func testAnAnswerWithoutProofFailsTheRunAndNoAnswerLeavesThePeerOut() throws {
    try installWorker(.grdb, answer: "exit 64")
    try installWorker(.lmdb, answer: "true")
    let figures = try measure(["query.in100"], [.grdb, .lmdb])
    XCTAssertEqual(figures.map(\.outcome), [.skipped(.failed("the worker did not say 'check'"))])
  }
}
