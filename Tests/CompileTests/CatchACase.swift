// A case of an error is caught by its name, whatever else is done with what is thrown, and whatever the call is given.
import Reprise

func isThere(_ id: AnyObjectID?, in context: RootContext) throws -> Bool {
  do {
    _ = try context.object(id!)
    return true
  } catch LookupError.deleted { return false }
}

func isThere<Model: PersistentModel>(_ id: ObjectID<Model>?, in context: ObjectContext) throws -> Bool {
  do {
    _ = try context.object(id!)
  } catch LookupError.deleted(_), LookupError.notFound(_) {
    return false
  }
  return true
}

func reload<Model: PersistentModel>(_ object: Model?, in context: ObjectContext) throws {
  do { try context.load(object!) } catch LookupError.unreadable {}
}

func countThere(_ uris: [String], in context: ObjectContext) throws -> Int {
  var count = 0
  for uri in uris {
    do {
      _ = try context.object(uri: uri)
      count += 1
    } catch LookupError.malformedURI {
      continue
    } catch LookupError.foreignStore {
      break
    }
  }
  return count
}

func open(_ path: String?) async throws -> Store? {
  do {
    return try await Store.open(path!, for: Schema())
  } catch StoreError.newerFormat {
    return nil
  }
}

func discard(_ ids: [String], in store: Store) throws {
  do { try store.drafts.discard(ids.first!) } catch DraftError.inUse {}
  do { _ = try store.drafts.all().map(\.id) } catch StoreError.closed {}
}

func path(_ ids: [String]) throws -> NodePath? {
  do { return try NodePath(ids).appending(ids.last!) } catch RestorationError.invalidID { return nil }
}

@MainActor func restore(_ restoration: Restoration) async throws {
  do { try await restoration.restore() } catch RestorationError.alreadyRestored {}
}

func clear<Model: PersistentModel>(_ fetch: Fetch<Model>, by size: Int?, in context: BackgroundContext) async throws {
  do { try await context.deleteAll(fetch, batchSize: size!) } catch UpdateError.batchSize {}
}

@MainActor func takeBack(_ transaction: LoggedTransaction?, in context: RootContext) throws -> Int {
  do {
    return try context.revert(transactionAt: transaction!.position) ? 1 : 0
  } catch SaveError.refused(let refusal), RevertError.refused(let refusal) {
    return refusal.transactions.values.joined().count
  }
}

func read(_ blob: Blob?, in store: Store) async throws -> [UInt8]? {
  do {
    return try await blob!.bytes(in: store)
  } catch BlobError.missing {
    return nil
  }
}
