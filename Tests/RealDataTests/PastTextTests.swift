#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class TypedText {
  var text: String
  init() { text = "" }
}

/// A recorded session of editing, each keystroke saved: what the text was is read in the past, and reached by undo and
/// redo.
///
/// In a few seconds the first 2,000 transactions are done. `REPRISE_TRANSACTIONS=18335` does the whole session.
@MainActor final class PastTextTests: XCTestCase {
  private let folder = FileManager.default.temporaryDirectory.path + "/reprise-text-\(UUID().uuidString)"
  private var trace: EditingTrace!
  private var id: TypedText.ID!
  /// The position of each transaction.
  private var positions: [Position] = []

  override func setUp() async throws {
    let other = ProcessInfo.processInfo.environment["REPRISE_EDITING_TRACE"].map(DataFile.init(at:))
    trace = try EditingTrace(
      other ?? DataFile("editing-traces/sveltecomponent.json.gz"), limit: transactionCount(2_000))
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: folder) }

  private func open() async throws -> Store {
    try await Store.open(folder, for: TypedText.self)
  }

  /// A context that undoes what was typed, as in a new launch.
  private func writer(_ store: Store) throws -> (RootContext, TypedText) {
    let context = RootContext(store, author: "writer")
    context.undoesSaves = true
    return (context, try context.object(id))
  }

  /// Saves each transaction.
  private func type(in store: Store) async throws {
    let context = RootContext(store, author: "writer")
    let typed = context.insert(TypedText())
    id = typed.id
    try await context.save()
    for transaction in trace.transactions {
      for patch in transaction { typed.text.apply(patch) }
      positions.append(try await context.save())
    }
  }

  func testEachCheckpointIsReadInThePastWhateverHasBecomeOfTheStore() async throws {
    var store = try await open()
    try await type(in: store)
    try read(store, "at once")
    try await store.close()
    store = try await open()
    try read(store, "reopened")
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try read(store, "verified")
    try await store.close()
    try await StoreMaintenance.compact(folder)
    store = try await open()
    try read(store, "compacted")
    try await store.close()
  }

  private func read(_ store: Store, _ message: String) throws {
    XCTAssertFalse(trace.checkpoints.isEmpty)
    for checkpoint in trace.checkpoints {
      let past = try store.context(at: positions[checkpoint.transaction])
      let text = try past.object(id).text
      XCTAssertEqual(digest(of: text), checkpoint.digest, "\(message), after \(checkpoint.transaction)")
    }
  }

  func testUndoGoesFromTheEndToEachCheckpointAndRedoToTheEnd() async throws {
    var store = try await open()
    try await type(in: store)
    try await store.close()
    store = try await open()
    var (context, typed) = try writer(store)
    let end = typed.text
    let digests = Dictionary(uniqueKeysWithValues: trace.checkpoints.map { ($0.transaction, $0.digest) })
    // Some transactions changed nothing, so nothing was saved.
    let first = positions[0] - 1
    let saved = positions.indices.filter { positions[$0] > ($0 > 0 ? positions[$0 - 1] : first) }

    for place in saved.reversed() {
      if let expected = digests[place] { XCTAssertEqual(digest(of: typed.text), expected, "undone to \(place)") }
      context.undo()
      XCTAssertNil(context.undoFailure)
      try await context.save()
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
    XCTAssertEqual(typed.text, "")

    // In a new launch, and what leads to one checkpoint saved together.
    try await store.close()
    store = try await open()
    (context, typed) = try writer(store)
    for place in saved {
      context.redo()
      XCTAssertNil(context.undoFailure)
      guard let expected = digests[place] else { continue }
      XCTAssertEqual(digest(of: typed.text), expected, "redone to \(place)")
      try await context.save()
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
    XCTAssertEqual(typed.text, end)
    XCTAssertFalse(context.canRedo)
    try await context.save()
    let verified = try await StoreMaintenance.verify(store)
    XCTAssertEqual(verified.problems, [])
    try await store.close()
  }
}
#endif
