import RepriseCore
import RepriseRemote

extension DataSourceConformance {
  /// Checks that a screen with the source comes back in the next launch, at its row.
  ///
  /// The check covers a source that is registered before restore, one that is registered late, and one that fails at
  /// first and is retried. The screen's state has a `RowAnchor`, as for a scroll position or a selection.
  ///
  /// - Parameter relaunched: Makes the source again, with the same rows, as the next launch of the program does. Use
  ///   only data that the given source has written, on disk or elsewhere. The check calls it for each way of
  ///   registering.
  /// - Throws: ``DataSourceFailure``, and the errors of the closures.
  @MainActor public func runRestoring(_ relaunched: @escaping @MainActor (Source) async throws -> Source) async throws {
    let (source, path, row) = try await sourceWithRow()
    let temporary = try await TemporaryStore(for: Schema(RemoteModels.all))
    let first = try Self.restoration(temporary.store)
    try first.register(source, as: ListScreen<Source>.key)
    _ = try await first.restore()
    _ = try first.open(
      ListScreen<Source>.kind, id: "list", state: ListScreen<Source>.State(row: RowAnchor(path, in: source)))
    try await first.flush()

    for way in Way.allCases {
      let run = try Self.restoration(try await temporary.relaunch())
      try await self.restore(run, way) { try await relaunched(source) }
      let screen = try run.screen(ListScreen<Source>.kind, at: NodePath(["list"]))
      guard let screen else {
        throw failure(.restoration, "the source was registered \(way.rawValue), but its screen was not restored.", 1)
      }
      try await screen.source.ready()
      let place = screen.node.state.row.place(in: screen.source)
      guard case .row(let found) = place else {
        throw failure(
          .restoration, "the source was registered \(way.rawValue), but the row \(row) was not found: \(place.text).", 1
        )
      }
      let shown = screen.source.element(at: found)
      guard screen.source.modelIdentifier(at: found) == row.id, content(shown) == row.content else {
        throw failure(
          .restoration,
          "the source was registered \(way.rawValue), but its screen is at the row '\(content(shown))' instead of the "
            + "row \(row).", 1)
      }
      run.end()
    }
  }

  /// A loaded source, and one of its rows for a screen.
  @MainActor func sourceWithRow() async throws -> (Source, RowPath, WitnessedSection.Row) {
    let source = try makeSource()
    var numbers = SeededGenerator(seed: seed)
    try change(source, &numbers)
    try await settle(source)
    try await source.ready()
    let rows = BatchWitness(source, content, isMain: true).rows
    guard let section = rows.firstIndex(where: { !$0.rows.isEmpty }) else {
      throw failure(.restoration, "the source has no rows to check. Let `makeSource` return a source with rows.", 1)
    }
    let path = RowPath(section: section, item: Int.random(in: rows[section].rows.indices, using: &numbers))
    return (source, path, rows[section].rows[path.item])
  }

  /// How a launch gets its source.
  private enum Way: String, CaseIterable {
    case before = "before restoring"
    case late
    case failing = "after a failure"
  }

  private struct NotYet: Error {}

  @MainActor private static func restoration(_ store: Store) throws -> Restoration {
    let run = Restoration(store)
    try run.define(ListScreen<Source>.kind, needs: .registered(ListScreen<Source>.key)) {
      ListScreen<Source>($0, $1)
    }
    return run
  }

  @MainActor private func restore(
    _ run: Restoration, _ way: Way, _ make: @escaping @MainActor () async throws -> Source
  ) async throws {
    let key = ListScreen<Source>.key
    if way == .before {
      try run.register(try await make(), as: key)
      _ = try await run.restore()
      return
    }
    let availability = Availability(isThere: way != .failing)
    try run.register(late: key) {
      if !availability.isThere { throw NotYet() }
      return try await make()
    }
    _ = try await run.restore()
    _ = try await run.waitUntilSettled()
    if availability.isThere { return }
    availability.isThere = true
    run.retry(key)
    _ = try await run.waitUntilSettled()
  }
}

extension RowAnchor.Place {
  var text: String {
    switch self {
    case .row(let path): "the row is \(path.inWords)"
    case .near(let path, let why): "the row is \(why), and the nearest row is \(path.inWords)"
    case .nowhere(let why): "the row is \(why)"
    case .notLoaded: "the row is not loaded"
    }
  }
}

/// Whether the source is available.
@MainActor private final class Availability {
  var isThere: Bool
  init(isThere: Bool) { self.isThere = isThere }
}

/// A list at a row.
@MainActor final class ListScreen<Source: DataSource> {
  struct State: Codable, Sendable { var row: RowAnchor }
  static var kind: NodeKind<State, ListScreen> { NodeKind("list") }
  static var key: RestorationKey<Source> { "source" }
  let node: RestorationNode<State>
  let source: Source

  init(_ node: RestorationNode<State>, _ source: Source) { (self.node, self.source) = (node, source) }
}
