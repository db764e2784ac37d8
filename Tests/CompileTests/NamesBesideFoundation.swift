// No public name of the library is ambiguous in a file that imports Foundation as well.
import Foundation
import Reprise

@Model final class Item {
  @Attribute(.indexed) var name: String
  @Relationship(deleteRule: .nullify) var owner: Person?
  init(name: String) { self.name = name }
}

@Model final class Person {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Item.owner) var items: ToMany<Item>
  init(name: String) { self.name = name }
}

func names(
  _: AnyObjectID, _: Condition<Item>, _: DeleteRule, _: Entity, _: Fetch<Item>, _: Field<Item, String>, _: FieldPath,
  _: ModelIdentifier, _: ObjectID<Item>, _: ObjectState, _: Property, _: PropertyValue, _: Schema,
  _: any PersistentModel, _: any AttributeValue
) -> Fetch<Item> {
  Fetch<Item> { $0.owner.name == "Ada" && $0.name != "" }.sorted { $0.name.ascending }
}
