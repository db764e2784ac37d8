// A catch with a condition lets the rest through; its body may throw something else.
import Reprise

struct Refused: Error {}

func resolve(_ child: ChildContext, _ mayResolve: Bool) throws {
  do { try child.save() } catch SaveError.refused(let refusal) where mayResolve {
    for _ in refusal.conflicts { throw Refused() }
  }
}

func resolve(_ context: RootContext, _ mayResolve: Bool) async throws {
  do {
    try await context.save()
  } catch SaveError.refused(let refusal) where mayResolve && refusal.conflicts.count < 10 {
    for conflict in refusal.conflicts {
      guard conflict.attribute != nil else { throw Refused() }
      try context.resolve(conflict, with: conflict.mine)
    }
    try await context.save()
  } catch SaveError.store(.diskFull(let path)) where !path.isEmpty {
    throw Refused()
  }
}

func find(_ ids: [AnyObjectID], in context: ObjectContext) throws -> Int {
  var deleted = 0
  for id in ids {
    do { _ = try context.object(id) } catch LookupError.deleted(let other) where other == id {
      deleted += 1
      if deleted > 3 { throw Refused() }
    }
  }
  return deleted
}
