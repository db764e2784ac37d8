import RepriseObjectModel

extension StoreError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  public var description: String {
    switch self {
    case .notFound(let path): "There is no \(path). Check the path. For a new store, create its parent folder first."
    case .notADirectory(let path): "\(path) is not a directory, but a store is a directory. Choose another path."
    case .permissionDenied(let path):
      "This user may not read and write \(path). Change the owner or the mode of the directory and its files."
    case .readOnly(let path):
      "\(path) cannot be written: its file system is read-only, or the program opened it to inspect it. Move the store "
        + "to another file system, or open it for editing."
    case .notAStore(let path, let reason): "\(path) is not a Reprise store: \(reason). Check the path."
    case .newerFormat(let path, let found, let supported):
      "\(path) has format \(found), and Reprise \(RepriseVersion.current) reads formats up to \(supported). Update "
        + "Reprise."
    case .prereleaseFormat(let path):
      "\(path) was made by a version of Reprise before 0.1, and only that version can read it. Start with a new store."
    case .collationVersionMismatch(let path, let found, let supported):
      "The indexes of \(path) have version \(found) of the sort order, and this library has version \(supported). "
        + "Rebuild the store with `StoreMaintenance.rebuild(_:)`, or open it with the version of the library that "
        + "wrote it."
    case .localeVersionMismatch(let path, let locale):
      "The indexes of \(path) in the order of '\(locale)' were sorted by a program with another version of ICU. Close "
        + "the store and open it again, which sorts the indexes again. Programs that have the store open at the same "
        + "time need the same version."
    case .fileTruncated(let path, let expected, let found):
      "\(path)/data.mdb has \(found) bytes, but its pages need \(expected). Restore it from a backup, or let "
        + "`StoreMaintenance.salvage(_:to:)` make a new store of the rest."
    case .transactionsLost(let path, let last, let saved):
      "The log of \(path) ends with transaction \(last), but the last saved transaction is \(saved). Do not write to "
        + "the store. Restore it from a backup, or let `StoreMaintenance.rebuild(_:acceptingLoss:)` restore the older "
        + "state that the log has."
    case .truncated(let path, let position, let first):
      "Transaction \(position) is no longer in the log of \(path): `TransactionLog.retain` deleted all transactions "
        + "before \(first). Use transaction \(first) or a later one, or an older backup."
    case .otherLog(let path, let token, let head):
      "The token names transaction \(token), but the log of \(path) ends with transaction \(head). The store was "
        + "restored from an older backup, or the token is from another store. Read the present state, and continue "
        + "with its `headToken()`."
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). Rebuild the store from its log with `StoreMaintenance.rebuild(_:)`. "
        + "If that fails, restore a backup, or let `StoreMaintenance.salvage(_:to:)` make a new store of the rest."
    case .deleted(let path, .lock):
      "\(path)/lock.mdb was deleted or replaced while the store was open. Nothing was written. Close the store in all "
        + "processes, then open it again. Never delete or move lock.mdb while a process has the store open."
    case .deleted(let path, .data):
      "\(path)/data.mdb was deleted or replaced while the store was open. Nothing was written. Copy the data that you "
        + "need before you close the store, then restore a backup."
    case .replaced(let path):
      "The content of \(path)/data.mdb was replaced while the store was open. Nothing was written. Close the store in "
        + "all processes, then open it again. Restore a backup only while no process has the store open."
    case .diskFull(let path):
      "The disk of \(path) is full, or a size limit of the process or the file system is reached. Nothing was lost. "
        + "Free some space or raise the limit, then try again."
    case .system(let path, let operation, let code, let message):
      "The operation '\(operation)' failed on \(path): \(message)\(code == 0 ? "." : " (error \(code)).")"
        + Self.advice(afterSystem: code)
    case .unusable(let path, let reason):
      "This process can no longer use the store \(path): \(reason). Close the store, check the disk, open the store "
        + "again, then repeat the call."
    case .schema(let error): "The models do not fit together. \(error)"
    case .missingModels(let missing, let given):
      "The store has objects of \(missing.joined(separator: ", ")), but was opened without these "
        + "models\(given.isEmpty ? "" : " (given: \(given.joined(separator: ", ")))"). Open it with these models, too."
    case .incompatible(let entity, let property, let stored, let model):
      "\(entity).\(property) is stored as \(stored), but the model declares \(model). "
        + (stored.contains("relationship") || model.contains("relationship")
          ? "Give the new property another name" : "Let a migration convert the values (`AttributeConversion`)")
        + ", or restore the old declaration."
    case .migration(let error): error.description
    case .notInModels(let warnings):
      "\(warnings.prefix(3).map(\.fact).joined(separator: " "))\(warnings.count > 3 ? " …" : "") If something was "
        + "renamed, declare its former name with `was:`. If it was left out on purpose, open the store without "
        + "`isStrict`."
    case .possibleRenames(let renames):
      "\(renames.prefix(3).map(\.description).joined(separator: " "))\(renames.count > 3 ? " …" : "") Nothing was "
        + "changed. If an old name is left out on purpose, let a migration remove it, or open the store with "
        + "`checksRenames: false`."
    case .ambiguousRename(let entity, let property, let was):
      "The store has \(property.map { "\(entity).\($0)" } ?? entity), and also has "
        + "\(was.map { "'\($0)'" }.joined(separator: " or ")), which the models declare as its former name. Remove "
        + "this former name from `was:`. To keep the old \(property == nil ? "model" : "property"), declare it under a "
        + "third name, with its old name in `was:`."
    case .renamedByNewerProgram(let name, let entity, let now):
      "A newer program renamed \(entity.map { "\($0).\(name)" } ?? "'\(name)'") to '\(now)', and '\(name)' is "
        + "something else now. Update this program. If its models have both, declare '\(now)' with `was: \"\(name)\"`."
    case .violations(let violations):
      "Objects of the store break a rule that is new in the models: \(RuleViolation.list(violations)). The store does "
        + "not have the rule yet. Open it with models without the rule, then change or delete these objects."
    case .unreadableValue(let object, let property, let value, let type):
      "\(object).\(property) holds \(value.text(as: type.type)). Its type in the model, \(type), cannot hold this "
        + "value. Open the store with a model that can hold it. Or call refresh(), then assign another value before "
        + "you read this one."
    case .alreadyOpenWithOtherModels(let path):
      "\(path) is open in this process with other models than these. Use that store, or close it first."
    case .inUse(let path): "\(path) is open in this process. Close that store first."
    case .inUseElsewhere(let path): "\(path) is open in another process. Close the store there first."
    case .sameProcessID(let path, let process):
      "Another process with the process ID \(process) has \(path) open, probably in another container. Processes that "
        + "share a store need different IDs. Let the containers share one PID namespace (Kubernetes: "
        + "`shareProcessNamespace: true`; Docker: `--pid`), or open the store in one process only."
    case .writerBusy(let path, let process, let thread, let seconds):
      Self.writerBusy(path, process, thread, seconds)
    case .forked(let path):
      "The process was forked after it opened \(path). Open the store in the child process itself."
    case .tooManyReaders(let path): "Too many readers have \(path) open. Close some of the processes that use it."
    case .cancelled(let path):
      "The task was cancelled while the library read the log of \(path) for it. Nothing has changed. Read again in "
        + "another task."
    case .opening(let path): "The store \(path) is still being opened. Wait for its `ready()`, then try again."
    case .closed(let path): "The store \(path) was closed. Open it again."
    case .sharesLog(let path):
      "\(path) shares its log with other machines, so only a program that shares the log may change it. Open the store "
        + "with `Store.open(_:for:sharing:)`. A migration, an erasure and a rebuild of such a store are not possible."
    case .sharing(let path, let reason): "\(path) does not follow its shared log. \(reason)"
    case .journal(let path, let reason):
      "The journal of uncommitted edits and screens in \(path) failed. \(reason)"
    }
  }

  private static func writerBusy(_ path: String, _ process: Int32?, _ thread: Int32?, _ seconds: Int) -> String {
    let who = process.map { "Process \($0)" } ?? "Another process"
    let place = thread.map { " (thread \($0))" } ?? ""
    let search: String
    if let process {
      search = "Let it continue (`kill -CONT \(process)`) or end it"
    } else if let thread {
      search =
        "Find its ID with `ps -eLo pid,tid,stat,cmd | grep -w \(thread)`, in its own container. Let it continue "
        + "(`kill -CONT`) or end it"
    } else {
      search = "Find it with `fuser \(path)/lock.mdb`. Let it continue (`kill -CONT`) or end it"
    }
    return
      "\(who)\(place) holds the write lock of \(path), and has shown no sign of life for \(seconds) s. It may be "
      + "stopped. \(search), then try again."
  }
}
