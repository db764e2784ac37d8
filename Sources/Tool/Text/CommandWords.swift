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
  ]
}
