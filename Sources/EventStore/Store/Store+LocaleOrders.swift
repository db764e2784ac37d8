import RepriseLMDB
import RepriseObjectModel

extension Store {
  /// Throws if another program has sorted indexes in the order of a locale since the store was opened, or has added one
  /// whose order is not known here. Costs nothing in a store without.
  func requireOwnLocaleOrders(_ map: SchemaMap, _ view: View) throws(StorageError) {
    if map.localeCollations.isEmpty { return }
    guard let other = try MetaTable(tables.meta).outdated(map.localeCollations, view).first else { return }
    throw .foreignOrder(locale: other.locale.string, StorageError.Site(.decode, path))
  }
}
