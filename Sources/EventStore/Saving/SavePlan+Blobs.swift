import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension SavePlan.Operation {
  /// The blobs that the operation starts to refer to, with the slots of their attributes.
  var newBlobs: [(slot: Int, blob: Blob)] {
    // The usual case.
    if map.blobSlots.isEmpty { return [] }
    return switch change {
    case .inserted(let values): map.blobSlots.compactMap { slot in values[slot].blob.map { (slot, $0) } }
    case .updated(let changes): changes.compactMap { change in change.new.blob.map { (change.slot, $0) } }
    case .deleted: []
    }
  }

  /// The values that refer to blobs that the store does not have.
  func missingBlobs(_ tables: StoreTables, _ view: View) throws(StoreError) -> [InvalidValue] {
    try StoreError.converting { () throws(StorageError) in
      var missing: [InvalidValue] = []
      for (slot, blob) in newBlobs where blob.byteCount > 0 {
        if try BlobTable(tables, view).has(blob, view) { continue }
        missing.append(
          InvalidValue(
            object: id, property: map.entity.properties[slot].name, value: .blob(blob), reason: .missingBlob))
      }
      return missing
    }
  }
}
