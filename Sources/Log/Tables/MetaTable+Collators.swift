import RepriseLMDB
import RepriseObjectModel

extension MetaTable {
  /// The collations whose rows this program would sort differently: another version of the locale's order made them, or
  /// this program lacks the order.
  package func outdated(_ collations: [Collation], _ view: View) throws(StorageError) -> [Collation] {
    var outdated: [Collation] = []
    for collation in collations {
      let found = try number(MetaKey.collator(of: collation), view)
      if found == nil || found != collation.collator?.version { outdated.append(collation) }
    }
    return outdated
  }

  /// Throws unless each version is a number, also for orders that this program does not know.
  package func requireCollators(_ view: View) throws(StorageError) {
    let prefix = MetaKey.collators
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry, found.key.withUnsafeBytes({ $0.starts(with: prefix) }) {
      keys.append(found.key.withUnsafeBytes { [UInt8]($0) })
      entry = try cursor.next()
    }
    for key in keys { _ = try number(key, view) }
  }

  /// Records that this program's collators made the rows under these collations. Collations whose order it does not
  /// know are left out.
  package func putCollators(of collations: [Collation], _ transaction: borrowing WriteTransaction) throws(StorageError)
  {
    for collation in collations {
      let key = MetaKey.collator(of: collation)
      if let version = collation.collator?.version {
        try put(key, Self.bytes(version), transaction)
      } else {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
  }
}
