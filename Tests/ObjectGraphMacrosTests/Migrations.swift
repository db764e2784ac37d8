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

let tidy = Migration(
  to: 2, "No nicknames",
  removing: [
    .attribute("nickname", of: "Employee"), .relationship("mentor", of: "Employee"),
    .index(over: "email", of: "Employee"),
  ])
#endif
