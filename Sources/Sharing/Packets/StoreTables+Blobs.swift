import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension StoreTables {
  /// Writes a blob of a packet, unless it is there.
  func bring(
    _ digest: Digest, _ bytes: UnsafeRawBufferPointer, _ transaction: borrowing WriteTransaction
  ) throws(PacketError) {
    guard SHA256.digest(bytes) == digest else { throw .damaged(reason: "the blob \(digest) has other bytes") }
    try PacketError.converting { () throws(StorageError) in
      let table = try BlobTable(self, transaction.view)
      let blob = Blob(digest, byteCount: bytes.count)
      if try table.has(blob, transaction.view) {
        try table.keep(digest, transaction)
      } else {
        try table.bring(blob, [UInt8](bytes), transaction)
      }
    }
  }
}
