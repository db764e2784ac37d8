import RepriseLMDB
import RepriseLog

extension Verifier {
  /// Verifies that the tables have the rows of the last commit's after-image. Large commits have no after-image. Other
  /// bytes in a place are not a problem, because a power cut can leave part of an after-image.
  mutating func verifyAfterImage(_ view: View) throws(StorageError) {
    guard let image = try store.environment.afterImage(of: view.transactionID) else { return }
    for (name, effect) in image.effects.sorted(by: { $0.key < $1.key }) {
      let isLazy = !StoreTables.names.contains(name)
      let table = isLazy ? try store.environment.lazyTable(name).table(view) : store.environment.table(name)
      let rows = view.reader(table)
      for (key, change) in effect.last {
        let value = try rows.get(key.span.bytes)
        let isSame = value?.withUnsafeBytes { image.value(change).elementsEqual($0) } ?? false
        if change.kind == .put ? isSame : value == nil { continue }
        let problem = "a row that differs from the list of changes that the last commit wrote"
        found(.row(table: name, problem: problem, key: key))
      }
    }
  }
}
