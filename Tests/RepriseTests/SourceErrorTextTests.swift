import Reprise
import RepriseRemoteError
import XCTest

final class SourceErrorTextTests: ErrorTextTestCase {
  func testSourceErrors() throws {
    check(
      SourceError.unavailable(source: path, reason: "the file does not exist"),
      """
      The source '/data/notes.reprise' is not available: the file does not exist. The library tries again. \
      Wait, or remove this cause.
      """)
    check(
      SourceError.denied(source: path, reason: "opening the folder is not permitted"),
      """
      The program has no right to read the source '/data/notes.reprise': opening the folder is not permitted. Give \
      this right to the user that runs the program.
      """)
    check(
      SourceError.invalid(source: path, reason: "there is no column 'stars'"),
      """
      The source '/data/notes.reprise' cannot be read as the query asks: there is no column 'stars'. Correct the \
      query or the source.
      """)
    try assertEveryCaseWasChecked(of: "SourceError")
  }

  func testRemoteErrors() throws {
    check(
      RemoteError.unavailable(reason: "status 503", retryAfter: .seconds(3)),
      "The request to the server failed: status 503. Try again in 3.0 seconds.")
    check(
      RemoteError.unavailable(reason: "status 503", retryAfter: nil),
      "The request to the server failed: status 503. Try again later, or remove this cause.")
    check(
      RemoteError.unavailable(reason: "reading it failed", retryAfter: .seconds(3), source: "/data/notes"),
      "The source '/data/notes' is not available: reading it failed. Try again in 3.0 seconds.")
    check(
      RemoteError.unavailable(reason: "reading it failed", retryAfter: nil, source: "/data/notes"),
      "The source '/data/notes' is not available: reading it failed. Try again later, or remove this cause.")
    check(
      RemoteError.denied(reason: "the token has expired"),
      """
      The program has no access to the server: the token has expired. Log in again, or correct the credentials or the \
      code that provides them.
      """)
    check(
      RemoteError.denied(reason: "opening it failed", source: "/data/notes"),
      """
      The source '/data/notes' refuses access: opening it failed. Give the program's user the right to read and write \
      it.
      """)
    check(
      RemoteError.malformed(reason: "a row has no identifier"),
      """
      The exchange with the server failed: a row has no identifier. Update this program or its transport, or correct \
      the server.
      """)
    check(
      RemoteError.unsendable(reason: "the record is too large"),
      "The change was not sent: the record is too large. Correct the mapping or the transport, or assign other values "
        + "to the object.")
    check(
      RemoteError.missingModels(path: path),
      """
      The store at /data/notes.reprise was opened without the models of remote sources. Open the store with \
      RemoteModels.all as well.
      """)
    check(
      RemoteError.keyNotUnique(entity: "Note", property: "remoteID"),
      """
      Note.remoteID identifies the rows of a remote source, but is not unique, so two objects could be one row. \
      Declare the attribute with @Attribute(.unique).
      """)
    check(
      RemoteError.refusedRows(count: 2, first: "'17': has stars 6, which is not in 0...5"),
      """
      The store refuses 2 rows of a remote source. The first is '17': has stars 6, which is not in 0...5. Correct \
      these rows on the server or in the folder, or change the `RemoteMapping` or the rules of the model.
      """)
    try assertEveryCaseWasChecked(of: "RemoteError")
  }
}
