import Reprise
import XCTest

final class LogErrorTextTests: ErrorTextTestCase {
  func testBlobErrors() throws {
    check(
      BlobError.missing(.empty),
      """
      The store does not have the \(Blob.empty). The blob comes from another store, or no object was saved with it, or \
      `retain`, `erase` or `salvage` removed it. Make the blob again from its bytes, and save an object with it.
      """)
    check(
      BlobError.damaged(.empty, reason: "chunk 3 is missing"),
      """
      The \(Blob.empty) is damaged: chunk 3 is missing. Restore the store from a backup, or assign a blob of other \
      bytes. A new blob of the same bytes does not replace the damaged one.
      """)
    check(
      BlobError.outOfBounds(3..<9, .empty), "The \(Blob.empty) has no bytes 3 to 9. Use a range within its length.")
    check(
      BlobError.file(path: path, operation: "open", code: 2, message: "No such file or directory"),
      """
      The operation 'open' failed on /data/notes.reprise: No such file or directory (error 2). Check the path, and \
      the space on its disk.
      """)
    check(BlobError.store(.closed(path: path)), "The store /data/notes.reprise was closed. Open it again.")
    try assertEveryCaseWasChecked(of: "BlobError")
  }

  func testProjectionErrors() throws {
    check(
      ProjectionError.notInstalled(name: "counts"),
      "This process has not installed the projection 'counts'. Call `TransactionLog.install(_:)` once after opening.")
    check(
      ProjectionError.unfinished(name: "counts", done: 0.25),
      """
      The rows of the projection 'counts' are still being computed from the log (25 %). Try again, or wait with \
      `TransactionLog.waitForProjections()`.
      """)
    check(
      ProjectionError.newerVersion(name: "counts", found: 3, own: 2),
      """
      The stored rows of the projection 'counts' have version 3, and this program has version 2 of the projection. \
      Update the program.
      """)
    check(
      ProjectionError.newerVersion(name: "counts", found: 2, own: 2),
      """
      Another program has installed version 2 of the projection 'counts' with a different `keepsHistory`. Install the \
      same projection in all programs, and raise its `version`.
      """)
    check(
      ProjectionError.invalidName(""), "'' cannot be the name of a projection. Use a name of 1 to 200 bytes.")
    check(
      ProjectionError.failed(name: "counts", at: 3, reason: "a row has no number"),
      """
      The projection 'counts' could not apply transaction 3: a row has no number. Its rows stay as they were before \
      this transaction. If its `apply` is at fault, correct it, and raise the projection's `version` if earlier rows \
      are wrong, too.
      """)
    check(
      ProjectionError.headOnly(name: "counts"),
      "The rows of the projection 'counts' cannot be read in a past context, because the projection keeps only the "
        + "rows of the latest save. Declare `keepsHistory` in the projection, and raise its `version`.")
    try assertEveryCaseWasChecked(of: "ProjectionError")
  }

  func testErasureErrors() throws {
    check(
      ErasureError.unknown(entity: "Note", property: "stars"),
      "Nothing was erased. The store has no property Note.stars. Correct the name.")
    check(
      ErasureError.unknown(entity: "Note", property: nil),
      "Nothing was erased. The store has no entity 'Note'. Correct the name.")
    check(
      ErasureError.notFound(note),
      "Nothing was erased. The log does not have the object \(note). Leave this object out of the call.")
    check(
      ErasureError.journals(["a.journal", "b.damaged"]),
      """
      Nothing was erased. The folder 'journals' has uncommitted edits, which may contain the values to erase: \
      a.journal, b.damaged. Open the store and close it, which moves these edits into the store. Remove files that end \
      in .damaged, because nothing reads them.
      """)
    check(
      ErasureError.unfinishedIndexes(["Note.stars"]),
      """
      Nothing was erased. These indexes are still being built from the log: Note.stars. Open the store, wait for \
      `waitForIndexes()`, and close it.
      """)
    check(
      ErasureError.outdatedDerivations(["Note.length", "Note.summary"]),
      """
      Nothing was erased. A program that lacks these derived attributes changed the objects, so the attributes may \
      still contain the values to erase: Note.length, Note.summary. Open the store with a program that has the \
      attributes, so that it computes them again, and close the store. If they are ordinary attributes by now, assign \
      other values to them.
      """)
    try assertEveryCaseWasChecked(of: "ErasureError")
  }
}
