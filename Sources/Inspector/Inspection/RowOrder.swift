import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery

/// The IDs of all objects of a fetch, for fetches whose rows no index counts.
///
/// The page scrolls to any row. A counted index finds the n-th row at once. Without such an index, each jump would sort
/// the objects again, so the inspection keeps their order.
struct RowOrder {
  let fetch: String
  let position: Position
  let ids: [UniqueID]

  /// The most rows of an order to keep. Each takes 16 bytes.
  static let mostRows = 2_000_000
  /// The most rows that a fetch passes over or sorts for one answer, if there are too many rows to keep their order.
  static let mostVisits = 20_000
}

extension Inspection {
  /// The objects of a fetch in a range of its rows.
  func objects<Model: PersistentModel>(
    _ whole: Fetch<Model>, _ rows: Range<Int>, of total: Int, in context: PastContext
  ) throws -> [Model] {
    if rows.isEmpty { return [] }
    let page = whole.limit(rows.count, offset: whole.offset + rows.lowerBound)
    if rows.upperBound <= RowOrder.mostVisits, whole.isInOrderOfCreation || total <= RowOrder.mostVisits {
      return try context.fetch(page)
    }
    if try isCounted(page, in: context) { return try context.fetch(page) }
    guard total <= RowOrder.mostRows else {
      if rows.upperBound <= RowOrder.mostVisits { return try context.fetch(page) }
      throw PageFailure.tooFar(limit: RowOrder.mostVisits)
    }
    return try order(of: whole, in: context).ids[rows].map { try context.object(Model.ID(uuid: $0)) }
  }

  private func isCounted<Model: PersistentModel>(_ fetch: Fetch<Model>, in context: PastContext) throws -> Bool {
    guard let map = store.map.map(Model.entity.interned) else { return false }
    return try context.projection.countedRows(CompiledFetch(fetch, schema: store.map.schema), map) != nil
  }
}

extension Fetch {
  /// Whether the store has the objects in the order of the fetch.
  fileprivate var isInOrderOfCreation: Bool { sortKeys.isEmpty }
}
