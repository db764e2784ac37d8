import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The progress of an operation in several saves.
public struct BatchProgress: Equatable, Sendable {
  /// The number of objects, or of elements of an import, in the saves so far.
  public private(set) var saved = 0
  /// The number of saves so far.
  public private(set) var batches = 0
  /// The position of the last save, or the context's position at the start if there was none.
  public private(set) var position: Position

  init(at position: Position) { self.position = position }

  mutating func add(_ count: Int, at position: Position) {
    saved += count
    batches += 1
    self.position = position
  }
}

/// The change that a batch of an update or a deletion makes to the objects of a fetch.
typealias BatchChange = (_ objects: ArraySlice<UniqueID>, RootContext) throws -> [(
  object: AnyObjectID, change: ObjectChange
)]

extension RootContext {
  /// The most IDs in memory while batches are saved, 16 bytes each.
  static var batchPageLimit: Int { 1 << 20 }

  /// The most attempts for a batch that conflicts with other saves.
  private static var attempts: Int { 4 }

  /// Changes the objects of a fetch in batches, each saved on its own.
  ///
  /// - Parameter divide: Changes one object in several saves, if its changes are too many for one. If it returns false,
  ///   the error is thrown.
  nonisolated(nonsending)
    func inBatches(
      of size: Int, _ fetch: CompiledFetch, _ map: EntityMap, name: String?, pageLimit: Int = batchPageLimit,
      progress: (BatchProgress) -> Void, _ change: BatchChange,
      divide: nonisolated(nonsending) (UniqueID, inout BatchProgress) async throws -> Bool = { _, _ in false }
    ) async throws -> BatchProgress
  {
    guard size > 0 else { throw UpdateError.batchSize(size) }
    if hasChanges { try await save() }
    try refresh()
    var done = BatchProgress(at: position)
    var last: UniqueID?
    do {
      while true {
        let page = try projection.page(after: last, limit: pageLimit, fetch, map)
        var rest = page[...]
        var size = size
        while !rest.isEmpty {
          try Task.checkCancellation()
          let batch = rest.prefix(size)
          do {
            if let count = try await saveBatch(name, { context in try change(batch, context) }) {
              done.add(count, at: position)
              progress(done)
            }
            rest = rest.dropFirst(batch.count)
          } catch let error as SaveError where error.isTooMuch {
            // Delete rules can change many more objects than the batch has.
            if batch.count > 1 {
              size = batch.count / 2
            } else if let object = batch.first, try await divide(object, &done) {
              rest = rest.dropFirst()
            } else {
              throw error
            }
          }
        }
        // A limit bounds the fetch as a whole.
        guard page.count == pageLimit, fetch.limit == nil, let end = page.last else { return done }
        last = end
      }
    } catch let error as SaveError {
      throw error.after(done)
    }
  }

  /// How many objects changed. `nil` if there was nothing to save. If it throws, none of the changes are pending.
  nonisolated(nonsending)
    func saveBatch(
      _ name: String?, _ change: (RootContext) throws -> [(object: AnyObjectID, change: ObjectChange)]
    ) async throws -> Int?
  {
    var attempt = 1
    while true {
      let count = applyAsOneStep(try change(self), name)
      if count == 0 { return nil }
      do {
        try await save(name)
        return count
      } catch {
        discard()
        guard case SaveError.refused(let refusal) = error, refusal.violations.isEmpty, refusal.invalidValues.isEmpty,
          attempt < Self.attempts
        else { throw error }
        attempt += 1
        try refresh()
      }
    }
  }

  /// Takes the elements that `next` returns in batches, calls `insert` for each batch, and saves it on its own.
  nonisolated(nonsending)
    func insertInBatches<Element>(
      of size: Int, name: String?, progress: (BatchProgress) -> Void,
      _ next: nonisolated(nonsending) () async throws -> Element?, _ insert: (RootContext, [Element]) throws -> Void
    ) async throws -> BatchProgress
  {
    guard size > 0 else { throw UpdateError.batchSize(size) }
    if hasChanges { try await save() }
    var done = BatchProgress(at: position)
    var isAtEnd = false
    while !isAtEnd {
      try Task.checkCancellation()
      var batch: [Element] = []
      while batch.count < size, !isAtEnd {
        if let element = try await next() { batch.append(element) } else { isAtEnd = true }
      }
      // The cancellation may have ended the sequence.
      try Task.checkCancellation()
      if batch.isEmpty { break }
      do {
        try await saveInsertions(name) { context in try insert(context, batch) }
      } catch let error as SaveError {
        throw error.after(done)
      }
      done.add(batch.count, at: position)
      progress(done)
    }
    return done
  }
}

extension RootContext {
  /// Inserts a batch and saves it. If another context saved a conflicting change meanwhile, or an object with the same
  /// unique values, the batch is made again from that state. If it throws, none of the changes are pending.
  nonisolated(nonsending)
    private func saveInsertions(_ name: String?, _ insert: (RootContext) throws -> Void) async throws
  {
    for attempt in 1... {
      try asOneBatch { try group(name) { try insert(self) } }
      do {
        try await save(name)
        return
      } catch {
        discard()
        let before = position
        guard case SaveError.refused(let refusal) = error, refusal.invalidValues.isEmpty else { throw error }
        try refresh()
        // If there was no other save, the next attempt would fail in the same way.
        guard position > before, attempt < Self.attempts else { throw error }
      }
    }
  }
}

extension Projection {
  /// The first objects in order of creation that a fetch finds after the object `last`.
  fileprivate func page(
    after last: UniqueID?, limit: Int, _ fetch: CompiledFetch, _ map: EntityMap
  ) throws(FetchError) -> [UniqueID] {
    var page: [UniqueID] = []
    let bound = fetch.limit == nil ? limit : .max
    try forEachMatch(fetch, map, reading: []) { id, _ in
      if let last, id.uuid <= last { return }
      page.append(id.uuid)
      // The walk may be in the order of an index. The page keeps the least IDs.
      if page.count / 2 >= bound {
        page.sort()
        page.removeLast(page.count - bound)
      }
    }
    page.sort()
    if page.count > bound { page.removeLast(page.count - bound) }
    return page
  }
}

extension SaveError {
  /// This error, together with the number of saved objects if there are any. `outcomeUnknown` stays as it is, because
  /// the failed save may have succeeded, too.
  fileprivate func after(_ done: BatchProgress) -> SaveError {
    if done.batches == 0 { return self }
    if case .outcomeUnknown = self { return self }
    return .savedInPart(count: done.saved, position: done.position, reason: self)
  }

  /// Whether a save of fewer objects may succeed.
  fileprivate var isTooMuch: Bool {
    switch self {
    case .tooLarge, .tooLong: true
    default: false
    }
  }
}
