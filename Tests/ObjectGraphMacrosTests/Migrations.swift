#if Macros
import Reprise

@Model(was: "Clerk") final class Employee {
  @Attribute(.indexed) var name: String
  @Attribute(was: "wage") var salary: Int

  init(name: String, salary: Int) {
    self.name = name
    self.salary = salary
  }
}

struct NotAnAmount: Error {
  let text: String
}

let payroll = MigrationPlan(
  Migration(
    to: 1, "Salaries are numbers",
    AttributeConversion("wage", of: "Clerk", from: String.self, to: Int.self) { text in
      guard let amount = Int(text) else { throw NotAnAmount(text: text) }
      return amount
    }))

let emails = Migration(
  to: 7, "An employee has an address",
  AttributeConversion("email", of: "Employee", from: String?.self, to: String.self) { $0 ?? "nobody@example.org" })

let photos = Migration(to: 6, "Photos are blobs", .blob("photo", of: "Employee", from: [UInt8]?.self))

func openPayroll(_ path: String, show: @escaping @Sendable (Double) -> Void) async throws -> Store {
  try await Store.open(path, for: Employee.self, migrations: payroll) { step in
    show(Double(step.done) / Double(step.total))
  }
}

let pets = Migration(
  to: 3, "Cats and dogs are pets",
  mapping: [
    .move("Cat", to: "Pet", setting: [.init("kind", String.self) { _ in "cat" }]),
    .move("Dog", to: "Pet", renaming: ["callName": "name"], setting: [.init("kind", String.self) { _ in "dog" }]),
  ])

let addresses = Migration(
  to: 4, "Addresses are objects",
  mapping: [
    .extract(
      "Address", from: "Employee", as: "address", moving: ["street", "town"], where: { $0["street"] != .string("") })
  ])
let again = Migration(
  to: 5, "They are not", mapping: [.inline("Address", into: "Employee", through: "address")])

let payments = Migration(
  to: 9, "Cards are payments", renaming: [.property("title", of: "Card", to: "name")],
  mapping: [.move("Card", to: "Pay")])

let tidy = Migration(
  to: 2, "No nicknames",
  removing: [
    .attribute("nickname", of: "Employee"), .relationship("mentor", of: "Employee"),
    .index(over: "email", of: "Employee"),
  ])

@Model final class Room {
  var name: String
  var paintings: ToMany<Painting>
  var shown: ToMany<Painting>
  init(name: String) { self.name = name }
}

@Model final class Painting {
  var title: String
  /// In which it hangs; read by programs of the release before.
  @Relationship(inverse: \Room.paintings) var room: Room?
  @Relationship(inverse: \Room.shown) var rooms: ToMany<Room>
  init(title: String) { self.title = title }
}

func copyRooms(_ store: Store) async throws {
  try await store.write("Rooms of paintings") { context in
    for painting in try context.fetch(Fetch<Painting> { $0.room != nil }) {
      guard let room = painting.room else { continue }
      painting.rooms.insert(room)
      painting.room = nil
    }
  }
}

let rooms = Migration(
  to: 8, "Paintings hang in several rooms", removing: [.relationship("room", of: "Painting")])
#endif
