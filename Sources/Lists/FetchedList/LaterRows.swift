import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

/// Reads keys and sections of rows in the later of two projections.
struct LaterRows {
  let fetch: CompiledFetch
  let map: EntityMap
  let projection: Projection

  func key(_ uuid: UniqueID) throws(StoreError) -> [UInt8]? {
    let id = AnyObjectID(map.entity.interned, uuid)
    let key = try projection.read(id, map).map { fetch.sortKey(of: $0, id: id, source: projection) }
    // An unreadable related object would read as nil, and the row would get a wrong place.
    if let failure = projection.failure { throw failure }
    return key
  }

  func row(_ uuid: UniqueID) throws(RowTree.Failure) -> (key: [UInt8], section: String) {
    let id = AnyObjectID(map.entity.interned, uuid)
    let found: ContiguousArray<PropertyValue>?
    do throws(StoreError) {
      found = try projection.read(id, map)
    } catch {
      throw .store(error)
    }
    guard let values = found else { throw .inconsistent }
    let key = fetch.sortKey(of: values, id: id, source: projection)
    let section = fetch.sectionName(of: values, id: id, source: projection) ?? ""
    if let failure = projection.failure { throw .store(failure) }
    return (key, section)
  }
}
