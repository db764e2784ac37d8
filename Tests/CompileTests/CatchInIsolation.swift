// In actors, tasks, closures, the main actor's functions and a background context.
import Reprise

@MainActor final class Screen {
  let context: RootContext
  var message = ""
  init(_ store: Store) { context = store.mainContext }

  func save() {
    Task {
      do {
        try await context.save()
      } catch SaveError.refused(let refusal) {
        message = "\(refusal.conflicts.count)"
      } catch {
        message = "\(error)"
      }
    }
  }

  func saveOrThrow() -> Task<Void, any Error> {
    Task {
      do { try await context.save() } catch SaveError.refused(let refusal) where !refusal.conflicts.isEmpty {
        for conflict in refusal.conflicts { message += conflict.description }
      }
    }
  }

  func finish(_ child: ChildContext) throws -> Bool {
    let finish = { (name: String?) throws -> Bool in
      do {
        try child.save(name!)
        return true
      } catch SaveError.refused(let refusal) { return refusal.conflicts.isEmpty }
    }
    return try finish("Finish")
  }
}

actor Importer {
  private let context: RootContext
  init(_ store: Store) async { context = RootContext(store) }

  func run(_ ids: [AnyObjectID]) async throws -> Int {
    var missing = 0
    for id in ids {
      do { _ = try context.object(id) } catch LookupError.notFound(let other) where other == id { missing += 1 }
    }
    do { try await context.save() } catch SaveError.tooLarge(let events, let limit) { missing += events - limit }
    return missing
  }
}

func importing(_ ids: [AnyObjectID], _ background: BackgroundContext) async throws -> Int {
  do {
    return try await background.perform { context in
      for id in ids {
        do {
          let object = try context.object(id)
          context.delete(object)
        } catch LookupError.deleted {
          continue
        }
      }
      try await context.save("Import")
      return ids.count
    }
  } catch SaveError.refused(let refusal) {
    return refusal.conflicts.count
  }
}
