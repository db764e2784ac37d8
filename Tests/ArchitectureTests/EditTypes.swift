/// The types that may hold an edit on its way from a context to the disk. Each form of one needs code that makes, reads
/// and folds it, so the store has a single form, `Change`, and a new type has to say here what it is instead.
///
/// A type may hold an edit if a member has the type of one, or if one is named after what was before, and one after
/// what is then.
enum EditTypes {
  static let known: Set<String> = [
    // By slots: what a context did, what it asks a save for, and what the save does.
    "ObjectChange", "PropertyChange", "PendingChanges", "PendingChanges.Iterator", "BatchChange", "DraftEdit",
    "SaveRequest", "SaveRequest.Part", "SavePlan.Operation", "MergeOutcome",
    // By slots: what is read from the files for a context.
    "DraftImage", "UnreadChanges.State", "ReversalReader", "TransactionReversal", "WholeSteps.Step",
    // By numbers, over bytes: a change, its parts, its fold and its translation.
    "Change.Field", "Splice", "ChangeFold.Field", "SlotChange",
    // What the files have around a change.
    "DraftReplay.Layer", "DraftStep", "LogEvent",
    // What remains of one in a record, in an index, and of a text that later splices rest on.
    "RecordUpdate.Edit", "LoggedIndexChanges.RowChange", "TextTrack.Step",
    // What programs are told.
    "PropertyDifference.Form", "LoggedTransaction.Change", "DraftPreview.Property",
    "LogWalk.Versions", "ObjectDifference", "ValueChange", "Candidate", "PlannedUpsert",
    // Models before and after a migration.
    "AttributeConversion", "Descent.Pair", "MigrationOutcome", "MigrationState.Running",
  ]

  private static let edits: Set<String> = [
    "Change", "ChangeFold", "Splice", "ObjectChange", "PropertyChange", "PropertyDifference",
  ]
  private static let pairs: [Set<String>] = [["old:", "new:"], ["before:", "after:"], ["removed:", "inserted:"]]

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
        members[last.type, default: (index + 1, [])].words.formUnion(words.dropFirst(place + 1))
      }
    }
    return members.compactMapValues { line, words in
      let isEdit = !words.isDisjoint(with: edits.subtracting(nested)) || pairs.contains { $0.isSubset(of: words) }
      return isEdit ? line : nil
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
