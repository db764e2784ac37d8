import Reprise
import RepriseSharing
import XCTest

/// A message that does not say what to do leaves a server behind for good.
final class SharingErrorTextTests: ErrorTextTestCase {
  private let one = UniqueID(high: 1, low: 2)
  private let two = UniqueID(high: 3, low: 4)

  /// Not what alerts show: these errors belong to servers, and do not need Foundation.
  private func check(_ error: some RepriseError, _ text: String, named name: String? = nil, line: UInt = #line) {
    check("\(error)", text, named: name ?? Mirror(reflecting: error).children.first?.label, line: line)
  }

  func testPacketErrors() throws {
    check(
      PacketError.damaged(reason: "it lacks a matching checksum"),
      """
      A packet of the shared log is damaged: it lacks a matching checksum. Read it again. If it stays damaged, restore \
      the shared log.
      """)
    check(
      PacketError.newerForm(2),
      """
      A packet of the shared log has the form 2, and Reprise \(RepriseVersion.current) reads the form 1. Update \
      Reprise in this program.
      """)
    check(
      PacketError.otherLog(found: one, expected: two),
      """
      The packet belongs to the log 00000000-0000-0001-0000-000000000002, and the store to the log \
      00000000-0000-0003-0000-000000000004. Check the name of the shared log.
      """)
    check(
      PacketError.otherPredecessor(found: one, expected: two),
      """
      The packet follows the packet 00000000-0000-0001-0000-000000000002, and the last one in the store is \
      00000000-0000-0003-0000-000000000004. The shared log was set back, or has another history. \
      Call `StoreMaintenance.reseed(_:from:)`.
      """)
    check(
      PacketError.otherPredecessor(found: nil, expected: nil),
      """
      The packet follows no packet, and the last one in the store is none. The shared log was set back, or has \
      another history. Call `StoreMaintenance.reseed(_:from:)`.
      """)
    check(
      PacketError.otherPosition(found: 9, expected: 8),
      """
      The packet begins with transaction 9, and the next one of the store is 8. Call \
      `StoreMaintenance.reseed(_:from:)`.
      """)
    check(
      PacketError.otherHash(9),
      """
      The hash of transaction 9 of the shared log does not match its content and the transaction before it. Verify the \
      store with `StoreMaintenance.verify(_:)`. If it is damaged, call `StoreMaintenance.reseed(_:from:)`.
      """)
    check(
      PacketError.cannotApply(9, reason: "the log changes the object 7, which does not exist"),
      """
      Transaction 9 of the shared log does not fit this store: the log changes the object 7, which does not exist. \
      Verify the store with `StoreMaintenance.verify(_:)`. If it is damaged, call `StoreMaintenance.reseed(_:from:)`.
      """)
    check(PacketError.store(.closed(path: "/data")), "The store /data was closed. Open it again.")
    check(
      PacketError.tooLarge(bytes: 9_000),
      """
      The shared log cannot keep a packet of 9000 bytes, so it was not saved. Save fewer or smaller values in one \
      transaction.
      """)
    try assertEveryCaseWasChecked(of: "PacketError")
  }

  func testSharedLogErrors() throws {
    check(
      SharedLogError.rolledBack,
      """
      The shared log has other transactions than this store. Somebody may have restored a backup of the shared log. \
      Give the store a new seed with `StoreMaintenance.reseed(_:from:)`.
      """, named: "rolledBack")
    check(
      SharedLogError.released,
      """
      The shared log has dropped transactions that this store lacks. Give the store a new seed with \
      `StoreMaintenance.reseed(_:from:)`.
      """, named: "released")
    check(
      SharedLogError.exists,
      """
      Other stores share this log already, and this store has other transactions. Begin with a seed, as one of them \
      makes it with `StoreMaintenance.makeSeed(of:at:)`.
      """, named: "exists")
    check(
      SharedLogError.notShared, "The store has its log alone. Open it with `Store.open(_:for:sharing:)` first.",
      named: "notShared")
    check(
      SharedLogError.unfinished(work: "indexes of the store are being built"),
      """
      There is unfinished work: indexes of the store are being built. Open the store without a shared log, and wait \
      until this is done.
      """)
    check(
      SharedLogError.unavailable(reason: "it did not answer in time"),
      """
      The shared log could not be reached: it did not answer in time. Check its servers and the network, then try again.
      """)
    check(SharedLogError.packet(.store(.closed(path: "/data"))), "The store /data was closed. Open it again.")
    check(
      SharedLogError.unfinished(work: "a migration of the store is under way"),
      """
      There is unfinished work: a migration of the store is under way. Open the store without a shared log, and wait \
      until this is done.
      """)
    check(
      SharedLogError.closed, "No store is open with this shared log. Open the store first.", named: "closed")
    try assertEveryCaseWasChecked(of: "SharedLogError")
  }
}
