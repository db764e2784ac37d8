// Saving again after a conflict, with generators, looked-up objects and refreshes around it.
import Reprise

@Model final class Account {
  var balance: Int = 0
  init() {}
}

func move(
  from: Account.ID?, to: Account.ID?, in context: RootContext, with generator: inout some RandomNumberGenerator
) async throws -> Int {
  var attempts = 0
  while true {
    try context.refresh()
    let (source, target) = (try context.object(from!), try context.object(to!))
    let amount = Int.random(in: 1...10, using: &generator)
    source.balance -= amount
    target.balance += amount
    do {
      try await context.save("Move \(amount)")
      return attempts
    } catch SaveError.refused {
      attempts += 1
      context.discard()
    }
  }
}

func moveOnce(
  _ ids: [Account.ID], in context: RootContext, with generator: inout some RandomNumberGenerator
) async throws {
  do {
    let account = try context.object(ids.randomElement(using: &generator)!)
    account.balance += 1
    try await context.save()
  } catch SaveError.refused(let refusal) {
    for conflict in refusal.conflicts { try context.resolve(conflict, with: conflict.theirs) }
  } catch LookupError.deleted(let id) {
    throw LookupError.notFound(id)
  }
}
