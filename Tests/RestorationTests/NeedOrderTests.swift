import RepriseRestoration
import RepriseTestSeeds
import XCTest

/// Whatever order an archive has its nodes in, each is made after all that it needs, and with what that needs decoded.
final class NeedOrderTests: RestorationTestCase {
  /// A registered object with a state, made from others.
  @MainActor final class Source {
    let node: RestorationNode<Row>
    let needed: [Source]
    init(_ node: RestorationNode<Row>, _ needed: [Source]) { (self.node, self.needed) = (node, needed) }

    /// Of it, and of all that it was made from.
    var rows: Set<Int> { needed.reduce([node.state.row]) { $0.union($1.rows) } }
  }

  @MainActor final class Pane {
    static func kind(_ number: Int) -> NodeKind<Row, Pane> { NodeKind("pane \(number)") }
    let node: RestorationNode<Row>
    let source: Source
    let note: Note
    let context: MemoryContext
    init(_ node: RestorationNode<Row>, _ source: Source, _ note: Note, _ context: MemoryContext) {
      (self.node, self.source, self.note, self.context) = (node, source, note, context)
    }
  }

  private static func key(_ number: Int) -> RestorationKey<Source> { RestorationKey("source \(number)") }

  /// What a pane was made with.
  private struct Made: Equatable {
    var path: String
    var kind: Int
    var row: Int
    var sourceRows: Set<Int>
    var note: String
    var edits: [String]
  }

  /// Sources that need those before them, defined in any order, a two-phase object, and panes that need these and a
  /// context of their own.
  private func launch(
    _ random: inout SeededGenerator, made: @escaping @MainActor (Made) -> Void = { _ in }
  ) async throws -> Restoration {
    let run = restoration()
    var definitions: [@MainActor () throws -> Void] = [
      { [storage] in try run.register(MemoryContext(storage), as: Keys.root) },
      { try run.register(Note("fresh"), as: Note.key) },
      { try run.define(object: Self.key(0), initial: Row()) { Source($0, []) } },
      { try run.define(object: Self.key(1), initial: Row(), needs: .registered(Self.key(0))) { Source($0, [$1]) } },
      {
        try run.define(
          object: Self.key(2), initial: Row(), needs: .registered(Self.key(1)), .registered(Self.key(0))
        ) { Source($0, [$1, $2]) }
      },
    ]
    for kind in 0..<3 {
      definitions.append {
        try run.define(
          Pane.kind(kind), needs: .registered(Self.key(kind)), .registered(Note.key),
          .ownContext(under: ContextParent(registeredAs: "root"))
        ) { (node, source, note, context: MemoryContext) in
          made(
            Made(
              path: node.path.text, kind: kind, row: node.state.row, sourceRows: source.rows, note: note.text,
              edits: context.edits))
          return Pane(node, source, note, context)
        }
      }
    }
    for define in definitions.shuffled(using: &random) { try define() }
    try await run.restore()
    return run
  }

  /// Moves nodes below younger ones, and among their siblings.
  private func shuffle(_ paths: inout [String], _ run: Restoration, _ random: inout SeededGenerator) throws {
    for _ in 0..<20 {
      let pair = (0..<2).compactMap { _ in paths.randomElement(using: &random) }
      guard let one = pair.first, let other = pair.last else { return }
      if other == one || other.hasPrefix(one + "/") { continue }
      let (path, parent) = (NodePath.of(one), NodePath.of(other))
      if path.parent != parent { try run.move(at: path, under: parent) }
      let moved = "\(other)/\(path.id)"
      paths = paths.map { $0 == one || $0.hasPrefix(one + "/") ? moved + $0.dropFirst(one.count) : $0 }
      let count = try run.children(of: parent).count
      try run.move(at: .of(moved), to: Int.random(in: 0..<count, using: &random))
    }
  }

  func testInWhateverOrderTheArchiveHasThemNodesAreMadeAfterAllThatTheyNeedHasDecoded() async throws {
    for seed in testSeeds(20) {
      var random = SeededGenerator(seed: seed)
      (storage.scenes, storage.drafts, storage.notes) = ([:], [:], [:])
      var (paths, kinds): ([String], [Int: Int]) = ([], [:])
      let first = try await launch(&random)
      for row in 1...12 {
        let parent = Int.random(in: 0..<3, using: &random) == 0 ? nil : paths.randomElement(using: &random)
        let kind = Int.random(in: 0..<3, using: &random)
        let pane = try first.open(
          Pane.kind(kind), id: "\(row)", under: parent.map { .of($0) }, state: Row(row: row))
        pane.context.edit("typed \(row)")
        pane.note.text = "typed"
        for (place, source) in [pane.source, pane.source.needed.first].compactMap({ $0 }).enumerated() {
          source.node.state.row = 100 + kind - place
        }
        paths.append(parent.map { "\($0)/\(row)" } ?? "\(row)")
        kinds[row] = kind
      }
      try shuffle(&paths, first, &random)
      try first.save()
      await endOfTurn()
      let rows = Dictionary(
        uniqueKeysWithValues: try (0..<3).map { kind in
          (kind, try first.sources(kind, paths).map { $0 } ?? [])
        })

      var found: [Made] = []
      let again = try await launch(&random) { found.append($0) }
      XCTAssertEqual(found.count, 12, "seed \(seed)")
      for (place, made) in found.enumerated() {
        let row = Int(NodePath.of(made.path).id) ?? 0
        let expected = Made(
          path: made.path, kind: kinds[row] ?? -1, row: row, sourceRows: rows[made.kind] ?? [], note: "typed",
          edits: ["typed \(row)"])
        XCTAssertEqual(made, expected, "seed \(seed)")
        if let parent = NodePath.of(made.path).parent {
          let isBehind = found[..<place].contains { $0.path == parent.text }
          XCTAssertTrue(isBehind, "seed \(seed), \(made.path) before \(parent)")
        }
      }
      XCTAssertEqual(Set(found.map(\.path)), Set(paths), "seed \(seed)")
      again.end()
    }
  }
}

@MainActor extension Restoration {
  /// What the sources show that panes of a kind have; `nil` if there is no such pane.
  fileprivate func sources(_ kind: Int, _ paths: [String]) throws -> Set<Int>? {
    for path in paths {
      if let pane = try screen(NeedOrderTests.Pane.kind(kind), at: .of(path)) { return pane.source.rows }
    }
    return nil
  }
}
