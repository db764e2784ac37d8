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

  /// The most attempts for a batch that conflicts with other saves, as for a write.
  static var batchAttempts: Int { 100 }
  /// The most attempts for a batch that breaks a rule, although the reason may be another save each time.
  private static var attemptsThatBreakRules: Int { 4 }

  /// Changes the objects of a fetch in batches, each saved on its own.
  ///
  /// - Parameter divide: Changes one object in several saves, if its changes are too many for one. If it returns false,
  ///   the error is thrown.
  nonisolated(nonsending)
    func inBatches(
      of size: Int, _ fetch: CompiledFetch, _ map: EntityMap, name: String?, pageLimit: Int = batchPageLimit,
      attempts: Int = batchAttempts, progress: (BatchProgress) -> Void, _ change: BatchChange,
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
            let count = try await saveBatch(name, attempts: attempts) { context in try change(batch, context) }
            if let count {
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
      _ name: String?, attempts: Int = batchAttempts,
      _ change: (RootContext) throws -> [(object: AnyObjectID, change: ObjectChange)]
    ) async throws -> Int?
  {
    var count = 0
    let isSaved = try await saveInTurn(name, attempts: attempts, repeatsBrokenRules: false) {
      count = applyAsOneStep(try change(self), name)
      return count > 0
    }
    return isSaved ? count : nil
  }

  /// Makes changes and saves them. If other saves conflict with them, makes them again from the new state, in turn with
  /// other writes. If it throws after `make`, none of the changes are pending.
  ///
  /// - Parameters:
  ///   - repeatsBrokenRules: Whether a broken rule may be due to another save.
  ///   - make: Makes the changes. Returns false if there are no changes to save.
  /// - Returns: Whether it saved.
  nonisolated(nonsending)
    private func saveInTurn(
      _ name: String?, attempts: Int, repeatsBrokenRules: Bool, _ make: () throws -> Bool
    ) async throws -> Bool
  {
    var turn = ConflictTurn(in: store)
    try await turn.begin()
    defer { turn.end() }
    var (attempt, broken) = (1, 0)
    while true {
      guard try make() else { return false }
      do {
        try await save(name)
        return true
      } catch {
        discard()
        guard case SaveError.refused(let refusal) = error, refusal.invalidValues.isEmpty, attempt < attempts else {
          throw error
        }
        if !refusal.violations.isEmpty { broken += 1 }
        guard broken == 0 || repeatsBrokenRules && broken < Self.attemptsThatBreakRules else { throw error }
        let before = position
        try refresh()
        // Without news, the same would happen again.
        guard position > before else { throw error }
      }
      try await turn.wait(after: attempt)
      try refresh()
      attempt += 1
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
        // An object with the same unique values may be in another save.
        _ = try await saveInTurn(name, attempts: Self.batchAttempts, repeatsBrokenRules: true) {
          try asOneBatch { try group(name) { try insert(self, batch) } }
          return true
        }
      } catch let error as SaveError {
        throw error.after(done)
      }
      done.add(batch.count, at: position)
      progress(done)
    }
    return done
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
