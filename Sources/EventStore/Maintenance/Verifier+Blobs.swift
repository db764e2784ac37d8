import RepriseLMDB
import RepriseObjectModel

extension Verifier {
  /// Verifies that the bytes of each blob are those of its digest, and that each blob that the log refers to is there.
  /// Reads all of them.
  mutating func verifyBlobs(_ table: BlobTable?, _ view: View) throws(StorageError) {
    var missing = references.blobs
    var problems: [String] = []
    var count = 0
    try table?.forEachBlob(view) { (digest, found) throws(StorageError) in
      count += 1
      switch found {
      case .success(let entry):
        missing.remove(Blob(digest, byteCount: entry.byteCount))
        if let problem = try table?.problem(of: digest, entry, view) {
          problems.append("The \(Blob(digest, byteCount: entry.byteCount)) is damaged: \(problem).")
        }
      case .failure(let error):
        problems.append("The row of the blob \(digest) is damaged: \(error.damage ?? "").")
      }
    }
    blobs = count
    for blob in missing.sorted(by: { $0.sha256 < $1.sha256 }) {
      problems.append("The log refers to the \(blob), which is not there.")
    }
    for problem in problems { found(problem) }
  }
}
