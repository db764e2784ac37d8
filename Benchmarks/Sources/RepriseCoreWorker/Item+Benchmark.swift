import RepriseCommands
import RepriseCore
import Workload

extension Item: BenchmarkItem {
  func setTicks(_ ticks: Int) { dateCreated = ticks }

  static func date(ticks: Int) -> Int { ticks }

  static func insertPerson(_ name: String, in context: EditingContext) { context.insert(Person(name: name)) }
}

extension Item.Fields: BenchmarkFields {}
