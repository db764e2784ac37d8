import RepriseCore

/// A kind of change of a row.
public enum RowChange: String, Hashable, Sendable, CaseIterable {
  /// A row is inserted.
  case insertion
  /// A row is deleted.
  case deletion
  /// A row moves among the other rows.
  case move
  /// The content of a row changes.
  case update
}

extension DataSourceConformance {
  /// Checks that every batch has row changes instead of a reset, and that they match the rows before and after it.
  ///
  /// The insertions must be exactly the new rows, and the deletions exactly the missing ones. A row that stays must be
  /// moved if its order among its neighbours changed, and updated if its content changed.
  ///
  /// Sources may deliver resets, and ``run(isolation:)`` allows that. Use this check for a source that promises row
  /// changes.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of changes that must occur. By default, all of them.
  ///   - isolation: The isolation of the source.
  /// - Throws: ``DataSourceFailure``, and the errors of the initializer's closures.
  public func runRowChanges(
    _ kinds: Set<RowChange> = Set(RowChange.allCases), isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let source = try makeSource()
    try await settle(source)
    try await source.ready()
    let comparison = RowComparison(source, content)
    let observation = source.observe { [unowned source] in comparison.receive($0, source) }
    defer { observation.cancel() }
    var numbers = SeededGenerator(seed: seed)
    for round in 1...max(1, rounds) {
      try change(source, &numbers)
      try await settle(source)
      if let reason = comparison.failure { throw failure(.rowChanges, reason, round) }
    }
    for kind in RowChange.allCases where kinds.contains(kind) && !comparison.seen.contains(kind) {
      throw failure(
        .rowChanges, "none of \(rounds) changes caused the row change '\(kind.rawValue)' in a batch.", rounds)
    }
  }
}

/// Compares the changes in batches with the changes of the rows.
private final class RowComparison<Source: DataSource> {
  private struct Row {
    let path: RowPath
    let section: String?
    let content: String
  }

  private(set) var seen: Set<RowChange> = []
  private(set) var failure: String?
  private var rows: [ModelIdentifier: Row] = [:]
  private let content: (Source.Element) -> String

  init(_ source: Source, _ content: @escaping (Source.Element) -> String) {
    self.content = content
    rows = read(source)
  }

  private func read(_ source: Source) -> [ModelIdentifier: Row] {
    var found: [ModelIdentifier: Row] = [:]
    for section in 0..<source.sectionCount {
      for item in 0..<source.rowCount(inSection: section) {
        let path = RowPath(section: section, item: item)
        guard let id = source.modelIdentifier(at: path) else {
          failure = failure ?? "\(path.inWords) has no identifier."
          continue
        }
        let row = Row(path: path, section: source.sectionName(section), content: content(source.element(at: path)))
        if found.updateValue(row, forKey: id) != nil { failure = failure ?? "two rows have the identifier \(id)." }
      }
    }
    return found
  }

  func receive(_ batch: ListBatch, _ source: Source) {
    let before = rows
    let after = read(source)
    rows = after
    guard failure == nil else { return }
    guard let changes = batch.changes else {
      failure =
        "the batch for a change from \(before.count) to \(after.count) rows is a reset, but must list row changes."
      return
    }
    failure = disagreement(of: changes, before, after)
  }

  private func disagreement(
    of changes: ListChanges, _ before: [ModelIdentifier: Row], _ after: [ModelIdentifier: Row]
  ) -> String? {
    let gone = Set(before.filter { after[$0.key] == nil }.map(\.value.path))
    let come = Set(after.filter { before[$0.key] == nil }.map(\.value.path))
    if Set(changes.deletedRows) != gone {
      return "the batch deletes \(Self.text(changes.deletedRows)), but the source deleted \(Self.text(gone))."
    }
    if Set(changes.insertedRows) != come {
      return "the batch inserts \(Self.text(changes.insertedRows)), but the source inserted \(Self.text(come))."
    }
    let idsBefore = Dictionary(uniqueKeysWithValues: before.map { ($0.value.path, $0.key) })
    let idsAfter = Dictionary(uniqueKeysWithValues: after.map { ($0.value.path, $0.key) })
    for move in changes.movedRows where idsBefore[move.from] != idsAfter[move.to] {
      return "the move from \(move.from.inWords) to \(move.to.inWords) names two different rows."
    }
    let moved = Set(changes.movedRows.compactMap { idsAfter[$0.to] })
    // A row without a move keeps its order among such rows, in a section of the same name.
    let resting = after.keys.filter { before[$0] != nil && !moved.contains($0) }
    let now = resting.sorted { one, other in precedes(after[one], after[other]) }
    let sections = Dictionary(grouping: now) { after[$0]?.section }
    for (name, ids) in sections {
      if ids.contains(where: { before[$0]?.section != name }) {
        return "a row changed its section, but the batch has no move for this row."
      }
      if ids != ids.sorted(by: { precedes(before[$0], before[$1]) }) {
        return "rows changed their order, but the batch has no move for these rows."
      }
    }
    let updated = Set(changes.updatedRows.compactMap { idsAfter[$0.after] })
    for (id, row) in after {
      if let former = before[id], former.content != row.content, !updated.contains(id) {
        return "the content of \(row.path.inWords) changed, but the batch has no update for this row."
      }
    }
    if !gone.isEmpty { seen.insert(.deletion) }
    if !come.isEmpty { seen.insert(.insertion) }
    if !moved.isEmpty { seen.insert(.move) }
    if !updated.isEmpty { seen.insert(.update) }
    return nil
  }

  private static func text(_ paths: some Sequence<RowPath>) -> String {
    let names = paths.sorted().map(\.inWords)
    return names.isEmpty ? "no row" : names.joined(separator: ", ")
  }

  private func precedes(_ one: Row?, _ other: Row?) -> Bool {
    guard let one, let other else { return false }
    return one.path < other.path
  }
}
