import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// After a power cut, the last commit may be missing, and only its after-image is there. A kill can leave an after-image
// too. The next opening repeats the commit. It must do so before anybody writes: a writer takes an after-image after
// the head for one of a process that died meanwhile.
extension Environment {
  /// Repeats the commit after the head, if its after-image is there. Called once, by the opening.
  ///
  /// If another process has the lock for writing, it is making the commit or repeats it. The call waits for it, but
  /// only briefly, because that process may be stopped. If the commit is still missing when this process writes, it
  /// repeats the commit first.
  ///
  /// - Throws: `tableMissing` if the options do not let the opening write.
  func repeatInterruptedCommit() throws(StorageError) {
    guard !options.readOnly, let places = imagePlaces else { return }
    var patience = Backoff(milliseconds: 100)
    // A power cut may leave the after-image of the next commit, too.
    while case let commit = try lastCommit() + 1, try interruptedCommit(commit, places) != nil {
      writer.interruptedCommit.pointee = commit
      // The repetition of a forged after-image may change nothing. Then LMDB commits nothing.
      guard try repeatWhenUnlocked(commit, &patience), try lastCommit() >= commit else { return }
    }
  }

  /// False if another process has made the commit, or still has the lock for writing.
  private func repeatWhenUnlocked(_ commit: Int, _ patience: inout Backoff) throws(StorageError) -> Bool {
    while try lastCommit() < commit {
      // A writer moves the head before it releases the lock.
      if sighting == nil, try lastCommit() < commit {
        // The commit takes time, as making tables does.
        if !options.makesTables { throw .tableMissing(name: ImagePlaces.table, site(.openTables)) }
        if try repeatUnlessLocked(commit) { return true }
      }
      if !patience.wait() { return false }
    }
    return false
  }

  private func lastCommit() throws(StorageError) -> Int {
    try read { (snapshot) throws(StorageError) in snapshot.id }
  }

  /// False if another process writes.
  private func repeatUnlessLocked(_ commit: Int) throws(StorageError) -> Bool {
    var writerWait = WriterWait(milliseconds: 0)
    do throws(StorageError) {
      try lockWriter(&writerWait) { _ in false }
      defer { writer.unlock() }
      try repeatCommit(commit, &writerWait) { _ in false }
      return true
    } catch {
      guard case .writerBusy = error else { throw error }
      return false
    }
  }

  /// Whether a transaction is about to make a commit that the opening could not repeat.
  func mustRepeat(_ transaction: OpaquePointer) -> Bool {
    guard let places = imagePlaces, writer.interruptedCommit.pointee == mdb_txn_id(transaction) else { return false }
    return isInPlace(writer.interruptedCommit.pointee, places)
  }

  /// Repeats a commit with two flushes, unless another process has done so. Called with this process's lock for
  /// writing.
  func repeatCommit(
    _ commit: Int, _ writerWait: inout WriterWait, unless isCancelled: (Int) -> Bool
  ) throws(StorageError) {
    guard let places = imagePlaces else { return }
    while true {
      let transaction = try beginWrite(&writerWait, unless: isCancelled, isRepetition: true)
      var image: AfterImage?
      do throws(StorageError) {
        if mdb_txn_id(transaction) == commit { image = try interruptedCommit(commit, places) }
        try image?.apply(to: WriteTransaction(transaction, failure: writer.failure), directory)
      } catch {
        abort(transaction)
        guard case .mapFull = error else { throw error }
        try growMap()
        continue
      }
      if image == nil {
        abort(transaction)
        break
      }
      if try self.commit(transaction, isRepetition: true) {
        counters.count(.repetition)
        break
      }
      try growMap()
    }
    writer.interruptedCommit.pointee = 0
  }

  /// The after-image of the commit after the head.
  private func interruptedCommit(_ commit: Int, _ places: ImagePlaces) throws(StorageError) -> AfterImage? {
    let file = try DataFile(sharing: dataDescriptor, directory)
    guard let image = AfterImage(try file.read(at: places.place(of: commit), count: ImagePlaces.room)),
      image.commit == commit, image.base == (try AfterImageBase(file, after: commit - 1))
    else { return nil }
    return image
  }
}

extension AfterImage {
  /// Puts and deletes its rows.
  func apply(to transaction: borrowing WriteTransaction, _ directory: String) throws(StorageError) {
    var handles: [Table] = []
    for name in tables {
      var dbi: MDB_dbi = 0
      let code = mdb_dbi_open(transaction.transaction, name, 0, &dbi)
      if code == MDB_NOTFOUND { throw .damage(missingTable: name, StorageError.Site(.openTables, directory)) }
      if code != MDB_SUCCESS { throw StorageError(code: code, .openTables, path: directory) }
      handles.append(Table(name: name, path: directory, dbi: dbi))
    }
    for change in changes {
      let table = handles[change.table]
      let key = bytes.span.bytes.extracting(change.key)
      switch change.kind {
      case .put: try transaction.put(table, key: key, value: bytes.span.bytes.extracting(change.value))
      case .delete: try transaction.delete(table, key: key)
      case .removeAll: try transaction.removeAll(table)
      case .table: break
      }
    }
  }
}
