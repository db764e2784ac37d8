import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import RepriseTool
import XCTest

/// A store that nobody thought of does not survive its way through a file, or a damaged file stops the program.
@MainActor
final class ExchangeRandomTests: XCTestCase {
  private var folder: ExchangeFolder!

  override func setUp() async throws { folder = try ExchangeFolder() }

  func testEveryStoreComesBack() async throws {
    var random = SeededGenerator(seed: testSeed())
    for (number, schema) in RandomStore.schemas.enumerated() {
      let (name, copy) = ("store\(number)", "copy\(number)")
      try await RandomStore.make(folder.path(name), schema, &random)
      let text = try await folder.export(name)
      let file = try folder.write(text, to: "\(number).jsonl")
      let size = [1, 7, 50_000].randomElement(using: &random) ?? 1
      try await folder.run(file, into: copy) { $0.batchSize = size }
      let export = try await folder.export(copy)
      XCTAssertEqual(export, text)
      let (objects, copies) = (try await self.objects(name), try await self.objects(copy))
      XCTAssertEqual(copies, objects)
      let problems = try await folder.problems(copy)
      XCTAssertEqual(problems, [])
      // The program of the first store opens the copy.
      let program = try Store.openNow(folder.path(copy), for: schema, StoreOptions())
      XCTAssertEqual(try StoreMaintenance.verifyNow(program).problems, [])
      try await program.close()
      let later = try await folder.export(copy)
      XCTAssertEqual(later, text)
      // Into a store with other objects.
      try await RandomStore.make(folder.path("other"), schema, &random)
      try await folder.run(file, into: "other")
      let merged = try await Set(folder.export("other").split(separator: "\n"))
      XCTAssertEqual(text.split(separator: "\n").filter { !merged.contains($0) }, [])
      folder.remove("other")
    }
  }

  /// All objects with the exact bits of their values. A loss in both exports would stay unseen in them.
  private func objects(_ name: String) async throws -> [String] {
    try await folder.inspect(name) { store in
      let context = RootContext(store)
      return try store.entities.flatMap { entity in
        try context.fetch(entity).map { object in
          let values = try (entity.attributes + entity.relationships).map { property in
            guard property.kind == .toMany else { return "\(property.name)=\(Self.exact(try object[property.name]))" }
            let members = try object.members(of: property.name)
            return "\(property.name)=\(property.isOrdered ? members : members.sorted())"
          }
          return "\(object._storage.id) \(values.sorted())"
        }
      }.sorted()
    }
  }

  private static func exact(_ value: PropertyValue) -> String {
    switch value {
    case .double(let number): "double \(number.bitPattern)"
    case .date(let number): "date \(number.bitPattern)"
    case .string(let text): "\(Array(text.utf8))"
    case .bytes(let bytes): "\(bytes)"
    default: "\(value)"
    }
  }

  func testEveryTableComesBack() async throws {
    var random = SeededGenerator(seed: testSeed())
    for (number, schema) in RandomStore.schemas.enumerated() {
      let (name, copy) = ("store\(number)", "copy\(number)")
      try await RandomStore.make(folder.path(name), schema, &random)
      let text = try await folder.export(name)
      // A table has no entities and no bytes of blobs.
      let lines = text.split(separator: "\n")
      let empty = ([lines[0]] + lines.filter { $0.hasPrefix(#"{"blob""#) } + ["{\"end\":true}"]).joined(separator: "\n")
      let tables = folder.path("tables")
      try FileManager.default.createDirectory(atPath: tables, withIntermediateDirectories: false)
      for (file, table) in try await folder.tables(name) {
        try table.write(toFile: tables + "/" + file, atomically: false, encoding: .utf8)
      }
      if lines.contains(where: { $0.hasPrefix(#"{"blob""#) }) {
        try await folder.run(folder.write(text, to: "a.jsonl"), into: copy)
      } else {
        try await folder.run(folder.write(empty, to: "a.jsonl"), into: copy)
      }
      try await folder.run(tables, into: copy)
      let export = try await folder.export(copy)
      XCTAssertEqual(export, text)
      folder.remove("tables")
    }
  }

  func testADamagedFileStopsNothing() async throws {
    try await folder.run(folder.write(ExchangeNotes.sample, to: "a.jsonl"), into: "a")
    let tables = try await folder.tables("a")
    let table = try XCTUnwrap(tables["Note.csv"])
    var (successes, failures) = (0, 0)
    for seed in testSeeds(100) {
      var random = SeededGenerator(seed: seed)
      let isTable = seed.isMultiple(of: 4)
      let bytes = Self.damaged(Array((isTable ? table : ExchangeNotes.sample).utf8), &random)
      let file = try folder.write(Data(bytes), to: isTable ? "Note.csv" : "b.jsonl")
      do {
        try await folder.run(file, into: isTable || seed.isMultiple(of: 2) ? "a" : "b") {
          $0.batchSize = [1, 50].randomElement(using: &random)!
        }
        successes += 1
      } catch is ImportError { failures += 1 } catch is StoreError { failures += 1 } catch is ToolError {
        failures += 1
      }
      if FileManager.default.fileExists(atPath: folder.path("b")) {
        let problems = try await folder.problems("b")
        XCTAssertEqual(problems, [], "\(seed)")
        folder.remove("b")
      }
    }
    XCTAssertGreaterThan(failures, 25)
    XCTAssertGreaterThan(successes, 0)
    let problems = try await folder.problems("a")
    XCTAssertEqual(problems, [])
  }

  private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<9, using: &random) {
      case 0: bytes[place] = .random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(Array("\"{}[],:\n0-\\".utf8).randomElement(using: &random)!, at: place)
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...60, using: &random)))
      case 5: bytes.append(contentsOf: bytes[place...].prefix(100))
      default:
        // Another letter or digit, which is often a valid value.
        if let sign = Unicode.Scalar(UInt32(bytes[place])),
          sign.properties.isAlphabetic || sign.properties.numericType != nil
        {
          bytes[place] = bytes.randomElement(using: &random) ?? 0
        }
      }
      if bytes.isEmpty { return [0] }
    }
    return bytes
  }
}
