import Foundation
import RepriseCore
import Synchronization

/// A section as a source showed it.
struct WitnessedSection: Equatable {
  struct Row: Equatable, CustomStringConvertible {
    let id: ModelIdentifier?
    let content: String
    var description: String { "'\(content)' (\(id.map { "identifier \($0)" } ?? "no identifier"))" }
  }

  let name: String?
  var rows: [Row]
  var ids: [ModelIdentifier?] { rows.map(\.id) }
}

/// A copy of a source's rows that only the batches change. After each batch, it is compared with the source.
final class BatchWitness<Source: DataSource> {
  private(set) var rows: [WitnessedSection] = []
  private(set) var batchCount = 0
  private let content: (Source.Element) -> String
  private let isMain: Bool
  private let state = Mutex(State())

  /// The state that other threads may read.
  private struct State {
    var failure: (check: DataSourceFailure.Check, reason: String)?
    /// The thread that is changing the source.
    var turn: pthread_t?
  }

  init(_ source: Source, _ content: @escaping (Source.Element) -> String, isMain: Bool) {
    self.content = content
    self.isMain = isMain
    rows = readRows(source)
  }

  /// The first failure.
  var failure: (check: DataSourceFailure.Check, reason: String)? { state.withLock { $0.failure } }

  /// Between `beginTurn()` and `endTurn()`, no other code runs in the source's isolation.
  func beginTurn() { state.withLock { $0.turn = pthread_self() } }
  func endTurn() { state.withLock { $0.turn = nil } }

  private func fail(_ check: DataSourceFailure.Check, _ reason: String) {
    state.withLock { state in if state.failure == nil { state.failure = (check, reason) } }
  }

  /// The rows of the source.
  func readRows(_ source: Source) -> [WitnessedSection] {
    (0..<max(0, source.sectionCount)).map { section in
      WitnessedSection(
        name: source.sectionName(section),
        rows: (0..<max(0, source.rowCount(inSection: section))).map {
          let path = RowPath(section: section, item: $0)
          return .init(id: source.modelIdentifier(at: path), content: content(source.element(at: path)))
        })
    }
  }

  func receive(_ batch: ListBatch, _ source: Source) {
    let isElsewhere = state.withLock { state in state.turn.map { pthread_equal($0, pthread_self()) == 0 } ?? false }
    if isElsewhere || isMain && !MainIsolation.isHere {
      return fail(.isolation, "the source called an observer outside of the source's isolation.")
    }
    batchCount += 1
    let shown = readRows(source)
    if batch.before != Self.snapshot(of: rows) {
      fail(
        .continuity,
        "`before` of batch \(batchCount) differs from the sections and row counts that the source showed before this "
          + "batch."
      )
    }
    if batch.after != source.snapshot {
      fail(
        .continuity,
        "`after` of batch \(batchCount) differs from the sections and row counts that the source shows now."
      )
    }
    if failure == nil, let changes = batch.changes {
      if let reason = BatchExamination(batch, changes).disorder {
        fail(.changes, reason)
      } else {
        apply(batch, changes, shown)
      }
    }
    rows = shown
  }

  private static func snapshot(of rows: [WitnessedSection]) -> ListSnapshot {
    ListSnapshot(rows.map { ListSnapshot.Section(name: $0.name, rowCount: $0.rows.count) })
  }

  private func apply(_ batch: ListBatch, _ changes: ListChanges, _ shown: [WitnessedSection]) {
    if changes.isEmpty { return fail(.changes, "batch \(batchCount) lists no changes.") }
    for update in changes.updatedRows {
      let before = rows[update.before.section].rows[update.before.item].id
      let after = shown[update.after.section].rows[update.after.item].id
      if before != after {
        return fail(.changes, "in the update of \(update.after.inWords), `before` is the path of another row.")
      }
    }
    var applied = rows.map(\.rows)
    batch.apply(to: &applied) { shown[$0.section].rows[$0.item] }
    if applied != shown.map(\.rows) {
      fail(
        .changes,
        "if the changes of batch \(batchCount) are applied to the earlier rows, they do not give the rows of the "
          + "source.")
    }
  }
}
