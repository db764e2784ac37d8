/// The types that may hold an edit on its way from a context to the disk. Each form of one needs code that makes, reads
/// and folds it, so the store has a single form, `Change`, and a new type has to say here what it is instead.
///
/// A type may hold an edit if its members have one of the ``signs``. The test reads only the text. It does not find a
/// type whose members have other names.
enum EditTypes {
  /// In the first five, edits are made, stored and read. In the last three, they are shown, restored and sent.
  static let folders = ["ObjectModel", "Log", "Journal", "EventStore", "ObjectGraph", "Lists", "Restoration", "Remote"]

  static let known: Set<String> = [
    // By slots: what a context did, what it asks a save for, and what the save does.
    "ObjectChange", "PropertyChange", "PendingChanges", "PendingChanges.Iterator", "BatchChange", "DraftEdit",
    "SaveRequest", "SaveRequest.Part", "SavePlan.Operation", "MergeOutcome",
    // By slots: what is read from the files for a context.
    "DraftImage", "DraftInfo", "UnreadChanges.State", "ReversalReader", "TransactionReversal",
    // By numbers, with whole values: undo needs all of a text, and a conversion is a function of a value.
    "WholeSteps.Step",
    // By numbers, over bytes: a change, its parts, its fold and its translation.
    "Change.Field", "Splice", "ChangeFold.Field", "SlotChange",
    // The old values alone, over bytes: they are all that a read at an old position needs.
    "LoggedPast.Object",
    // What the files have around a change.
    "DraftReplay.Layer", "DraftStep", "LogEvent",
    // The bytes of changes, not decoded, in memory: for contexts behind the head, and for an index that is being built.
    "VersionWindow.Version", "VersionWindow.Transaction.Place", "LoggedIndexChanges.Entry",
    // A save has the window's transactions, which a program's list of changes is computed from.
    "AppendedSave", "LogWriter.GroupCommit", "SaveResult",
    // What remains of one in a record, in an index, and of a text that later splices rest on.
    "RecordUpdate.Edit", "LoggedIndexChanges.RowChange", "TextTrack.Step",
    // The kind of one, without values. `ChangeKind` has the rule for joining two; an event has more kinds; the outbox
    // reads the log for the changed slots.
    "ChangeKind", "EventKind", "LoggedChange.Kind",
    // What programs are told.
    "PropertyDifference.Form", "LoggedTransaction.Change", "LoggedTransaction.Change.Kind", "DraftPreview.Property",
    "DraftPreview.Kind", "ObjectState", "LogWalk.Versions", "ObjectDifference", "ValueChange", "Candidate",
    "PlannedUpsert", "Conflict", "RemoteConflict.Property",
    // Models before and after a migration.
    "AttributeConversion", "Descent.Pair", "MigrationOutcome", "MigrationState.Running",
    // By the names of properties, because they outlive the process and the version of the models, or because a program
    // reads them: in the token of a list, in the outbox of a remote source, and in a mapping.
    "UncommittedObject", "ListToken", "ValuesByName", "MappedObject",
    // What a server is sent: whole records of the program's type. The outbox joins its entries by what the server has.
    "OutboxEntry.Kind", "RemoteChange", "RemoteChange.Kind", "OutboxMessage",
    // The places of rows in a list before and after a change; of its objects, no values.
    "ListBatch", "ListChanges.Update", "RowComparison", "QueryChanges", "SortedRows.RowEdit",
  ]

  /// A type whose members have all words of a sign may hold an edit.
  private static let signs: [Set<String>] = [
    ["Change"], ["ChangeFold"], ["Splice"], ["ObjectChange"], ["PropertyChange"], ["PropertyDifference"],
    ["VersionWindow.Transaction"], ["UncommittedObject"], ["RemoteChange"],
    // What was before, and what is then.
    ["old:", "new:"], ["before:", "after:"], ["removed:", "inserted:"], ["existed:", "exists:"], ["mine:", "theirs:"],
    // The kinds of a change.
    ["inserted", "deleted"], ["create", "delete"],
    // The bytes of a change.
    ["body:"],
    // Values by the names of properties: [String: PropertyValue].
    ["String:", "PropertyValue"],
  ]

  static func breaches(_ file: SourceFile) -> [Breach] {
    found(in: file).filter { !known.contains($0.key) }.map { type, line in
      Breach(
        path: file.path, line: line, message: "\(type) may hold an edit: use Change, or say in EditTypes what it is")
    }
  }

  /// The types of a file that may hold an edit, with the lines of their first members.
  static func found(in file: SourceFile) -> [String: Int] {
    var members: [String: (line: Int, words: Set<String>)] = [:]
    var types: [(indentation: Int, name: String)] = []
    var nested: Set<String> = []
    // Of the last member: its type, and how many brackets it left open.
    var last = (type: "", depth: 0)
    for (index, line) in file.lines.enumerated() where file.isCode[index] {
      let words = line.wordsOfCode
      if last.depth > 0 {
        members[last.type]?.words.formUnion(words)
        last.depth += line.count(of: "(") - line.count(of: ")")
        continue
      }
      guard let place = words.firstIndex(where: keywords.contains), place + 1 < words.count else { continue }
      let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
      while let type = types.last, type.indentation >= indentation { types.removeLast() }
      guard indentation == types.last.map({ $0.indentation + 2 }) ?? 0 else { continue }
      let name = words[place + 1].split(separator: ":")[0]
      switch words[place] {
      case "struct", "class", "enum", "actor", "extension":
        if !types.isEmpty { nested.insert(String(name)) }
        types.append((indentation, String(name)))
      case "var" where line.isGetter, "static", "func", "init", "subscript", "protocol": break
      case let keyword:
        // A tuple has a name of its own.
        let path = types.map(\.name) + (keyword == "typealias" ? [String(name)] : [])
        if path.isEmpty { continue }
        last = (path.joined(separator: "."), line.count(of: "(") - line.count(of: ")"))
        let found = words.dropFirst(place + 1)
        // A closure is code.
        members[last.type, default: (index + 1, [])].words.formUnion(
          line.has("->") ? found.filter { $0 != "body:" } : Array(found))
      }
    }
    return members.compactMapValues { line, words in
      let words = words.subtracting(nested)
      return signs.contains { $0.isSubset(of: words) } ? line : nil
    }
  }

  private static let keywords: Set<String> = [
    "struct", "class", "enum", "actor", "extension", "let", "var", "case", "typealias", "static", "func", "init",
    "subscript", "protocol",
  ]
}

extension String {
  /// Without its comment: names, with dots and with the colon behind a label.
  fileprivate var wordsOfCode: [String] {
    var words = utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/"):
        false
      default: true
      }
    }.map { String($0)! }
    if let comment = words.firstIndex(where: { $0.hasPrefix("//") }) { words.removeSubrange(comment...) }
    return words
  }

  /// Whether a `var` stores nothing.
  fileprivate var isGetter: Bool {
    has(" {") && !has("didSet") && !prefix { $0 != "{" }.has("=")
  }
}
