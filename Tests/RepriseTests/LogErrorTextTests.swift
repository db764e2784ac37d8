import Reprise
import XCTest

final class LogErrorTextTests: ErrorTextTestCase {
  func testBlobErrors() throws {
    check(
      BlobError.missing(.empty),
      """
      The store does not have the \(Blob.empty). Either it comes from another store, or no object was saved with it \
      before the process that made it ended. Make it again from its bytes.
      """)
    check(
      BlobError.damaged(.empty, reason: "chunk 3 is missing"),
      """
      The \(Blob.empty) is damaged: chunk 3 is missing. Make it again from its bytes, or restore the store from a \
      backup.
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
      The rows of the projection 'counts' are still being made (25 %). Try again, or wait with \
      `TransactionLog.waitForProjections()`.
      """)
    check(
      ProjectionError.newerVersion(name: "counts", found: 3, own: 2),
      """
      The rows of the projection 'counts' have version 3, which is newer than version 2 of this program. Update the \
      program.
      """)
    check(
      ProjectionError.invalidName(""), "'' cannot be the name of a projection. Use a name of 1 to 200 bytes.")
    check(
      ProjectionError.failed(name: "counts", at: 3, reason: "a row has no number"),
      """
      The projection 'counts' could not apply transaction 3: a row has no number. Its rows stay as they were before. \
      Correct the projection, and raise its version if its earlier rows were wrong.
      """)
    check(
      ProjectionError.headOnly(name: "counts"),
      "The rows of the projection 'counts' cannot be read in a past context, because it keeps rows of the head only. "
        + "Declare `keepsHistory`, and raise its version.")
    try assertEveryCaseWasChecked(of: "ProjectionError")
  }

  func testErasureErrors() throws {
    check(
      ErasureError.unknown(entity: "Note", property: "stars"),
      "Nothing was erased. The store has no property Note.stars. Correct the name.")
    check(
      ErasureError.unknown(entity: "Note", property: nil),
      "Nothing was erased. The store has no entity 'Note'. Correct the name.")
    check(ErasureError.notFound(note), "Nothing was erased. The log does not have \(note). Leave it out.")
    check(
      ErasureError.journals(["a.journal", "b.damaged"]),
      """
      Nothing was erased. The folder 'journals' has a.journal, b.damaged, which may contain the values. Open the \
      store and close it, which recovers journals. Remove files that end in .damaged: nothing reads them.
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
      Nothing was erased. A program without these derived attributes has changed the objects, so their present values \
      may have been computed from values to erase: Note.length, Note.summary. Open the store with a program that has \
      them, and close it. If they are ordinary attributes by now, assign other values to them.
      """)
    try assertEveryCaseWasChecked(of: "ErasureError")
  }
}
