import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseSystem
import RepriseTestModels
import RepriseTool
import XCTest

/// A store with a history, and the reports about it with numbers instead of UUIDs.
@MainActor
final class ToolStore {
  let path = NSTemporaryDirectory() + "reprise-tool-\(UUID().uuidString)"
  private(set) var store: Store!
  private var names: [String: String] = [:]

  /// Two guests and a hotel, a renaming by another author a day later, and a deletion.
  init() async throws {
    var options = StoreOptions()
    let clock = Clock()
    options.wallClock = { clock.microseconds }
    let program = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), options)
    let context = RootContext(program, author: "ada")
    let hotel = Hotel("Grand")
    let (eve, bob) = (Guest("Eve", "Smith", age: 30), Guest("Bob", "Stone"))
    for object in [eve, bob] {
      context.insert(object)
      object.hotel = hotel
    }
    try await context.save("Check in")
    clock.advance(days: 1)
    let other = RootContext(program, author: "bob")
    try other.object(eve.id).last = "Jones"
    try await other.save("Marry")
    clock.advance(days: 1)
    try other.delete(other.object(bob.id))
    try await other.save()
    try await program.close()
    for (name, id) in [("EVE", "\(eve.id.any)"), ("BOB", "\(bob.id.any)"), ("HOTEL", "\(hotel.id.any)")] {
      names[name] = id
    }
    store = try await Store.open(inspecting: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The ID of an object: EVE, BOB or HOTEL.
  func id(_ name: String) -> String { names[name] ?? "" }

  /// The lines of a report, with the names of objects instead of their IDs.
  func lines(_ form: Output.Form = .text(Style()), _ body: (Output) throws -> Void) throws -> [String] {
    var lines: [String] = []
    try body(Output(form) { lines.append($0) })
    return lines.map { line in
      names.reduce(line.replacing(path, with: "STORE")) { line, name in line.replacing(name.value, with: name.key) }
    }
  }
}

/// The clock of a store, which a test sets.
final class Clock: Sendable {
  private let now: Guarded<Int64>

  init(_ microseconds: Int64 = 1_700_000_000_000_000) { now = Guarded(microseconds) }

  var microseconds: Int64 { now.withLock { $0 } }
  func advance(days: Int64) { now.withLock { $0 += days * 86_400_000_000 } }
  func set(_ microseconds: Int64) { now.withLock { $0 = microseconds } }
}
