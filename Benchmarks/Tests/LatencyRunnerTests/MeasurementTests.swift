import XCTest

@testable import LatencyRunner

final class MeasurementTests: XCTestCase {
  private let row = Row.named("restore.cold.10k")

  func testPeersTakeTurns() {
    var order: [String] = []
    let samplers = [Peer.reprise, .grdb].map { peer in
      Sampler(
        rows: [row], peer: peer, rounds: peer == .grdb ? 2 : 3, warmsUp: peer == .grdb,
        prepare: { order.append("prepare") },
        sample: { round in
          order.append("\(peer.rawValue) \(round)")
          return Sample(values: [self.row.name: [Double(round)]])
        })
    }
    let figures = Measurement(report: { _ in }).run([samplers])
    XCTAssertEqual(order, ["prepare", "prepare", "grdb 0", "reprise 0", "grdb 0", "reprise 1", "grdb 1", "reprise 2"])
    XCTAssertEqual(figures.compactMap(\.summary?.count), [3, 2])
  }

  func testAPeerWithoutACounterpartIsLeftOutAndOneThatFailsSaysWhy() {
    let errors: [(Peer, BenchmarkError)] = [
      (.lmdb, .unsupported), (.grdb, .failed("broken")), (.reprise, .missing("x")),
    ]
    var calls = 0
    let samplers = errors.map { peer, error in
      Sampler(
        rows: [row], peer: peer, rounds: 5, prepare: {},
        sample: { _ in
          calls += 1
          throw error
        })
    }
    let figures = Measurement(report: { _ in }).run([samplers])
    XCTAssertEqual(figures.map(\.outcome), [.skipped(.failed("broken")), .skipped(.missing("x"))])
    XCTAssertEqual(figures.map(\.isFault), [true, false])
    XCTAssertEqual(calls, 3, "asked again after it had failed")
  }

  func testFiguresAreOrderedByRowsThenByPeers() {
    let rows = [Row.named("save.one.bytes"), .named("save.one.flushes")]
    let samplers = [Peer.reprise, .grdb].map { peer in
      Sampler(
        rows: rows, peer: peer, rounds: 1, prepare: {},
        sample: { _ in
          Sample(values: [rows[0].name: [1], rows[1].name: [2]])
        })
    }
    let figures = Measurement(report: { _ in }).run([samplers])
    XCTAssertEqual(figures.map(\.row.name), [rows[0].name, rows[0].name, rows[1].name, rows[1].name])
    XCTAssertEqual(figures.map(\.peer), [.reprise, .grdb, .reprise, .grdb])
  }

  func testCopiesAreGivenUpAfterTheirGroup() {
    var finished = 0
    let sampler = Sampler(
      rows: [row], peer: .reprise, rounds: 1, prepare: { throw BenchmarkError.failed("no") },
      sample: { _ in Sample() }, finish: { finished += 1 })
    _ = Measurement(report: { _ in }).run([[sampler]])
    XCTAssertEqual(finished, 1)
  }

  func testStagesAreDifferencesOfStamps() throws {
    let stamps = ["main 2000", "open 2500", "tree 3000", "rows 3000", "position 3100", "draft 3400", "ready 3500"]
    let output = try WorkerOutput((stamps + ["anonymous 4096"]).joined(separator: "\n"))
    let sample = try RestoreStages(output, began: 500).sample(of: "a")
    XCTAssertEqual(sample.values, ["a": [3]])
    XCTAssertEqual(
      sample.parts,
      [
        "main": 1.5, "open": 0.5, "tree": 0.5, "rows": 0, "position": 0.1, "draft": 0.3, "ready": 0.1,
        "after main": 1.5,
        "anonymous": 4_096,
      ])
    XCTAssertThrowsError(try RestoreStages(output, began: 2_001))
  }

  func testWhatIsRestoredHasToBeTheSameForAll() throws {
    let agreement = Agreement()
    let shape = StoreShape(objects: 10)
    try agreement.check(WorkerOutput("check 5"), .restored(shape), .reprise)
    try agreement.check(WorkerOutput("check 5"), .restored(shape), .grdb)
    try agreement.check(WorkerOutput("check 6"), .restored(StoreShape(objects: 11)), .grdb)
    try agreement.check(WorkerOutput("read 6"), .restored(shape), .grdb)
    XCTAssertThrowsError(try agreement.check(WorkerOutput("check 6"), .restored(shape), .lmdb)) { error in
      XCTAssertEqual(error as? BenchmarkError, .failed("restored 6, and reprise 5"))
    }
  }

  func testWhatIsAnsweredHasToBeTheSameForAll() throws {
    let agreement = Agreement()
    try agreement.checkAnswer(WorkerOutput("check 5"), "query.a", round: nil, .reprise)
    try agreement.checkAnswer(WorkerOutput("check 5"), "query.a", round: nil, .grdb)
    try agreement.checkAnswer(WorkerOutput("check 6"), "query.b", round: nil, .reprise)
    XCTAssertThrowsError(try agreement.checkAnswer(WorkerOutput("check 7"), "query.a", round: nil, .lmdb)) { error in
      XCTAssertEqual(error as? BenchmarkError, .failed("answered 7, and reprise 5"))
    }
    XCTAssertThrowsError(try agreement.checkAnswer(WorkerOutput("sample 7"), "query.c", round: nil, .lmdb), "no proof")
    try agreement.checkAnswer(WorkerOutput("check 1"), "list.a", round: 0, .reprise)
    try agreement.checkAnswer(WorkerOutput("check 2"), "list.a", round: 1, .reprise)
    XCTAssertThrowsError(try agreement.checkAnswer(WorkerOutput("check 1"), "list.a", round: 1, .grdb))
  }

  func testAWorkerThatChattersIsRefused() {
    XCTAssertThrowsError(try WorkerOutput("ready 5\nwarning: something"))
    XCTAssertThrowsError(try WorkerOutput("ready 1.5"))
  }
}
