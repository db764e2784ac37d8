import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension MetaTable {
  /// Throws if another program has sorted an index in another order of a locale since the store was opened, or has
  /// added a locale whose order this program does not know. Costs nothing in a store without such indexes.
  func requireLocaleOrders(of map: SchemaMap, path: String, _ view: View) throws(StorageError) {
    try requireLocaleOrders(of: map.localeCollations, path: path, view)
  }

  package func requireLocaleOrders(of collations: [Collation], path: String, _ view: View) throws(StorageError) {
    if collations.isEmpty { return }
    guard let other = try outdated(collations, view).first else { return }
    throw .foreignOrder(locale: other.locale.string, StorageError.Site(.decode, path))
  }
}
