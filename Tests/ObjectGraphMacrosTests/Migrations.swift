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

func openPayroll(_ path: String, show: @escaping @Sendable (Double) -> Void) async throws -> Store {
  try await Store.open(path, for: Employee.self, migrations: payroll) { step in
    show(Double(step.done) / Double(step.total))
  }
}

let tidy = Migration(
  to: 2, "No nicknames",
  removing: [.attribute("nickname", of: "Employee"), .index(over: "email", of: "Employee")])
#endif
