public import RepriseCore
public import RepriseApp
public import Workload

/// The item of the benchmark as a model. The two workers differ in the type of the date, and so in what they load.
public protocol BenchmarkItem: RestorableItem where Fields: BenchmarkFields {
  init(_ facts: ItemFacts)
  var name: String { get set }
  var serial: String { get set }
  var valueInDollars: Int { get set }
  var notes: String { get set }
  func setTicks(_ ticks: Int)

  /// A date of so many ticks, as fetches compare it.
  static func date(ticks: Int) -> Fields.DateValue
  /// Inserts an object of the other model.
  static func insertPerson(_ name: String, in context: EditingContext)
}

/// The fields of the item that queries and lists name.
public protocol BenchmarkFields: FieldSet {
  associatedtype DateValue: AttributeValue, Comparable
  var name: Field<Model, String> { get }
  var serial: Field<Model, String> { get }
  var valueInDollars: Field<Model, Int> { get }
  var dateCreated: Field<Model, DateValue> { get }
}
