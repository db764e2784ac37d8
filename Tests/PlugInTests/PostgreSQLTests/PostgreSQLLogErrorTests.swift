import ReprisePostgreSQL
import XCTest

/// The messages of the errors, word for word.
final class PostgreSQLLogErrorTests: XCTestCase {
  func testEachErrorHasItsNextStep() {
    let expected: [(PostgreSQLLogError, String)] = [
      (
        .unavailable(reason: "a"),
        "The shared log in PostgreSQL is not available: a. The program connects again. If this lasts, check that "
          + "a server runs, accepts writes, and reaches its standby."
      ),
      (
        .denied(reason: "a"),
        "PostgreSQL refuses access to the shared log: a. Correct the credentials, or grant the user the rights "
          + "to the tables reprise_log and reprise_packet."
      ),
      (.invalidConnection(reason: "a"), "The connection text of the shared log is wrong: a. Correct the text."),
      (
        .notReplicated(reason: "a"),
        "The PostgreSQL server does not replicate the shared log: a. Name its standbys in "
          + "synchronous_standby_names, or choose another PostgreSQLReplication."
      ),
      (
        .notDurable(reason: "a"),
        "The PostgreSQL server may lose acknowledged saves: a. Turn the setting on."
      ),
      (
        .otherSchema(reason: "a"),
        "The database has other tables or functions than the shared log needs: a. Use another database, or put a "
          + "separate schema first in search_path."
      ),
      (
        .unsupportedServer(version: "12"),
        "The PostgreSQL server has version 12, and a shared log needs 13 or later. Update the server."
      ),
    ]
    for (error, text) in expected { XCTAssertEqual(error.description, text) }
  }
}
