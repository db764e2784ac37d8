import RepriseObjectGraph
import RepriseRestoration
import XCTest

final class Shelf: Sendable {
  let name: String
  init(_ name: String) { self.name = name }
}

enum Keys {
  static let shelf: RestorationKey<Shelf> = "shelf"
  static let other: RestorationKey<Shelf> = "other"
  static let root: RestorationKey<MemoryContext> = "root"
}

struct Row: Codable, Sendable, Equatable { var row = 0 }

@MainActor final class ListScreen {
  static let kind = NodeKind<Row, ListScreen>("list")
  let node: RestorationNode<Row>
  let shelf: Shelf
  init(_ node: RestorationNode<Row>, _ shelf: Shelf) { (self.node, self.shelf) = (node, shelf) }
}

/// A screen that needs nothing.
@MainActor final class PlainScreen {
  static let kind = NodeKind<Row, PlainScreen>("plain")
  let node: RestorationNode<Row>
  init(_ node: RestorationNode<Row>) { self.node = node }
}

@MainActor final class EditorScreen {
  static let kind = NodeKind<Row, EditorScreen>("editor")
  static let nested = NodeKind<Row, EditorScreen>("nested editor")
  let node: RestorationNode<Row>
  let context: MemoryContext
  init(_ node: RestorationNode<Row>, _ context: MemoryContext) { (self.node, self.context) = (node, context) }
}

extension NodePath {
  static func of(_ text: String) -> NodePath {
    do { return try NodePath(text.split(separator: "/").map(String.init)) } catch { fatalError("\(error)") }
  }
}

@MainActor extension Restoration {
  /// Defines the plain kind, and lets the test see in which order its screens are made.
  func definePlain(_ seen: @escaping @MainActor (RestorationNode<Row>) throws -> Bool = { _ in true }) throws {
    try define(PlainScreen.kind) { node in try seen(node) ? PlainScreen(node) : nil }
  }

  @discardableResult
  func openPlain(_ path: String, _ row: Int = 0) throws -> PlainScreen {
    let path = NodePath.of(path)
    return try open(PlainScreen.kind, id: path.id, under: path.parent, state: Row(row: row))
  }
}

extension RestorationReport {
  func outcome(_ path: String) -> Outcome? { outcome(at: .of(path)) }
}

/// Asserts that a call throws an error with this text.
func assertThrows<Value>(
  _ text: String, _ call: @autoclosure () throws -> Value, file: StaticString = #filePath, line: UInt = #line
) {
  XCTAssertThrowsError(try call(), text, file: file, line: line) {
    XCTAssertEqual("\($0)", text, file: file, line: line)
  }
}

/// A test with a storage that outlives its launches.
@MainActor class RestorationTestCase: XCTestCase {
  let storage = MemoryStorage()

  func restoration(schemaVersion: Int = 1) -> Restoration {
    Restoration(storage: storage, schemaVersion: schemaVersion, appVersion: "1.0")
  }

  func endOfTurn() async { while storage.openTurns > 0 { await Task.yield() } }

  /// A run in which plain nodes are opened at these paths, and which then dies.
  func leave(_ paths: [String]) async throws {
    let run = restoration()
    try run.definePlain()
    try await run.restore()
    for (index, path) in paths.enumerated() { try run.openPlain(path, index) }
    try run.save()
    await endOfTurn()
    storage.writes = []
  }

  /// CRC-32C over the key and the body, computed bit by bit.
  func checksummed(_ body: [UInt8], key: String) -> [UInt8] {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in Array(key.utf8) + body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    crc = ~crc
    return (0..<4).map { UInt8(truncatingIfNeeded: crc >> ($0 * 8)) } + body
  }
}

/// Keys of contexts of any type: these tests register ones that are in memory.
extension ContextParent {
  init(registeredAs key: String) { self = .registered(RestorationKey<EditingContext>(key)) }

  static func nearestAncestorNode(orRegisteredAs key: String) -> ContextParent {
    .nearestAncestorNode(orRegistered: RestorationKey<EditingContext>(key))
  }
}
