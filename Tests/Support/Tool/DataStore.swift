import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel

/// A store that is made of a file of `Tests/Data`, with the same IDs, times and authors at each run.
@MainActor
package final class DataStore {
  package let store: Store
  private let clock: SetClock

  private struct Unreadable: Error { let text: String }

  private init(_ store: Store, _ clock: SetClock) { (self.store, self.clock) = (store, clock) }

  /// Makes a store at a path, and closes it.
  ///
  /// - Parameter fill: Saves the data, and sets the time before each save.
  package static func write(
    _ entities: [EntityDescription], to path: String, _ fill: @MainActor (DataStore) async throws -> Void
  ) async throws {
    var options = StoreOptions()
    let clock = SetClock(1_230_768_000_000_000)
    options.wallClock = { clock.microseconds }
    let store = try Store.openNow(path, for: EntityDescription.schema(entities), options)
    try await fill(DataStore(store, clock))
    try await store.close()
  }

  package func setTime(_ date: Date) { clock.set(Int64(date.timeIntervalSince1970) * 1_000_000) }

  /// Inserts an object with an ID.
  package func insert(_ id: AnyObjectID, _ values: [String: PropertyValue], in context: RootContext) throws {
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

  /// The lines of a gzip'd file of `Tests/Data`.
  package static func lines(_ name: String) throws -> [Substring] {
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = [
      "gzip", "-dc",
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(components: "Data", name).path,
    ]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0, !data.isEmpty else { throw Unreadable(text: name) }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  package static func json<Value>(_ line: Substring, as type: Value.Type = Value.self) throws -> Value {
    guard let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Value else {
      throw Unreadable(text: String(line))
    }
    return value
  }

  package static func value(_ json: Any) -> PropertyValue {
    switch json {
    case let text as String: .string(text)
    case let texts as [String]: .string(texts.joined(separator: ", "))
    case let number as NSNumber: .int(number.int64Value)
    default: .null
    }
  }
}

extension PropertyDescription {
  /// An attribute of an entity of a test.
  package static func attribute(
    _ name: String, _ kind: AttributeKind, isOptional: Bool = false, isIndexed: Bool = false
  ) -> PropertyDescription {
    PropertyDescription(
      name,
      .attribute(
        kind, isOptional: isOptional, default: isOptional ? .null : kind.zero, isIndexed: isIndexed, isDerived: false))
  }
}
