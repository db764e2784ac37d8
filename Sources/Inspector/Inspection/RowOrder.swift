import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery

/// The IDs of all objects of a fetch, for fetches whose rows no index counts.
///
/// The page scrolls to any row. A counted index finds the n-th row at once. Without such an index, each jump would sort
/// the objects again, so the inspection keeps their order.
package struct RowOrder {
  let fetch: String
  let state: ShownState
  let ids: [UniqueID]

  /// Limits that keep the memory and the time of an answer small.
  package struct Limits: Sendable {
    /// The most rows of an order to keep. Each takes 16 bytes.
    package var mostRows = 2_000_000
    /// The most rows that a fetch passes over or sorts for one answer, if there are too many rows to keep their order.
    package var mostVisits = 20_000

    package init() {}
  }
}

extension Inspection {
  /// The objects of a fetch in a range of its rows.
  func objects<Model: PersistentModel>(
    _ whole: Fetch<Model>, _ rows: Range<Int>, of total: Int, in context: ObjectContext
  ) throws -> [Model] {
    if rows.isEmpty { return [] }
    let page = whole.limit(rows.count, offset: whole.offset + rows.lowerBound)
    if rows.upperBound <= limits.mostVisits, whole.isInOrderOfCreation || total <= limits.mostVisits {
      return try context.fetch(page)
    }
    if try isCounted(page, in: context) { return try context.fetch(page) }
    guard total <= limits.mostRows else {
      if rows.upperBound <= limits.mostVisits { return try context.fetch(page) }
      throw PageFailure.tooFar(limit: limits.mostVisits)
    }
    return try order(of: whole, in: context).ids[rows].map { try context.object(Model.ID(uuid: $0)) }
  }

  /// The number of rows of a fetch that the page can show.
  func reach<Model: PersistentModel>(of whole: Fetch<Model>, _ total: Int, in context: ObjectContext) throws -> Int {
    if total <= max(limits.mostRows, limits.mostVisits) { return total }
    let beyond = whole.limit(1, offset: whole.offset + limits.mostVisits)
    return try isCounted(beyond, in: context) ? total : limits.mostVisits
  }

  private func isCounted<Model: PersistentModel>(_ fetch: Fetch<Model>, in context: ObjectContext) throws -> Bool {
    guard let map = store.map.map(Model.entity.interned) else { return false }
    return try context.projection.countedRows(CompiledFetch(fetch, schema: store.map.schema), map) != nil
  }
}

extension Fetch {
  /// Whether the store has the objects in the order of the fetch.
  fileprivate var isInOrderOfCreation: Bool { sortKeys.isEmpty }
}
