// wake: unknown attribute 'Relationship'
// The inverse is named at one end. The compiler looks at a macro's arguments before the macro is asked, so these are
// its words and not ours: to know the one key path it must know the other (Docs/Decisions/0104).
import Reprise

@Model final class Item {
  // error: circular reference resolving attached macro 'Relationship'
  @Relationship(inverse: \Person.items) var owner: Person?
}

@Model final class Person {
  @Relationship(inverse: \Item.owner) var items: ToMany<Item>
}
