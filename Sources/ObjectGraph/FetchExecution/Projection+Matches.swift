import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension Projection {
  /// Passes the objects that a fetch finds to `body`, in any order, with the values in `slots`; other values may be
  /// defaults. Keeps no objects in memory, unless the fetch has a limit. Then it keeps as many as the limit.
  ///
  /// - Returns: How they were found.
  @discardableResult
  func forEachMatch(
    _ fetch: CompiledFetch, _ map: EntityMap, reading slots: SlotSet,
    _ body: (AnyObjectID, ContiguousArray<PropertyValue>) -> Void
  ) throws(FetchError) -> FetchFinding {
    if fetch.limit != nil || fetch.offset > 0 {
      let (rows, finding) = try found(fetch, map, .objects)
      for row in rows { body(AnyObjectID(map.entity.interned, row.uuid), row.values) }
      return finding
    }
    do throws(StoreError) {
      let fetch = fetch.unordered(limit: nil)
      let finding = try withoutActuallyEscaping(body) { (body) throws(StoreError) in
        let content = RowContent.visit(slots, body)
        let plan = try directPlan(fetch, map, content)
        let run = FetchRun(fetch, map, plan, wanted: nil, content, self)
        try run.run()
        keep(plan, visits: run.visited, run)
        return FetchFinding(plan, visits: run.visited)
      }
      // The condition or `body` may have failed to read a related object.
      if let failure { throw failure }
      return reported(finding)
    } catch {
      throw FetchError(reading: error)
    }
  }
}
