import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension RootContext {
  /// Deletes the objects of a fetch in batches, each saved separately. If the delete rules of an object concern more
  /// objects than one save can have, it takes several saves.
  ///
  /// - Parameters:
  ///   - limit: The most events of a save.
  ///   - pageLimit: About the most IDs in memory.
  nonisolated(nonsending)
    func deleteInBatches<Model: PersistentModel>(
      of size: Int, _ fetch: Fetch<Model>, name: String?, limit: Int = SaveRequest.limit,
      pageLimit: Int = batchPageLimit, progress: (BatchProgress) -> Void
    ) async throws -> BatchProgress
  {
    let compiled = try CompiledFetch(fetch, schema: store.map.schema)
    guard let map = store.map.map(compiled.entity.interned) else { throw FetchError.unknownEntity(Model.entity.name) }
    return try await inBatches(
      of: size, compiled, map, name: name, pageLimit: pageLimit, progress: progress
    ) { batch, context in
      let matching = try context.projection.stillMatching(batch, compiled, map)
      return try context.deletion(of: matching.map(\.id), atMost: limit)
    } divide: { object, done in
      try await deleteInParts(
        AnyObjectID(map.entity.interned, object), of: min(size, limit), name, limit: limit, pageLimit: pageLimit
      ) { saved in
        done.add(saved, at: position)
        progress(done)
      }
      return true
    }
  }

  /// Deletes an object in as many saves as needed. The objects that its rules delete come first.
  ///
  /// - Parameter saved: Called after each save, with the number of objects that it changed.
  nonisolated(nonsending)
    private func deleteInParts(
      _ root: AnyObjectID, of size: Int, _ name: String?, limit: Int, pageLimit: Int, saved: (Int) -> Void
    ) async throws
  {
    let doomed = try allowedDeletion(of: root)
    while true {
      var state = ContextState(context: self)
      let walk = try DeletionWalk(deleting: root, doomed, limit: pageLimit, store.map, over: &state)
      var pending = Set(DeletionWalk.deleted(walk.steps[...]))
      var rest = walk.steps[...]
      var size = size
      while !rest.isEmpty {
        try Task.checkCancellation()
        let part = rest.prefix(size)
        let deleted = DeletionWalk.deleted(part)
        let kept = pending.subtracting(deleted)
        do {
          let count = try await saveBatch(name) { context in
            try context.deletion(of: part, keeping: kept, atMost: limit)
          }
          if let count { saved(count) }
          pending = kept
          rest = rest.dropFirst(part.count)
        } catch SaveError.tooLarge where part.count > 1 {
          size = part.count / 2
        } catch SaveError.tooLong where part.count > 1 {
          size = part.count / 2
        }
      }
      if walk.isComplete { return }
    }
  }

  /// Checks the deletion of an object as a whole, before it is divided into saves. Throws if the deletion would break a
  /// rule. If models have rules for relationships, the call reads all affected objects into memory, and returns the
  /// objects to delete. Otherwise, it returns an empty set.
  private func allowedDeletion(of root: AnyObjectID) throws -> Set<AnyObjectID> {
    guard store.map.schema.hasRelationshipRules else { return [] }
    let changes = try deletion(of: [root])
    let outcome = try store.objects.merge(changes, validating(Merging()))
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = SaveRefusal(of: .save, [], violations, outcome.invalidValues) { throw SaveError.refused(refusal) }
    return Set(changes.lazy.filter { $0.change.isDeletion }.map(\.object))
  }

  private func deletion(
    of steps: ArraySlice<DeletionWalk.Step>, keeping kept: Set<AnyObjectID>, atMost limit: Int
  ) throws -> [(object: AnyObjectID, change: ObjectChange)] {
    var objects: [AnyObjectID] = []
    var references: [(object: AnyObjectID, slot: Int)] = []
    for step in steps {
      if let tie = step.tie, try !holds(tie) { continue }
      if let slot = step.emptied {
        references += step.objects.map { ($0, slot) }
      } else {
        objects += step.objects
      }
    }
    return try deletion(of: objects, emptying: references, keeping: kept, atMost: limit)
  }

  /// Whether a reference still leads to its former target. A reference that another context has moved stays.
  private func holds(_ tie: DeletionWalk.Tie) throws(StoreError) -> Bool {
    guard let map = store.map.map(tie.object.name) else { return false }
    return try reading(of: tie.object, map).values?[tie.slot].reference == tie.target
  }
}
