import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The reason why a packet was not read or not applied. Nothing was written.
@nonexhaustive
public enum PacketError: RepriseError {
  /// The bytes are not a whole packet, or a blob in it has another digest.
  ///
  /// ``LogPacket/init(bytes:)`` throws it. The status of a shared store has it. Read the packet again.
  case damaged(reason: String)
  /// A later version of the library made the packet.
  ///
  /// ``LogPacket/init(bytes:)`` throws it. Update the library in all programs that share the log before one of them
  /// writes the new form.
  case newerForm(UInt8)
  /// The shared log cannot keep a packet of this size, so the packet is not in it.
  ///
  /// Transports throw it, and saves. Save fewer or smaller values in one transaction.
  case tooLarge(bytes: Int)
  /// The packet belongs to another log than the store.
  ///
  /// The status of a shared store has it. Check the name of the shared log.
  case otherLog(found: UniqueID, expected: UniqueID)
  /// Another packet must come before this one. So the shared log has lost packets, or the store has another history.
  ///
  /// The status of a shared store has it. Call `StoreMaintenance.reseed`.
  case otherPredecessor(found: UniqueID?, expected: UniqueID?)
  /// The packet begins with another transaction than the next one of the store.
  ///
  /// The status of a shared store has it. Call `StoreMaintenance.reseed`.
  case otherPosition(found: Position, expected: Position)
  /// The hash of a transaction does not follow from its content and the transaction before it.
  ///
  /// The status of a shared store has it. Verify the store, and call `StoreMaintenance.reseed` if it is damaged.
  case otherHash(Position)
  /// The events of a transaction do not fit the objects of the store. So the packet or the store is damaged.
  ///
  /// The status of a shared store has it. Verify the store, and call `StoreMaintenance.reseed` if it is damaged.
  case cannotApply(Position, reason: String)
  /// The store could not be read or written.
  ///
  /// The status of a shared store has it. The `StoreError` has the next step.
  case store(StoreError)
}

extension PacketError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .damaged(let reason):
      "A packet of the shared log is damaged: \(reason). Read it again. If it stays damaged, restore the shared log."
    case .newerForm(let form):
      "A packet of the shared log has the form \(form), and Reprise \(RepriseVersion.current) reads the form "
        + "\(PacketHead.form). Update Reprise in this program."
    case .tooLarge(let bytes):
      "The shared log cannot keep a packet of \(bytes) bytes, so it was not saved. Save fewer or smaller values in one "
        + "transaction."
    case .otherLog(let found, let expected):
      "The packet belongs to the log \(found), and the store to the log \(expected). Check the name of the shared log."
    case .otherPredecessor(let found, let expected):
      "The packet follows \(found.map { "the packet \($0)" } ?? "no packet"), and the last one in the store is "
        + "\(expected.map { "\($0)" } ?? "none"). The shared log was set back, or has another history. Call "
        + "`StoreMaintenance.reseed(_:from:)`."
    case .otherPosition(let found, let expected):
      "The packet begins with transaction \(found), and the next one of the store is \(expected). Call "
        + "`StoreMaintenance.reseed(_:from:)`."
    case .otherHash(let position):
      "The hash of transaction \(position) of the shared log does not match its content and the transaction before it. "
        + "Verify the store with `StoreMaintenance.verify(_:)`. If it is damaged, call "
        + "`StoreMaintenance.reseed(_:from:)`."
    case .cannotApply(let position, let reason):
      "Transaction \(position) of the shared log does not fit this store: \(reason). Verify the store with "
        + "`StoreMaintenance.verify(_:)`. If it is damaged, call `StoreMaintenance.reseed(_:from:)`."
    case .store(let error): error.description
    }
  }
}

extension PacketError: StorageErrorConvertible {
  @usableFromInline package init(_ error: StorageError) { self = .store(StoreError(error)) }

  static func reading<Result>(_ body: () throws(MalformedBytes) -> Result) throws(PacketError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw .damaged(reason: "it lacks \(error.expected)") }
  }
}
