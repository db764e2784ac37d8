import RepriseObjectModel

/// Why a store could not be opened, read, written or closed.
public enum StoreError: RepriseError {
  /// Neither the path nor the folder that contains it exists.
  case notFound(path: String)
  /// The path, or a part of it, is not a directory.
  case notADirectory(path: String)
  /// The user lacks the permission to read or write there.
  case permissionDenied(path: String)
  /// The file system is read-only.
  case readOnly(path: String)
  /// The files at the path are not a store.
  case notAStore(path: String, reason: String)
  /// The store was written by a newer version of the library.
  case newerFormat(path: String, found: UInt32, supported: UInt32)
  /// The store was made by a version of the library before 0.1, which can still read it.
  case prereleaseFormat(path: String)
  /// The indexes of the store have the sort order of another version of the library, so this one would find wrong rows.
  /// ``Store/rebuild(_:acceptingLoss:)`` sorts them again.
  case collationVersionMismatch(path: String, found: UInt32, supported: UInt32)
  /// Another program has sorted the indexes in the order of this locale, and its order is of another version of ICU, or
  /// is not known here: this one would find wrong rows. Close the store and open it again, which sorts them anew.
  case localeVersionMismatch(path: String, locale: String)
  /// The file is shorter than its header says.
  case fileTruncated(path: String, expected: Int, found: Int)
  /// The log ends with transaction `last`, although `saved` was the last one saved. Transactions are lost; the objects
  /// may still exist. `rebuild(_:acceptingLoss:)` of ``Store`` restores their state at `last`.
  case transactionsLost(path: String, last: Position, saved: Position)
  /// What was asked for needs a transaction that ``Store/retain(_:progress:)`` has dropped: the log begins with
  /// `firstPosition`.
  case truncated(path: String, position: Position, firstPosition: Position)
  /// The log does not have the transaction that a ``LogToken`` names: the store was restored from an older backup, or
  /// the token is of another store. `token` is the token's position, and `head` that of the last transaction.
  case otherLog(path: String, token: Position, head: Position)
  /// Bytes in the store are damaged.
  case damaged(path: String, reason: String)
  /// A file of the store, `data.mdb` or `lock.mdb`, was deleted or replaced while this process had it open. The store
  /// can still be read here until it is closed, and cannot be written.
  case deleted(path: String, file: String)
  /// The content of the store's file was replaced while this process had it open, as by copying a backup over it. The
  /// store can neither be read nor written here until it is closed and opened again.
  case replaced(path: String)
  /// The disk is full. Nothing was lost.
  case diskFull(path: String)
  /// Another failure reported by the operating system.
  case system(path: String, operation: String, code: Int32, message: String)
  /// The models contradict each other.
  case schema(SchemaError)
  /// The store holds entities for which no model was given.
  case missingModels([String], given: [String])
  /// A stored property and the model's differ: an attribute has another type, or is not optional any more, which takes
  /// a conversion; or a relationship is of another kind.
  case incompatible(entity: String, property: String, stored: String, model: String)
  /// The store has something that no model names, and was to be opened strictly.
  case notInModels([SchemaWarning])
  /// Something of the models is new to the store, and something of the same type is in no model any more, or a mapping
  /// leaves it behind. Declare the rename with `was:`, or list it in the migration (``Rename``); or let a migration
  /// remove the old one; or open the store with `checksRenames: false`.
  case possibleRenames([PossibleRename])
  /// A migration did not begin, did not end, or has left this program behind.
  case migration(MigrationError)
  /// The models give a former name of something, and the store has both names for two different things. The property is
  /// `nil` if it is the model's own name.
  case ambiguousRename(entity: String, property: String?, was: [String])
  /// A newer program gave a name to something else: what these models mean by it has another one now. The entity is
  /// `nil` if the name is that of an entity.
  case renamedByNewerProgram(String, entity: String?, now: String)
  /// Objects of the store break rules that the models declare and the store did not have yet; these are the first ones.
  /// The store does not have the rule, and can be opened with models without it. It is as it was, unless a migration
  /// made the values, or others saved them during one: then that is done.
  case violations([RuleViolation])
  /// The stored value of an attribute is not valid for its type in the model: a number out of range, a raw value
  /// without a case, or no value of an attribute that another version of the model has made optional.
  case unreadableValue(object: AnyObjectID, property: String, value: PropertyValue, type: AttributeType)
  /// The store is already open in this process, with other models or another durability.
  case alreadyOpenWithOtherOptions(path: String)
  /// The store is open in this process, which this operation does not allow.
  case inUse(path: String)
  /// The store is open in another process, which this operation does not allow.
  case inUseElsewhere(path: String)
  /// Another process with the same process ID has the store open. Two containers give their first process the ID 1, and
  /// LMDB tells processes apart by their IDs.
  case sameProcessID(path: String, process: Int32)
  /// Another process has been writing to the store, making it, migrating it or building its indexes, and has shown no
  /// sign of life for `seconds`: most likely it is stopped. `process` is its ID and `thread` the ID of its writing
  /// thread, as far as the system tells them. A save that throws this has changed nothing, and its changes are pending;
  /// an opening goes on later from where it was. Let that process go on, or end it, and try again.
  case writerBusy(path: String, process: Int32?, thread: Int32?, seconds: Int)
  /// The process was forked after the store was opened.
  case forked(path: String)
  /// Too many processes or threads are reading at once.
  case tooManyReaders(path: String)
  /// The store is not open yet: see ``Store/ready()``.
  case opening(path: String)
  /// The store was closed.
  case closed(path: String)
  /// The journal of uncommitted edits and screens could not be read or written; the reason says what to do.
  case journal(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  /// What happened, where, and what to do next.
  public var description: String {
    switch self {
    case .notFound(let path): "There is no \(path). Check the path; for a new store, make its parent folder first."
    case .notADirectory(let path): "\(path) is not a directory, and a store is one. Choose another path."
    case .permissionDenied(let path): "This user may not read and write \(path). Change its owner or mode."
    case .readOnly(let path): "\(path) is on a read-only file system. Move the store to one that can be written."
    case .notAStore(let path, let reason): "\(path) is not a Reprise store: \(reason). Check the path."
    case .newerFormat(let path, let found, let supported):
      "\(path) has format \(found); this library reads up to \(supported). Update the library."
    case .prereleaseFormat(let path):
      "\(path) was made by a version of Reprise before 0.1. That version can still read it. Start with a new store."
    case .collationVersionMismatch(let path, let found, let supported):
      "The indexes of \(path) have order \(found), and this library sorts in order \(supported). Rebuild the store, or "
        + "open it with the version of the library that wrote it."
    case .localeVersionMismatch(let path, let locale):
      "The indexes of \(path) in the order of '\(locale)' were sorted by a program with another version of ICU. Close "
        + "the store and open it again, which sorts them anew. Programs that have it open at once need one version."
    case .fileTruncated(let path, let expected, let found):
      "\(path) has \(found) bytes where its pages need \(expected). Restore it from a backup, or let "
        + "`Store.salvage(_:to:)` make a new store of what is left."
    case .transactionsLost(let path, let last, let saved):
      "The log of \(path) ends with transaction \(last), and the last one that was saved is \(saved). Do not write to "
        + "it; restore it from a backup. `Store.rebuild(_:acceptingLoss:)` makes the older state that the log has."
    case .truncated(let path, let position, let first):
      "The log of \(path) begins with transaction \(first): what was before it was dropped, transaction \(position) as "
        + "well. Ask for a position from \(first) on; a backup from before may have the others."
    case .otherLog(let path, let token, let head):
      "Transaction \(token) of the token is not in the log of \(path), which ends with transaction \(head). The store "
        + "was restored from an older backup, or the token is of another store. Begin with what the store has now, and "
        + "go on from its `headToken()`."
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). "
        + "`Store.rebuild(_:)` makes it anew from its log; if that cannot, `Store.salvage(_:to:)` makes a new store of "
        + "what is left."
    case .deleted(let path, "lock.mdb"):
      "\(path)/lock.mdb was deleted or replaced while the store was open. Nothing was written. Close the store in all "
        + "processes, then open it again. Never delete or move lock.mdb while a process has the store open."
    case .deleted(let path, let file):
      "\(path)/\(file) was deleted or replaced while the store was open. Copy what you need out of the store before "
        + "you close it, then restore a backup."
    case .replaced(let path):
      "The content of \(path)/data.mdb was replaced while the store was open. Nothing was written. Close the store in "
        + "all processes, then open it again. Restore a backup only while no process has the store open."
    case .diskFull(let path): "The disk of \(path) is full. Nothing was lost. Free some space and try again."
    case .system(let path, let operation, let code, let message):
      "The operation '\(operation)' failed on \(path): \(message) (\(code)). See the system's log."
    case .schema(let error): "The models do not fit together. \(error)"
    case .missingModels(let missing, let given):
      "The store has objects of \(missing.joined(separator: ", ")), for which no model was given "
        + "(given: \(given.joined(separator: ", "))). Open it with those models too."
    case .incompatible(let entity, let property, let stored, let model):
      "\(entity).\(property) is stored as \(stored), and the model says \(model). Let a migration convert an "
        + "attribute (`AttributeConversion`); give a relationship of another kind a name of its own; or restore the "
        + "old declaration."
    case .migration(let error): error.description
    case .notInModels(let warnings):
      "\(warnings.prefix(3).map(\.fact).joined(separator: " "))\(warnings.count > 3 ? " …" : "") If something was "
        + "renamed, say so with `was:`; if it is left out on purpose, open the store without `isStrict`."
    case .possibleRenames(let renames):
      "\(renames.prefix(3).map(\.description).joined(separator: " "))\(renames.count > 3 ? " …" : "") Nothing was "
        + "changed. If the old one is left out on purpose, let a migration remove it, or open the store with "
        + "`checksRenames: false`."
    case .ambiguousRename(let entity, let property, let was):
      "\(property.map { "\(entity).\($0)" } ?? entity) is in the store already, and so is "
        + "\(was.map { "'\($0)'" }.joined(separator: " or ")), which the models call its former name. Leave the former "
        + "name out, or give the old one a name of its own with `was:`."
    case .renamedByNewerProgram(let name, let entity, let now):
      "What was \(entity.map { "\($0).\(name)" } ?? "'\(name)'") is '\(now)' now, and '\(name)' is something else. "
        + "Update this program; or, if its models know of both, declare '\(now)' with `was: \"\(name)\"`."
    case .violations(let violations):
      "Objects of the store break a rule that is new in the models: \(RuleViolation.list(violations)). The store "
        + "does not have the rule. Open it with models without it, and change or delete these objects."
    case .unreadableValue(let object, let property, let value, let type):
      "\(object).\(property) holds \(value.text(as: type.type)), which \(type), its type in the model, cannot hold. "
        + "Open the store with a model that can; or assign another value, after refresh() and before this one is read."
    case .alreadyOpenWithOtherOptions(let path):
      "\(path) is open in this process with other models or another durability. Use that store, or close it first."
    case .inUse(let path): "\(path) is open in this process. Close it first."
    case .inUseElsewhere(let path): "\(path) is open in another process. Close it there first."
    case .sameProcessID(let path, let process):
      "Another process with the process ID \(process) has \(path) open, probably in another container. Processes that "
        + "share a store need different IDs. Let the containers share one PID namespace (Kubernetes: "
        + "`shareProcessNamespace: true`; Docker: `--pid`), or open the store in one process only."
    case .writerBusy(let path, let process, let thread, let seconds):
      Self.writerBusy(path, process, thread, seconds)
    case .forked(let path): "The process forked after it opened \(path). Open the store in the child process itself."
    case .tooManyReaders(let path): "Too many readers have \(path) open. Close some processes."
    case .opening(let path): "The store \(path) is still being opened. Wait for its `ready()`, and try again."
    case .closed(let path): "The store \(path) was closed. Open it again."
    case .journal(let path, let reason):
      "The journal of uncommitted edits and screens in \(path) failed. \(reason)"
    }
  }

  private static func writerBusy(_ path: String, _ process: Int32?, _ thread: Int32?, _ seconds: Int) -> String {
    let who = process.map { "Process \($0)" } ?? "Another process"
    let place = thread.map { " (thread \($0))" } ?? ""
    let search: String
    if let process {
      search = "Let it go on (`kill -CONT \(process)`) or end it"
    } else if let thread {
      search =
        "Find its ID with `ps -eLo pid,tid,stat,cmd | grep -w \(thread)`, in its own container; let it go on "
        + "(`kill -CONT`) or end it"
    } else {
      search = "Find it with `fuser \(path)/lock.mdb`; let it go on (`kill -CONT`) or end it"
    }
    return
      "\(who)\(place) keeps \(path) for itself, and has shown no sign of life for \(seconds) s: it may be stopped. "
      + "\(search), and try again."
  }
}
