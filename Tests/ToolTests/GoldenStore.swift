import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestTool
import RepriseTool
import XCTest

/// A store of real data, with the same IDs, times and authors at each run.
@MainActor
final class GoldenStore {
  private let path = NSTemporaryDirectory() + "reprise-golden-\(UUID().uuidString)"
  private(set) var store: Store!
  private let clock = SetClock(1_230_768_000_000_000)

  /// - Parameter fill: Saves the data, and sets the time before each save.
  init(_ entities: [EntityDescription], _ fill: @MainActor (GoldenStore) async throws -> Void) async throws {
    var options = StoreOptions()
    let clock = clock
    options.wallClock = { clock.microseconds }
    store = try Store.openNow(path, for: EntityDescription.schema(entities), options)
    try await fill(self)
    try await store.close()
    store = try await Store.open(inspecting: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func setTime(_ date: Date) { clock.set(Int64(date.timeIntervalSince1970) * 1_000_000) }

  /// Inserts an object with an ID.
  func insert(_ id: AnyObjectID, _ values: [String: PropertyValue], in context: RootContext) throws {
    let entity = try store.entity(named: id.entity)
    let object = entity.makeObject(ObjectStorage(entity, uuid: id.uuid))
    for property in entity.attributes {
      if let value = values[property.name] { try object.set(property.name, to: value) }
    }
    func insert<Model: PersistentModel>(_ object: Model) { context.insert(object) }
    insert(object)
    for property in entity.relationships {
      if let value = values[property.name] { try object.set(property.name, to: value) }
    }
  }

  func check(_ name: String, line: UInt = #line, _ body: (Output) throws -> Void) throws {
    var lines: [String] = []
    try body(Output(.text(Style())) { lines.append($0) })
    try GoldenFile.check(lines, name, line: line)
  }

  func export(_ name: String, line: UInt = #line, _ export: StoreExport) async throws {
    var text = ""
    try await export.writeJSON(store) { text += $0 }
    try GoldenFile.check(text.split(separator: "\n").map(String.init), name, line: line)
  }

  /// The lines of `reprise info` without the path of the store, and without sizes, which depend on the machine's pages.
  static func withoutSizes(_ info: [String]) -> [String] {
    ["STORE, SIZE"]
      + info.dropFirst().map { $0.hasPrefix("parts: ") ? $0.replacing(/[0-9.]+ [KMG]?B/, with: "SIZE") : $0 }
  }

  /// The lines of a gzip'd file of `Tests/Data`.
  static func lines(_ name: String) throws -> [Substring] {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = [
      "gzip", "-dc",
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(components: "Data", name).path,
    ]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try XCTUnwrap(output.fileHandleForReading.readToEnd())
    gzip.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  static func json<Value>(_ line: Substring, as type: Value.Type = Value.self) throws -> Value {
    try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? Value)
  }

  static func value(_ json: Any) -> PropertyValue {
    switch json {
    case let text as String: .string(text)
    case let texts as [String]: .string(texts.joined(separator: ", "))
    case let number as NSNumber: .int(number.int64Value)
    default: .null
    }
  }
}
