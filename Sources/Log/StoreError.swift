import RepriseObjectModel

/// The reason why a store could not be opened, read, written, maintained or closed.
///
/// An *opening* is `Store.open`, or `ready()` of a store from `Store.opening`. *Maintenance* is a static call that
/// needs a closed store, such as `StoreMaintenance.check`, `StoreMaintenance.compact`, `StoreMaintenance.rebuild`,
/// `StoreMaintenance.salvage` or `StoreMaintenance.erase`. Other error types contain a `StoreError` in their case
/// `store`.
@nonexhaustive
public enum StoreError: RepriseError {
  /// Neither the path nor the folder that contains it exists.
  ///
  /// Openings and maintenance throw it. Check the path. For a new store, create its parent folder first.
  case notFound(path: String)
  /// The path, or a part of it, is not a directory.
  ///
  /// Openings and maintenance throw it. Choose another path.
  case notADirectory(path: String)
  /// The user may not read or write there.
  ///
  /// Openings and maintenance throw it. Change the owner or the mode of the files.
  case permissionDenied(path: String)
  /// The file system is read-only, or the store was opened to inspect it.
  ///
  /// Openings and maintenance throw it, and so do saves to a store that was opened to inspect it. Move the store to
  /// another file system, or open it for editing.
  case readOnly(path: String)
  /// The files at the path are not a store.
  ///
  /// Openings and maintenance throw it. Check the path.
  case notAStore(path: String, reason: String)
  /// A newer version of the library wrote the store.
  ///
  /// Openings throw it, and maintenance other than `StoreMaintenance.salvage`. A save throws it if a newer version has
  /// divided texts of a search index into words. Update the library.
  case newerFormat(path: String, found: UInt32, supported: UInt32)
  /// A version of the library before 0.1 made the store, and only that version can read it.
  ///
  /// Openings and maintenance throw it. Start with a new store.
  case prereleaseFormat(path: String)
  /// Another version of the library sorted the indexes, so this one would find wrong rows.
  ///
  /// Openings throw it. Call ``StoreMaintenance/rebuild(_:acceptingLoss:)``, which sorts the indexes again.
  case collationVersionMismatch(path: String, found: UInt32, supported: UInt32)
  /// Another program has sorted the indexes in the order of this locale with another version of ICU, or this program
  /// does not know the order. So this program would find wrong rows.
  ///
  /// Reads and saves throw it. Close the store and open it again, which sorts the indexes again.
  case localeVersionMismatch(path: String, locale: String)
  /// The file is shorter than its header says.
  ///
  /// Openings and maintenance throw it. Restore a backup, or call `StoreMaintenance.salvage`.
  case fileTruncated(path: String, expected: Int, found: Int)
  /// The log ends with transaction `last`, although `saved` was the last one saved. The objects may still exist.
  ///
  /// Openings and saves throw it, and so does `StoreMaintenance.rebuild` without `acceptingLoss`. Do not write to the
  /// store. Restore a backup, or let ``StoreMaintenance/rebuild(_:acceptingLoss:)`` restore the state at `last`.
  case transactionsLost(path: String, last: Position, saved: Position)
  /// The call needs a transaction that ``TransactionLog/retain(_:progress:)`` has dropped. The log begins with
  /// `firstPosition`.
  ///
  /// Calls that read the past throw it, such as `Store.context(at:)`, `TransactionLog.difference` and
  /// `RootContext.revert`. Use a later position, or an older backup.
  case truncated(path: String, position: Position, firstPosition: Position)
  /// The log lacks the transaction of a position or a ``LogToken``. The store was restored from an older backup, or the
  /// token is from another store.
  ///
  /// Calls that take positions or tokens throw it, and so does the feed of transactions. `token` is the position, and
  /// `head` the position of the last transaction. Read the present state, and continue with its `headToken()`.
  case otherLog(path: String, token: Position, head: Position)
  /// Bytes in the store are damaged.
  ///
  /// Calls that read the files throw it, except `StoreMaintenance.check` and `StoreMaintenance.verify`, which report
  /// the damage. Call ``StoreMaintenance/rebuild(_:acceptingLoss:)``. If that fails, call `StoreMaintenance.salvage`,
  /// or restore a backup.
  case damaged(path: String, reason: String)
  /// A file of the store was deleted or replaced while this process had it open.
  ///
  /// Saves, `refresh()` and feeds throw it. Other reads continue until the store is closed. If `file` is `.lock`, close
  /// the store in all processes, then open it again. Otherwise copy the data that you need, then restore a backup.
  case deleted(path: String, file: StoreFile)
  /// The content of the store's file was replaced while this process had it open, for example by copying a backup.
  ///
  /// Reads and saves throw it. Close the store in all processes, then open it again. If the file becomes shorter, the
  /// process can end with `SIGBUS` instead. So close the store first, or rename the other file to `data.mdb`.
  case replaced(path: String)
  /// The disk is full, or a size limit of the process or the file system is reached. Nothing was lost.
  ///
  /// All calls that write throw it. Free some space or raise the limit, then try again.
  case diskFull(path: String)
  /// The operating system reported a failure that no other case describes. `code` is its `errno`, or 0 if there is
  /// none.
  ///
  /// Every call that uses the files may throw it. Check the disk, the free memory and the limits of the process, then
  /// try again.
  case system(path: String, operation: String, code: Int32, message: String)
  /// This process can no longer use the file of the store. Most likely the disk failed in the last write of a commit,
  /// which may or may not be in the file.
  ///
  /// The call that made the commit throws it, and later calls may throw it, too. A save throws
  /// ``SaveError/outcomeUnknown(transaction:)`` instead. Close the store and open it again, then repeat the call. For
  /// calls other than saves, the result is the same whether or not the commit is in the file.
  case unusable(path: String, reason: String)
  /// The models contradict each other.
  ///
  /// Openings throw it. Correct the declaration that the ``SchemaError`` names.
  case schema(SchemaError)
  /// The store has objects of entities without a model in this program.
  ///
  /// Openings throw it, and reads and saves of such objects. Open the store with those models, too.
  case missingModels([String], given: [String])
  /// A property is stored with another type than the model declares, or as a relationship of another kind.
  ///
  /// Openings throw it. Reads and saves throw it if a newer program has changed the type meanwhile. Let a migration
  /// convert the attribute (``AttributeConversion``), or restore the old declaration. A relationship of another
  /// kind needs another name.
  case incompatible(entity: String, property: String, stored: String, model: String)
  /// The store has a property, an index or an entity that no model names, and it was opened with `isStrict`.
  ///
  /// Openings throw it. Declare the former name with `was:`, or open the store without `isStrict`.
  case notInModels([SchemaWarning])
  /// The models have a property or an entity that the store lacks. The store has one of the same type that no model
  /// names, or that a mapping leaves behind. So the program may have renamed the old one to the new one.
  ///
  /// Openings throw it. Declare the rename with `was:`, or list it in the migration (``Rename``). If it is not a
  /// rename, let a migration remove the old one, or open the store with `checksRenames: false`.
  case possibleRenames([PossibleRename])
  /// A migration did not begin, did not end, or has excluded this program.
  ///
  /// Openings throw it. Reads and saves throw it if another process has migrated the store meanwhile. The
  /// ``MigrationError`` says how to recover.
  case migration(MigrationError)
  /// The models declare a former name, and the store has both names for two different properties or entities.
  /// `property` is `nil` if the name is the model's own.
  ///
  /// Openings throw it. Remove the former name, or give the old property another name with `was:`.
  case ambiguousRename(entity: String, property: String?, was: [String])
  /// A newer program renamed a property or an entity of these models to `now`, and gave the old name to a different
  /// one. `entity` is `nil` if the name is an entity's.
  ///
  /// Openings throw it. Saves throw it if that happens while the store is open. Update this program.
  case renamedByNewerProgram(String, entity: String?, now: String)
  /// Objects of the store break rules that are new in the models. These are the first ones.
  ///
  /// Openings and `waitForIndexes()` throw it. The store does not have the rule, and is unchanged, except for a
  /// finished migration. Open it with models without the rule, then change or delete these objects.
  case violations([RuleViolation])
  /// The stored value of an attribute is not valid for its type in the model. It is a number out of range or a raw
  /// value without a case. Or it is missing, because another version of the model has made the attribute optional.
  ///
  /// `ObjectContext.readErrors` and ``SaveError/unreadable(_:)`` have it. Open the store with a model that can hold the
  /// value, or assign another value after `refresh()`.
  case unreadableValue(object: AnyObjectID, property: String, value: PropertyValue, type: AttributeType)
  /// The store is already open in this process, with other models.
  ///
  /// Openings throw it. Use that store, or close it first.
  case alreadyOpenWithOtherModels(path: String)
  /// The store is open in this process.
  ///
  /// Maintenance throws it. Close the store first.
  case inUse(path: String)
  /// The store is open in another process.
  ///
  /// Maintenance throws it. Close the store there first.
  case inUseElsewhere(path: String)
  /// Another process with the same process ID has the store open.
  ///
  /// Openings throw it. LMDB tells processes apart by their IDs, and two containers may both give their first process
  /// the ID 1. Let the containers share one namespace of process IDs.
  case sameProcessID(path: String, process: Int32)
  /// Another process has held the write lock, and has shown no sign of life for `seconds`. Most likely it is stopped.
  ///
  /// Openings, and all calls that write, throw it. `process` is its ID and `thread` the ID of its writing thread, as
  /// far as the system reports them. A save has changed nothing, and its changes are pending. The next opening
  /// continues where this one stopped. Let that process continue, or end it, then try again.
  case writerBusy(path: String, process: Int32?, thread: Int32?, seconds: Int)
  /// The process was forked after it opened the store.
  ///
  /// In the child process, calls that use the files throw it. Open the store in the child process itself.
  case forked(path: String)
  /// Too many processes or threads are reading at once.
  ///
  /// Openings and reads throw it. Close some of the processes that use the store.
  case tooManyReaders(path: String)
  /// The task was cancelled while the library read the log for it.
  ///
  /// Fetches in the past throw it as `FetchError.cancelled`. Nothing has changed. Read again in another task.
  case cancelled(path: String)
  /// The store is not open yet.
  ///
  /// Calls of a store from `Store.opening` throw it. Wait for ``Store/ready()``, then try again.
  case opening(path: String)
  /// The store was closed.
  ///
  /// Calls that need an open store throw it, and so does `ready()`. Open the store again.
  case closed(path: String)
  /// The store shares its log with other machines, and this call would change it without them.
  ///
  /// Openings without a shared log throw it. So do saves and reads if another program has begun to share the store
  /// meanwhile, migrations, and maintenance that changes the store. Open the store with `Store.open(_:for:sharing:)`.
  case sharesLog(path: String)
  /// The store cannot share its log, or cannot follow its shared log any more. `reason` is a `SharedLogError` of
  /// `RepriseSharing`, and has the next step.
  ///
  /// Openings with a shared log throw it, and saves.
  case sharing(path: String, reason: any Error)
  /// The journal of uncommitted edits and screens could not be read or written.
  ///
  /// Calls about drafts and archives throw it. The reason says how to recover.
  case journal(path: String, reason: String)
}
