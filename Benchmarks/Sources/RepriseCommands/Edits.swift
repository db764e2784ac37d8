import RepriseCore
import Workload

/// The edits of queries and lists: each is looked up by its number and the seed of the run.
@MainActor struct Edits<Item: BenchmarkItem> {
  private let context: ObjectContext
  private let seed: Int
  private let objects: Int

  init(_ context: ObjectContext, seed: Int) throws {
    self.context = context
    self.seed = seed
    objects = try context.count(Fetch<Item>())
  }

  /// The item that an edit changes. Found before the clock starts: a screen shows it.
  func item(_ edit: Int) throws -> Item {
    try Self.item(Questions.edited(edit, seed: seed, of: objects), in: context)
  }

  func changeValue(_ item: Item) { item.valueInDollars = Questions.otherHalf(item.valueInDollars) }

  func changeName(_ item: Item, _ edit: Int) { item.name = Questions.editedName(edit, seed: seed) }

  func changeDate(_ item: Item, _ edit: Int) { item.setTicks(Questions.editedTicks(edit, seed: seed)) }

  /// The item of a number, which is found by the name that it was inserted with.
  static func item(_ number: Int, in context: ObjectContext) throws -> Item {
    let name = ItemFacts(number: number).name
    guard let item = try context.fetch(Fetch<Item> { $0.name == name }).first else {
      throw BenchmarkError("There is no item \(number).")
    }
    return item
  }
}
