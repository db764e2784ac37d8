// A user's types may have the names of the library's: expansions mean the library's.
import Reprise

struct Entity {}
struct Property {}
struct ObjectStorage {}
struct ObjectID {}
struct FieldPath {}
struct Field<A, B> {}
struct ToOneField<A, B> {}
struct ToManyField<A, B> {}
struct PropertySlot {}
protocol FieldSet {}
protocol PersistentModel {}
protocol Sendable {}
protocol Identifiable {}

@Model final class Item {
  @Attribute(.indexed) var name: String
  @Relationship(inverse: \Person.items) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var items: ToMany<Item>
}

func use(_ item: Item) { print(item.id, item.snapshot, item.owner?.items.count ?? 0) }
