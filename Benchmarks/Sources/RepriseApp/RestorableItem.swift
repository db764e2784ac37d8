public import RepriseCore
public import Workload

/// The item as restored screens show it. Workers differ in the type of its date, and so in the libraries they load.
public protocol RestorableItem: PersistentModel {
  /// All models of the store.
  static var schema: Schema { get }
  /// All items in the order of their dates.
  static var byDate: Fetch<Self> { get }
  /// Every attribute, read.
  var facts: ItemFacts { get }
}
