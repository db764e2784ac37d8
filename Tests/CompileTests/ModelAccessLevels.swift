// What the macro makes is as visible as the class and its properties are, and no more.
import Reprise

public enum Condition: String, AttributeValue { case new, used }

private enum Secret: String, AttributeValue { case kept, told }

@Model public final class Item {
  public private(set) var name: String
  public var condition: Condition = .new
  var price: Int?
  private var secret: Secret = .kept
  @Relationship(inverse: \Person.items) public var owner: Person?
  public init(name: String) { self.name = name }
}

@Model("Human") public final class Person {
  public var `default`: String?
  public var items: ToMany<Item>
}

@Model private final class Note {
  var text: String
  init(text: String) { self.text = text }
}

public enum Shop {
  @Model public final class Order {
    @Relationship(inverse: \Shop.Line.order) var lines: ToMany<Line>
  }

  @Model public final class Line {
    @Relationship var order: Order?
  }
}

public func isNew(_ fields: Item.Fields) -> Condition_ { fields.condition == .new && fields.owner.default == nil }
public typealias Condition_ = RepriseQuery.Condition<Item>
public func describe(_ item: Item) -> (Item.ID, Item.Snapshot, Entity) { (item.id, item.snapshot, Item.entity) }
private func read(_ note: Note) -> String { note.snapshot.text }
