public import RepriseCore
public import Workload

/// The item of the benchmark as a model. The two workers differ in the type of the date, and so in what they load.
public protocol BenchmarkItem: PersistentModel {
  /// All models of the store.
  static var schema: Schema { get }
  /// All items in the order of their dates.
  static var byDate: Fetch<Self> { get }

  init(_ facts: ItemFacts)
  /// Every attribute, read.
  var facts: ItemFacts { get }
  var name: String { get set }
  var serial: String { get set }
  var valueInDollars: Int { get set }
  var notes: String { get set }
  func setTicks(_ ticks: Int)
}
