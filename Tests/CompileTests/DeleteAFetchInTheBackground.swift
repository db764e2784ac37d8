// The objects of a fetch are deleted by another name, also in batches.
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  var price: Double? = nil
  var count: Int = 0
  var isDone: Bool = false
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String = ""
  var items: ToMany<Item>
  init() {}
}

func delete(_ context: BackgroundContext) async throws {
  try await context.delete(Fetch<Item> { $0.isDone })  // error: 'deleteAll'
}
