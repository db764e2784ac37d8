// What an error carries is bound where it is caught, thrown on, looped over.
import Reprise

struct Refused: Error {
  var conflict: Conflict?
}

func save(_ context: RootContext) async throws -> [Conflict] {
  do {
    try await context.save("Rename")
    return []
  } catch SaveError.refused(let refusal) {
    return refusal.conflicts
  }
}

func save(_ child: ChildContext, _ names: [String]) throws {
  for name in names {
    do {
      try child.save(name)
    } catch SaveError.refused(let refusal) {
      for conflict in refusal.conflicts { throw Refused(conflict: conflict) }
    }
  }
}

func count<Model: PersistentModel>(_ fetch: Fetch<Model>?, in context: ObjectContext) throws -> Int {
  do {
    return try context.count(fetch!)
  } catch FetchError.wrongType(_, let expected, _) {
    return expected.count
  } catch FetchError.unknownEntity(let name) {
    throw name.isEmpty ? Refused() : FetchError.unknownEntity(name)
  }
}

func open(_ path: String?, or other: String) async throws -> Store {
  do {
    return try await Store.open(path!, for: Schema())
  } catch StoreError.fileTruncated(let path, let expected, let found) where found < expected {
    return try await Store.open(path + other, for: Schema())
  } catch StoreError.schema(.missingTarget(_, let property, _)) {
    return try await Store.open(property, for: Schema())
  }
}

func edit(_ context: EditingContext, _ draft: String?) throws -> ChildContext? {
  do {
    return try context.makeChild(draft: draft!)
  } catch DraftError.unreadable(let id, reason: _) {
    return try context.makeChild(draft: id + "-new")
  } catch DraftError.store(.damaged(_, let reason)) {
    throw Refused(conflict: reason.isEmpty ? nil : try context.conflicts().first)
  }
}
