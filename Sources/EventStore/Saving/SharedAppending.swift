import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Appends the transactions of a store to the log that it shares with other machines.
///
/// A writer *rehearses* its transactions: it writes them in an LMDB transaction, makes a packet of them, and aborts the
/// LMDB transaction. Then it appends the packet to the shared log, without holding any lock. Once the shared log has
/// the packet, the store applies it.
package protocol SharedAppending: AnyObject, Sendable {
  /// Makes a packet of rehearsed transactions, from the given one to the end of the log in this LMDB transaction.
  ///
  /// - Parameters:
  ///   - derivations: The versions of the computations that this program has, by the number of the derived attribute.
  ///   - drafts: The drafts whose edits are in the transactions.
  ///   - journals: The journals that may have these edits.
  func packet(
    from first: Position, derivations: [UInt32: UInt32], consuming drafts: [FrozenDraft], in journals: [UniqueID],
    _ view: View
  ) throws(StorageError) -> any RehearsedPacket

  /// Calls ``rehearse(_:_:by:unless:_:)``. A requirement, so that only programs that share a log link its code.
  func write<Value>(
    _ environment: Environment, _ tables: StoreTables, by models: ResolvedSchema,
    unless isCancelled: (_ milliseconds: Int) -> Bool,
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value
}

/// A packet of rehearsed transactions.
package protocol RehearsedPacket: Sendable {
  /// Appends the packet to the shared log, and applies it to the store. Blocks the thread.
  func append() -> SharedAppend
}

/// The result of an append to a shared log.
package enum SharedAppend: Sendable {
  /// The shared log and the store have the packet. `nil` if another process has applied it to the store.
  case applied(LastCommit?)
  /// Other machines have saved in the meantime, and the store has their packets now. Rehearse again.
  case behind
  /// The packet is not in the shared log. A save throws the first error, an opening the second one.
  case refused(SaveError, opening: StoreError)
  /// The packet may or may not be in the shared log. An opening throws the error.
  case unknown(opening: StoreError)
}

extension SharedAppending {
  /// Runs `body` in a write transaction. If it appends nothing to the log, the transaction is committed. Otherwise the
  /// shared log gets the transactions first, and `body` runs again. So `body` must have nothing to append the second
  /// time.
  package func rehearse<Value>(
    _ environment: Environment, _ tables: StoreTables, by models: ResolvedSchema,
    unless isCancelled: (_ milliseconds: Int) -> Bool,
    _ body: (borrowing WriteTransaction) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let log = LogTable(tables.log)
    while true {
      let (result, packet) = try environment.write(unless: isCancelled) {
        (transaction) throws(StoreError) -> (Value, (any RehearsedPacket)?) in
        let before = try StoreError.converting { () throws(StorageError) in try log.lastPosition(transaction.view) }
        let result = try body(transaction)
        let schema = try StoreError.converting { () throws(StorageError) -> StoredSchema? in
          let isAppended = try log.lastPosition(transaction.view) > before
          return isAppended ? try MetaTable(tables.meta).schema(transaction.view) : nil
        }
        guard let schema else { return (result, nil) }
        let derivations = SchemaMap(try models.following(schema), schema).derivations
        return try StoreError.converting { () throws(StorageError) in
          (result, try self.packet(from: before + 1, derivations: derivations, consuming: [], in: [], transaction.view))
        }
      } committingIf: {
        $0.1 == nil
      }
      guard let packet else { return result }
      switch packet.append() {
      case .applied, .behind: continue
      case .refused(_, let error), .unknown(let error): throw error
      }
    }
  }
}

extension SchemaMap {
  /// The versions of the computations of derived attributes, by the number of the attribute.
  var derivations: [UInt32: UInt32] {
    var versions: [UInt32: UInt32] = [:]
    for map in all where map.entity.derives {
      for slot in map.entity.derivedSlots {
        versions[map.numbers[slot]] = map.entity.properties[slot].attribute?.derivation?.version
      }
    }
    return versions
  }
}
