import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

// Fetches whose condition and order one counted index covers. A row is found by its number, and the number by the row.

extension Projection {
  /// `nil` if no counted index covers the fetch, or if so many rows differ from the head that reading objects is
  /// cheaper.
  package func countedRows(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> CountedRows? {
    try answer { () throws(IndexSnapshot.Failure) in try CountedRows(fetch, map, self) } ?? nil
  }

  /// The IDs that a fetch finds, in its order.
  func ids(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [UniqueID] {
    if fetch.limit == 0 { return [] }
    if let uuids = try idsOfIndex(fetch, map) { return uuids }
    return try rows(fetch, map, .ids).map(\.uuid)
  }

  /// The IDs straight from the index that covers the fetch. `nil` if no index covers it, or if objects differ from the
  /// head.
  private func idsOfIndex(_ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> [UniqueID]? {
    guard let choice = fetch.countedIndex, fetch.offset == 0, map.indexes[choice.slot] != nil else { return nil }
    do throws(StoreError) {
      if try past(map, slot: choice.slot) != nil { return nil }
      let differing = try headDifferences(map)
      guard differing.rows.uuids.isEmpty else { return nil }
      return try store.indexes.objects(
        map, slot: choice.slot, in: choice.range, isAscending: choice.isAscending, limit: fetch.limit ?? .max,
        at: differing.head)
    } catch {
      throw FetchError(reading: error)
    }
  }

  /// The rows behind an offset, without a step for each skipped row. `nil` in the cases of ``countedRows(_:_:)``.
  func rowsBehindOffset(
    _ fetch: CompiledFetch, _ map: EntityMap, _ content: RowContent
  ) throws(FetchError) -> (rows: [Row], CountedRows)? {
    guard fetch.offset > 0, let counted = try countedRows(fetch, map),
      let uuids = try answer({ () throws(IndexSnapshot.Failure) in try counted.objects() })
    else { return nil }
    var rows: [Row] = []
    rows.reserveCapacity(uuids.count)
    do throws(StoreError) {
      for uuid in uuids {
        let id = AnyObjectID(map.entity.interned, uuid)
        let values = content.isInIndex ? [] : try read(id, map)
        if let values, let row = content.row(values, id, self) { rows.append(row) }
      }
      if let failure { throw failure }
    } catch {
      throw FetchError(reading: error)
    }
    return (rows, counted)
  }

  /// The number of rows before an object in the order of a fetch. `nil` if the fetch does not find the object.
  func rank(of uuid: UniqueID, _ fetch: CompiledFetch, _ map: EntityMap) throws(FetchError) -> Int? {
    let id = AnyObjectID(map.entity.interned, uuid)
    if let counted = try countedRows(fetch, map) {
      let known: ContiguousArray<PropertyValue>?
      do throws(StoreError) {
        known = try read(id, map)
      } catch {
        throw FetchError(reading: error)
      }
      guard let values = known else { return nil }
      if let rank = try answer({ () throws(IndexSnapshot.Failure) in try counted.index(of: uuid, values) }) {
        return rank
      }
    }
    return try rows(fetch, map, .ids).firstIndex { $0.uuid == uuid }
  }

  /// `nil` if the index has outgrown its differences.
  private func answer<Answer>(
    _ question: () throws(IndexSnapshot.Failure) -> Answer
  ) throws(FetchError) -> Answer? {
    do throws(IndexSnapshot.Failure) {
      return try question()
    } catch {
      switch error {
      case .store(let error): throw FetchError(reading: error)
      case .outgrown: return nil
      }
    }
  }
}
