import CRepriseLMDB

/// A snapshot of the whole environment. It keeps every page that it sees from being reused, so it must be short: take
/// one per read, never keep one. It may end on another thread than it began on.
@frozen @usableFromInline package struct ReadTransaction: ~Copyable {
  @usableFromInline let transaction: OpaquePointer
  @usableFromInline let environment: Environment

  @usableFromInline init(_ transaction: OpaquePointer, _ environment: Environment) {
    self.transaction = transaction
    self.environment = environment
  }

  @inlinable deinit {
    environment.endRead(transaction)
  }

  /// The number of the last commit that this snapshot contains.
  @inlinable package var id: Int { mdb_txn_id(transaction) }

  @inlinable package var view: View {
    @_lifetime(borrow self) get { _overrideLifetime(View(unsafe: transaction, isSnapshot: true), borrowing: self) }
  }
}
