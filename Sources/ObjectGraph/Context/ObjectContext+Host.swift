import RepriseEventStore
import RepriseObjectModel

/// The requests that objects make of their context.
extension ObjectContext: ObjectHost {
  package func fill(_ storage: ObjectStorage) {
    let id = storage.id
    guard let map = store.map.map(id.name) else { return fail(storage, .missingModels([id.entity], given: [])) }
    do {
      fill(storage, try reading(of: id, map))
    } catch {
      fail(storage, error)
    }
  }

  package func didRead(_ slot: Int, of storage: ObjectStorage) { tracker?.didRead(slot, of: storage.id) }

  private func fail(_ storage: ObjectStorage, _ error: StoreError) {
    storage.fill(storage.values.isEmpty ? storage.entity.defaults : storage.values, as: .unreadable)
    failedReads[storage.id] = error
  }
}
