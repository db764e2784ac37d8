import RepriseCore

/// Messages of the library in the words of the command. They name calls of the library, and a user of the command has
/// commands instead.
package enum CommandWords {
  /// The message of an error.
  package static func of(_ error: any Error) -> String {
    switch error {
    // Most commands only read, so nobody wants a new store.
    case StoreError.notFound(let path): "There is no store at \(path). Check the path."
    default: text("\(error)")
    }
  }

  /// A message with commands instead of calls.
  package static func text(_ message: String) -> String {
    guard message.utf8.contains(UInt8(ascii: "`")) else { return message }
    return phrases.reduce(message) { $0.replacing($1.library, with: $1.command) }
  }

  /// The phrases that are replaced.
  package static var libraryPhrases: [String] { phrases.map(\.library) }

  /// Each phrase of the library, and the one of the command. A longer phrase comes before one that it contains.
  private static let phrases: [(library: String, command: String)] = [
    ("`StoreMaintenance.rebuild(_:acceptingLoss:)`", "'reprise rebuild --accept-loss'"),
    ("`StoreMaintenance.rebuild(_:)`", "'reprise rebuild'"),
    ("`StoreMaintenance.salvage(_:to:)`", "'reprise salvage'"),
    ("`StoreMaintenance.verify(_:)`", "'reprise verify'"),
    ("`StoreMaintenance.erase`", "'reprise erase'"),
    ("`TransactionLog.retain`", "'reprise retain'"),
    ("`retain`, `erase` or `salvage`", "'reprise retain', 'reprise erase' or 'reprise salvage'"),
    ("`retain`", "'reprise retain'"),
    ("Use one of the properties that its `entity` lists.", "'reprise schema' lists its properties."),
    ("Read the present state, and continue with its `headToken()`.", "Run the command again."),
    ("Open the store with `Store.open(_:for:sharing:)`.", "Make the change in that program."),
    (
      "close the store, repair the disk and open the store again. Then call `position(ofTransaction:)`.",
      "repair the disk. Then look for the transaction with 'reprise log'."
    ),
    (
      "Open the store, wait for `waitForIndexes()`, and close it.",
      "Let a program open the store until its indexes are ready, and close it."
    ),
    (
      "Install the projection, and wait with `TransactionLog.waitForProjections()`.",
      "Let the program with the projection open the store until the projection has processed the log."
    ),
    ("Call `synchronize()` of the source.", "Let the program with the source synchronize it."),
    ("`Retention.from(_:)`", "'--since'"),
    ("with `resolve(_:with:)`", "with '--mine' or '--theirs'"),
    ("needs `theirs`, which keeps", "needs '--theirs', which keeps"),
    (
      "resume the draft with `makeChild(draft:)` or `RootContext`.", "resume the draft in the program that made it."
    ),
    ("Look for these drafts in `store.drafts`.", "'reprise drafts' lists these drafts."),
  ]
}
