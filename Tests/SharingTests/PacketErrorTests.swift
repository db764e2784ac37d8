import RepriseEventStore
import RepriseLog
import RepriseObjectModel
import RepriseSharing
import XCTest

/// A message that does not say what to do leaves a server behind for good.
final class PacketErrorTests: XCTestCase {
  private let one = UniqueID(high: 1, low: 2)
  private let two = UniqueID(high: 3, low: 4)

  private func check(_ error: PacketError, _ text: String, line: UInt = #line) {
    XCTAssertEqual(error.description, text, line: line)
  }

  func testPacketErrors() {
    check(
      .damaged(reason: "it lacks a matching checksum"),
      """
      A packet of the shared log is damaged: it lacks a matching checksum. Read it again. If it stays damaged, restore \
      the shared log.
      """)
    check(
      .newerForm(2),
      """
      A packet of the shared log has the form 2, and Reprise \(RepriseVersion.current) reads the form 1. Update \
      Reprise in this program.
      """)
    check(
      .otherLog(found: one, expected: two),
      """
      The packet belongs to the log 00000000-0000-0001-0000-000000000002, and the store to the log \
      00000000-0000-0003-0000-000000000004. Check the name of the shared log.
      """)
    check(
      .otherPredecessor(found: one, expected: two),
      """
      The packet follows the packet 00000000-0000-0001-0000-000000000002, and the last one in the store is \
      00000000-0000-0003-0000-000000000004. The shared log was set back, or has another history. Begin with a new seed.
      """)
    check(
      .otherPredecessor(found: nil, expected: nil),
      """
      The packet follows no packet, and the last one in the store is none. The shared log was set back, or has \
      another history. Begin with a new seed.
      """)
    check(
      .otherPosition(found: 9, expected: 8),
      "The packet begins with transaction 9, and the next one of the store is 8. Begin with a new seed.")
    check(
      .otherHash(9),
      """
      The hash of transaction 9 of the shared log does not match its content and the transaction before it. Verify the \
      store with `StoreMaintenance.verify(_:)`. If it is damaged, begin with a new seed.
      """)
    check(
      .cannotApply(9, reason: "the log changes the object 7, which does not exist"),
      """
      Transaction 9 of the shared log does not fit this store: the log changes the object 7, which does not exist. \
      Verify the store with `StoreMaintenance.verify(_:)`. If it is damaged, begin with a new seed.
      """)
    check(.store(.closed(path: "/data")), "The store /data was closed. Open it again.")
  }
}
