import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// After a migration has begun, previous versions of the program cannot open the store. So a plan with several steps is
// rehearsed on a copy, which finds values that a later step cannot convert while the store is unchanged.

extension StoreOpener {
  /// Carries out the plan and the rest of the opening on a copy of the store, and removes the copy. Throws the error
  /// that the opening would throw.
  ///
  /// Costs as much time as the opening itself, and the disk space of the store.
  func rehearse(_ environment: Environment) throws(StoreError) {
    let folder = StoreDirectory.rehearsal(path)
    let (_, access) = try StoreDirectory.requireStore(path)
    StoreDirectory.removeRehearsal(path)
    defer { StoreDirectory.removeRehearsal(path) }
    guard mkdir(folder, access.directoryMode) == 0 else {
      throw StoreDirectory.failure(errno, path, "making the folder of a rehearsal")
    }
    let file = makeFile(folder + "/data.mdb", access.fileMode)
    guard file >= 0 else { throw StoreDirectory.failure(errno, path, "making a file") }
    do throws(StorageError) {
      defer { close(file) }
      try environment.copy(to: file).wait { _ in }
    } catch {
      throw StoreError(error.copying(to: path))
    }
    let copy = try Self.environment(folder, access, isUnflushed: true, checksStructure: false)
    defer { copy.close() }
    var options = options
    // Reports no progress, but ends if the opening is cancelled.
    options.run = OpeningRun(silently: run)
    let opener = StoreOpener(path: folder, models: models, options: options, isRehearsal: true)
    do throws(StoreError) {
      try opener.settle(copy: copy)
      try opener.checkRules(of: copy)
    } catch {
      throw error.of(path, insteadOf: folder)
    }
  }

  /// Removes the copy that a killed process left. If another process rehearses a plan now, it has the claim, and the
  /// copy stays.
  ///
  /// Only an opening that has to write calls it, because looking for the copy costs a system call.
  func removeLeftRehearsal() {
    guard StoreDirectory.hasRehearsal(path) else { return }
    let claim = WorkClaim(.migration, path: path + "/data.mdb")
    defer { claim.close() }
    if (try? claim.take()) == true { StoreDirectory.removeRehearsal(path) }
  }

  /// Throws the first objects that break a rule that the store had before. Mappings write without checking these rules.
  private func checkRules(of copy: Environment) throws(StoreError) {
    let tables = StoreTables(copy)
    try copy.read { (transaction) throws(StoreError) in
      let view = transaction.view
      let schema = try StoreError.converting { () throws(StorageError) in try MetaTable(tables.meta).schema(view) }
      let unique = schema.entities.flatMap { entity in
        entity.properties.filter { $0.role.uniqueness > .none }.map { (entity: entity, property: $0) }
      }
      try checkUniqueness(of: unique, tables, view)
    }
  }
}

extension StoreError {
  /// The same error with another path.
  fileprivate func of(_ path: String, insteadOf other: String) -> StoreError {
    switch self {
    case .diskFull(other): .diskFull(path: path)
    case .migration(.cancelled(path: other)): .migration(.cancelled(path: path))
    default: self
    }
  }
}

/// The descriptor of a new file; negative if it cannot be made.
private func makeFile(_ path: String, _ mode: mode_t) -> Int32 {
  let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
  return open(path, flags, mode)
}
