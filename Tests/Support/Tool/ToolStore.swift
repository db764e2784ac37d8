import Foundation
import RepriseCore
import RepriseDynamic
import RepriseEventStore
import RepriseObjectModel
import RepriseSystem
import RepriseTestModels
import RepriseTool

/// A store with a history, and the reports about it with numbers instead of UUIDs.
@MainActor
package final class ToolStore {
  package let path = NSTemporaryDirectory() + "reprise-tool-\(UUID().uuidString)"
  package private(set) var store: Store!
  private var names: [String: String] = [:]

  /// Two guests and a hotel, a renaming by another author a day later, and a deletion.
  package init() async throws {
    var options = StoreOptions()
    let clock = SetClock()
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

  /// Opens the store again, so that it can be edited.
  package func edit() async throws {
    try await store.close()
    store = try await Store.open(inspecting: path, editing: true)
  }

  /// Edits the store as a program with models does, and opens it again.
  package func asProgram(_ body: (RootContext) throws -> Void) async throws {
    try await store.close()
    let program = try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
    let context = RootContext(program)
    try body(context)
    try await context.save()
    try await program.close()
    store = try await Store.open(inspecting: path, editing: true)
  }

  /// Sets a property of an object, and saves as an author.
  package func set(_ property: String, of name: String, to value: PropertyValue, by author: String) async throws {
    let context = RootContext(store, author: author)
    let object = try context.object(Places(store).object(id(name), in: context))
    try object.set(property, to: value)
    try await context.save()
  }

  /// The ID of an object: EVE, BOB or HOTEL.
  package func id(_ name: String) -> String { names[name] ?? "" }

  /// The lines of a report, with the names of objects instead of their IDs.
  package func lines(_ form: Output.Form = .text(Style()), _ body: (Output) throws -> Void) throws -> [String] {
    var lines: [String] = []
    try body(Output(form) { lines.append($0) })
    return lines.map { line in
      names.reduce(line.replacing(path, with: "STORE")) { line, name in line.replacing(name.value, with: name.key) }
    }
  }
}

/// The clock of a store, which a test sets.
package final class SetClock: Sendable {
  private let now: Guarded<Int64>

  package init(_ microseconds: Int64 = 1_700_000_000_000_000) { now = Guarded(microseconds) }

  package var microseconds: Int64 { now.withLock { $0 } }
  package func advance(days: Int64) { now.withLock { $0 += days * 86_400_000_000 } }
  package func set(_ microseconds: Int64) { now.withLock { $0 = microseconds } }
}
