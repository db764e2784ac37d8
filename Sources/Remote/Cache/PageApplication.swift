import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// Applies the rows of a page, except rows that the store cannot keep, or cannot delete. It finds such rows by trying:
/// a transaction that fails because of some rows is repeated without them.
final class PageApplication<Element: PersistentModel, Record: Codable & Sendable>: Sendable {
  /// The last attempt found more rows that cannot be kept.
  struct Refused: Error {}

  private struct State {
    /// The reasons for the refusal of rows, by the indices of the rows.
    var reasons: [Int: String] = [:]
    /// The indices of the rows of the last attempt, as a range and by the objects that the rows became.
    var tried = 0..<0
    var places: [UniqueID: Int] = [:]
    /// The reasons for objects that cannot be deleted, and the objects that the last attempt deleted.
    var kept: [UniqueID: String] = [:]
    var deleted: Set<UniqueID> = []
    /// The refused rows that were unknown before the last attempt.
    var newlyRefused: [RefusedRow] = []
    var accepted: Set<String> = []
  }

  /// The refused rows of earlier pages, then the rows of the page.
  private let records: [Record]
  private let firstOfPage: Int
  private let unreadable: [RefusedRow]
  private let state = Guarded(State())

  /// - Parameter earlier: The refused rows of the pages before.
  init(_ page: PageRows<Record>, after earlier: [Record]) {
    records = earlier + page.records
    firstOfPage = earlier.count
    unreadable = page.unreadable
  }

  /// The refused rows that were unknown before.
  var newlyRefused: [RefusedRow] { state.withLock { $0.newlyRefused } }
  /// The identifiers of earlier refused rows that could be kept now.
  var accepted: Set<String> { state.withLock { $0.accepted } }

  /// - Parameters:
  ///   - retries: Whether refused rows of earlier pages are tried again.
  ///   - refused: Receives the rows of the page that cannot be kept.
  /// - Throws: ``Refused`` if more rows cannot be kept than were known.
  func apply(
    in transaction: CacheTransaction<Element, Record>, retries: Bool, refused: inout RefusedRecords<Record>
  ) throws {
    let known = state.withLock { $0.reasons }
    var (reasons, places, newlyRefused, accepted) = (known, [UniqueID: Int](), [RefusedRow](), Set<String>())
    let tried = retries ? records.indices : firstOfPage..<records.count
    for place in tried where known[place] == nil {
      do {
        if let object = try transaction.take(records[place]) { places[object._storage.uuid] = place }
      } catch {
        guard let reason = RowRefusal.reason(of: error) else { throw error }
        reasons[place] = reason
      }
    }
    state.withLock { [reasons, places] in
      ($0.reasons, $0.tried, $0.places, $0.deleted) = (reasons, tried, places, [])
    }
    if reasons.count > known.count { throw Refused() }
    // A page may have a row twice: the last one counts.
    for place in tried {
      let id = transaction.mapping.validID(records[place])
      if let reason = known[place] {
        let row = RefusedRow(id: id, reason: reason)
        if try transaction.refusals.add(row) { newlyRefused.append(row) }
        if place >= firstOfPage { refused.add(row, records[place]) }
      } else if let id {
        try transaction.refusals.remove(id)
        if place < firstOfPage { accepted.insert(id) }
      }
    }
    for row in unreadable {
      if try transaction.refusals.add(row) { newlyRefused.append(row) }
      refused.add(row, nil)
    }
    state.withLock { [newlyRefused, accepted] in ($0.newlyRefused, $0.accepted) = (newlyRefused, accepted) }
  }

  /// Whether an object whose row is gone cannot be deleted. Records such an object. Call it after
  /// ``apply(in:retries:refused:)``.
  func keep(_ object: Element, in transaction: CacheTransaction<Element, Record>) throws -> Bool {
    let uuid = object._storage.uuid
    let reason = state.withLock { state in
      if state.kept[uuid] == nil { state.deleted.insert(uuid) }
      return state.kept[uuid]
    }
    guard let reason else { return false }
    let id = transaction.mapping.keyText(object._storage.value(transaction.outbox.keySlot))
    let row = RefusedRow(id: id, reason: reason)
    if try transaction.refusals.add(row) { state.withLock { $0.newlyRefused.append(row) } }
    return true
  }

  /// Finds the rows that made a save throw. False if the save names none of their objects.
  func blame(_ refusal: SaveRefusal) -> Bool {
    state.withLock { state in
      let count = state.reasons.count + state.kept.count
      for violation in refusal.violations {
        // A rule forbids a deletion that other objects depend on, or that would leave them without a required object.
        let named = violation.values.reduce(into: [violation.object.uuid]) { named, value in
          if case .reference(let id) = value { named.append(id.uuid) }
        }
        if let uuid = named.first(where: { state.deleted.contains($0) }) {
          state.kept[uuid] = violation.message
          continue
        }
        let other: UniqueID? = if case .unique(let holder) = violation.rule { holder.uuid } else { nil }
        let place = state.places[violation.object.uuid]
        let otherPlace = other.flatMap { state.places[$0] }
        // If two rows have the same unique value, one stays.
        if let place, let otherPlace, state.reasons[place] != nil || state.reasons[otherPlace] != nil { continue }
        if let place = place ?? otherPlace { state.reasons[place] = violation.message }
      }
      for value in refusal.invalidValues {
        guard let place = state.places[value.object.uuid] else { continue }
        state.reasons[place] = RowRefusal.reason(of: value)
      }
      return state.reasons.count + state.kept.count > count
    }
  }

  /// Finds rows that break a rule even alone, through the objects that they bring along. If there are none, finds the
  /// first row that breaks a rule together with the rows before it. For example, both may bring along an object that
  /// must be unique. False if rows are not the cause.
  ///
  /// - Parameter attempt: Applies rows without saving, and returns the refusal that a save would have.
  func blame(_ attempt: ([Record]) throws -> SaveRefusal?) throws -> Bool {
    let places = state.withLock { state in state.tried.filter { state.reasons[$0] == nil } }
    var found: [Int: String] = [:]
    for place in places {
      if let refusal = try attempt([records[place]]) { found[place] = RowRefusal.reason(of: refusal) }
    }
    if found.isEmpty, !places.isEmpty, var refusal = try attempt(places.map { records[$0] }) {
      // The greatest known number of rows that can be kept together, and the smallest that cannot.
      var (good, bad) = (0, places.count)
      while bad - good > 1 {
        let middle = (good + bad) / 2
        if let sooner = try attempt(places[..<middle].map { records[$0] }) {
          (bad, refusal) = (middle, sooner)
        } else {
          good = middle
        }
      }
      found[places[bad - 1]] = RowRefusal.reason(of: refusal)
    }
    state.withLock { [found] in $0.reasons.merge(found) { $1 } }
    return !found.isEmpty
  }
}
