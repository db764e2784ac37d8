import Foundation
import LinesPlugIn
import RepriseCore
import RepriseRemote
import RepriseTesting
import XCTest

/// A stranger's own data source, and a stranger's own transport.
@MainActor final class LinesConformanceTests: XCTestCase {
  private var path = ""

  override func setUp() async throws {
    path = NSTemporaryDirectory() + "/reprise-lines-\(UInt64.random(in: 0 ... .max))"
  }

  override func tearDown() async throws { try? FileManager.default.removeItem(atPath: path) }

  private func fail(_ isFailing: Bool) throws {
    let (from, to) = isFailing ? (path, path + "~") : (path + "~", path)
    try FileManager.default.moveItem(atPath: from, toPath: to)
  }

  // MARK: The source

  private func write(_ lines: [String]) throws {
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  private func conformance() -> DataSourceConformance<LinesSource> {
    DataSourceConformance(
      makeSource: { MainActor.assumeIsolated { LinesSource(self.path, pageSize: 4) } },
      change: { _, numbers in
        let names = (0..<12).map { "line\($0)" }.shuffled(using: &numbers).prefix(9)
        try self.write(names.map { "\($0) \(Int.random(in: 0..<3, using: &numbers))" })
      },
      content: { $0 }, settle: { try await $0.refresh() }, rounds: 30)
  }

  func testAStrangersDataSourceConforms() async throws {
    try write((0..<11).map { "line\($0) x" })
    try await conformance().run()
    try await conformance().runRefreshing(
      changingBehind: { _, numbers in
        try self.write((0..<9).map { "line\($0) \(Int.random(in: 0..<3, using: &numbers))" }.shuffled(using: &numbers))
      }, failing: { try self.fail($1) })
    try await conformance().runPaging(failing: { try self.fail($1) })
    try await conformance().runPrefetching(failing: { try self.fail($1) })
    let next: @MainActor (LinesSource) async throws -> LinesSource = { _ in
      let source = LinesSource(self.path, pageSize: 4)
      try await source.refresh()
      return source
    }
    try await conformance().runRelaunching(next)
    try await conformance().runRestoring(next)
  }

  func testItsNextPageIsThereBeforeItIsSeen() async throws {
    try write((0..<11).map { "line\($0) x" })
    let source = LinesSource(path, pageSize: 4)
    try await source.refresh()
    await source.prefetch([RowPath(item: 0)])
    XCTAssertEqual(source.count, 4)
    await source.prefetch([RowPath(item: 3)])
    XCTAssertEqual(source.count, 8)
    try fail(true)
    await source.prefetch([RowPath(item: 7)])
    XCTAssertEqual(source.count, 8)
  }

  // MARK: The transport

  func testAStrangersTransportConforms() async throws {
    try LinesTransport.make(at: path)
    let conformance = RemoteTransportConformance(
      makeTransport: { LinesTransport(self.path) }, id: { $0.id },
      make: { numbers in Line(text: "\(UInt32.random(in: 0 ... .max, using: &numbers))") },
      change: { line, numbers in
        line.text = "\(UInt32.random(in: 0 ... .max, using: &numbers))"
        return ["text"]
      },
      content: { $0.text })
    try await conformance.run()
    try await conformance.runUnavailable { try self.fail($0) }
  }

  func testItsRowsAreObjectsAndItsRefusalsConflicts() async throws {
    try LinesTransport.make(at: path)
    let temporary = try await TemporaryStore(for: Schema([Note.self] + RemoteModels.all))
    let context = temporary.store.mainContext
    let notes = try RemoteSource(
      "notes", Fetch<Note>().sorted { $0.text }, in: context, from: LinesTransport(path), mapping: Note.mapping)
    for number in 0..<7 { context.insert(Note("\(number)")) }
    context.insert(Note(""))
    try await context.save()
    try await notes.synchronize()
    XCTAssertEqual(try notes.conflicts().map(\.reason), ["an empty line"])
    for conflict in try notes.conflicts() { try await notes.resolve(conflict, .theirs) }
    XCTAssertEqual(notes.rows.map(\.text), (0..<7).map { "\($0)" })
    // Another program's store.
    let other = try await TemporaryStore(for: Schema([Note.self] + RemoteModels.all))
    let others = try RemoteSource(
      "notes", Fetch<Note>().sorted { $0.text }, in: other.store.mainContext, from: LinesTransport(path),
      mapping: Note.mapping)
    try await others.load(atLeast: 7)
    XCTAssertEqual(others.rows.map(\.text), notes.rows.map(\.text))
  }
}

private final class Note: PersistentModel {
  static let entity = Entity(
    Note.self, name: "Note",
    properties: [
      .attribute("lineID", String?.self), .attribute("text", String.self), .attribute("version", Int.self),
      .unique(["lineID"]),
    ])

  static var mapping: RemoteMapping<Note, Line> {
    RemoteMapping(
      key: { $0.lineID }, id: { $0.id },
      apply: { line, note, _ in (note.text, note.version) = (line.text, line.version) },
      record: { Line(id: $0.lineID, text: $0.text, version: $0.version) })
  }

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(_ text: String) {
    _storage = ObjectStorage(Note.entity)
    self.text = text
  }

  var lineID: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var text: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var version: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }

  struct Fields: FieldSet {
    typealias Model = Note
    let lineID: Field<Note, String>
    let text: Field<Note, String>

    init(_ path: FieldPath) {
      lineID = Field(path.appending("lineID"))
      text = Field(path.appending("text"))
    }
  }

  var snapshot: Note.ID { id }
}
