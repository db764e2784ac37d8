import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// The rows of a list in memory: 16 bytes each.
struct StoredRows {
  let uuids: [UniqueID]
  let sections: ListSnapshot

  /// Costs what the fetch costs.
  init(_ fetch: CompiledFetch, _ map: EntityMap, _ projection: Projection) throws(FetchError) {
    let rows = try projection.rows(fetch, map)
    uuids = rows.map(\.uuid)
    guard fetch.section != nil else {
      sections = ListSnapshot(rowCount: uuids.count)
      return
    }
    var sections: [ListSnapshot.Section] = []
    var name: String?
    var count = 0
    for row in rows {
      let id = AnyObjectID(map.entity.interned, row.uuid)
      let next = fetch.sectionName(of: row.values, id: id, source: projection)
      if next != name, count > 0 {
        sections.append(ListSnapshot.Section(name: name, rowCount: count))
        count = 0
      }
      name = next
      count += 1
    }
    if count > 0 { sections.append(ListSnapshot.Section(name: name, rowCount: count)) }
    self.sections = ListSnapshot(sections)
  }
}
