import Reprise
import RepriseCommands
import Workload

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Item: BenchmarkItem {
  func setTicks(_ ticks: Int) { dateCreated = Date(timeIntervalSinceReferenceDate: Double(ticks) / 16_777_216) }

  static func date(ticks: Int) -> Date { Date(timeIntervalSinceReferenceDate: ItemFacts.date(ticks)) }

  static func insertPerson(_ name: String, in context: EditingContext) { context.insert(Person(name: name)) }
}

extension Item.Fields: BenchmarkFields {}
