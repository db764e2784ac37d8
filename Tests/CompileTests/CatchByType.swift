// By its type, by the protocol that all errors share, by a switch over it, by a general catch; and not at all.
import Reprise

func text(_ uri: String?, in context: ObjectContext) throws -> String {
  do {
    return context.store.path + "\(try context.object(uri: uri!))"
  } catch let error as LookupError {
    switch error {
    case .deleted(let id), .notFound(let id): return "\(id)"
    case .store(.closed(let path)): return path
    default: throw error
    }
  }
}

func report(_ child: ChildContext) -> String {
  do {
    try child.save()
    return "saved"
  } catch SaveError.refused(let refusal) where refusal.conflicts.count == 1 {
    return refusal.conflicts[0].description
  } catch let error as any RepriseError {
    return error.description
  } catch {
    return "\(error)"
  }
}

func save(_ context: RootContext) async throws {
  do {
    try await context.save()
  } catch is SaveError {
    context.discard()
  }
}

func settle(_ context: RootContext) async throws -> Int {
  do {
    try await context.save()
  } catch {
    guard case SaveError.refused(let refusal) = error else { throw error }
    return refusal.conflicts.count
  }
  return 0
}

func list<Model: PersistentModel>(_ fetch: Fetch<Model>, in context: ObjectContext) throws -> FetchedList<Model>? {
  do { return try FetchedList(fetch, in: context) } catch {
    switch error {
    case FetchError.unknownProperty(_, _, let property) where property.isEmpty: return nil
    case FetchError.negativeLimit: return nil
    default: throw error
    }
  }
}

func kept(_ child: ChildContext) -> Result<Void, any Error> { Result { try child.save() } }
func tried(_ id: AnyObjectID?, in context: ObjectContext) -> (any PersistentModel)? { try? context.object(id!) }
func mapped(_ ids: [AnyObjectID], in context: ObjectContext) throws -> [any PersistentModel] {
  do { return try ids.map { try context.object($0) } } catch LookupError.deleted { return [] }
}
