import CRepriseLMDB

// A commit writes its after-image before LMDB writes its pages, and LMDB's flush makes both durable. So LMDB need not
// flush its meta page: the flush of the next commit does that. Until then, a power cut may take the meta page. The next
// opening repeats the commit from its after-image. Docs/Decisions/0073-one-flush.md explains why that is sound.
extension Environment {
  /// Whether commits have after-images.
  var recordsChanges: Bool { imagePlaces != nil && mappedFile != nil && !options.isUnflushed }

  var dataDescriptor: CInt {
    var descriptor: CInt = -1
    _ = mdb_env_get_fd(handle.pointer, &descriptor)
    return descriptor
  }

  // MARK: Commits

  /// Writes the after-image of a transaction that is about to commit. False if it has none, so that the commit must
  /// flush twice.
  ///
  /// - Throws: If the write fails. The transaction is aborted then.
  func writeAfterImage(of transaction: OpaquePointer) throws(StorageError) -> Bool {
    guard recordsChanges, let places = imagePlaces, let file = mappedFile, let start = file.knownStart else {
      return false
    }
    let commit = mdb_txn_id(transaction)
    guard file.has(places, start), let base = file.base(after: commit - 1, start),
      let image = writer.recorder.pointee.image(of: commit, base)
    else { return false }
    let code = places.write(image, of: commit, dataDescriptor)
    if code == 0 {
      counters.count(.afterImage)
      return true
    }
    // The system may have written it although it reported a failure.
    let isThere = file.commit(inPlaceOf: commit, places, start) == commit
    let isWithdrawn = !isThere || flushAgain(withdrawing: commit) == 0
    if !isWithdrawn { panicIfRepeatable(commit) }
    abort(transaction)
    if !isWithdrawn { throw .commitOutcomeUnknown(errno: code, site(.commit)) }
    throw Self.cutShort(StorageError(code: code, .commit, path: directory), directory)
  }

  /// Lets LMDB commit, with one flush if the transaction has an after-image. The flag is set only during this call. So
  /// a commit on any other path flushes twice.
  func commit(_ transaction: OpaquePointer, withAfterImage hasAfterImage: Bool) -> Int32 {
    guard hasAfterImage else { return mdb_txn_commit(transaction) }
    mdb_env_set_flags(handle.pointer, UInt32(MDB_NOMETASYNC), 1)
    defer { mdb_env_set_flags(handle.pointer, UInt32(MDB_NOMETASYNC), 0) }
    return mdb_txn_commit(transaction)
  }

  /// The after-image of a commit. `nil` if the commit has none, or a later one has overwritten it.
  package func afterImage(of commit: Int) throws(StorageError) -> AfterImage? {
    _ = try enter(.get, takesPooled: false)
    defer { leave() }
    guard let places = imagePlaces else {
      throw .damagedStructure("the only row of the table '\(ImagePlaces.table)' is missing or damaged", site(.get))
    }
    let image = AfterImage(try places.read(commit, dataDescriptor, directory))
    return image?.commit == commit ? image : nil
  }

  // MARK: Withdrawal

  /// Whether the place of a transaction's commit may have an after-image of this number. A process that died before its
  /// commit has left it. After a failed flush, only the disk may have it. It must be withdrawn, so that the commit does
  /// not return after a power cut.
  ///
  /// Otherwise the place has an after-image of the second commit before, which no opening needs.
  func hasDeadAfterImage(_ transaction: OpaquePointer) -> Bool {
    guard let places = imagePlaces else { return false }
    return writer.metaPagesAreForgotten.pointee || isInPlace(mdb_txn_id(transaction), places)
  }

  /// Whether the place of a commit seems to have the after-image of this commit. Called within a write transaction,
  /// which keeps the map in its place.
  func isInPlace(_ commit: Int, _ places: ImagePlaces) -> Bool {
    if let file = mappedFile, let start = file.knownStart {
      return file.commit(inPlaceOf: commit, places, start) == commit
    }
    return (try? places.read(commit, dataDescriptor, directory))?.number(at: 8, UInt64.self)
      == UInt64(commit).littleEndian
  }

  /// Lets this environment refuse all use if the next opening would repeat a failed commit: reads before and after it
  /// would differ.
  func panicIfRepeatable(_ commit: Int) {
    var information = MDB_envinfo()
    mdb_env_info(handle.pointer, &information)
    guard let places = imagePlaces, information.me_last_txnid < commit else { return }
    let place = try? places.read(commit, dataDescriptor, directory)
    if place == nil || place?.number(at: 8, UInt64.self) == UInt64(commit).littleEndian { panicked() }
  }

  /// Rewrites the meta pages after a failed commit of this process, and withdraws its after-image. False if the commit
  /// may have taken effect.
  ///
  /// Called within a later write transaction, which has changed nothing.
  ///
  /// - Parameter commit: The number of the commit, if it had an after-image.
  func isSettled(_ commit: Int?, _ transaction: OpaquePointer) -> Bool {
    guard let commit, let places = imagePlaces else {
      // If this fails, the next transaction repeats it.
      _ = flushAgain(withdrawing: nil)
      return true
    }
    if mdb_txn_id(transaction) == commit { return flushAgain(withdrawing: commit) == 0 }
    _ = flushAgain(withdrawing: nil)
    // Another process wrote meanwhile. If it committed once, it has withdrawn the after-image, unless it has repeated
    // the commit. If it committed more than once, the place does not show that any more.
    return mdb_txn_id(transaction) == commit + 1 && !isInPlace(commit, places)
  }
}
