import Foundation
import Observation
import Reprise
import RepriseLocales
import RepriseObservation

// MARK: Fetching

func fetches(_ context: EditingContext, _ store: Store, today: Date, item: Item) throws {
  func show(_ id: Item.ID, _ name: String?) {}
  let fetch = Fetch<Item>()
  _ = /*sample Sources/Query/Fetch.swift*/
  _ = /*sample Sources/Query/Fields/Field+Text.swift*/
  do {
    /*sample Sources/Query/NamedFields.swift*/
    _ = fetch
  }
  do {
    /*sample Sources/Query/Fields/ConditionBuilder.swift*/
    _ = items(named: nil)
  }
  do {
    /*sample Sources/Query/Fields/ConditionBuilder.swift*/
    _ = isDue
  }
  do {
    let entity = try store.entity(named: "Person")
    /*sample Sources/Query/Fields/AnyField.swift*/
  }
  do {
    /*sample Sources/Query/Aggregates/GroupedFetch.swift*/
  }
  do {
    /*sample Sources/ObjectGraph/Aggregates/ObjectContext+Aggregates.swift*/
    _ = total
    /*sample Sources/ObjectGraph/Aggregates/ObjectContext+Aggregates.swift*/
    _ = (least, greatest)
  }
  do {
    /*sample Sources/ObjectGraph/Fetching/ObjectContext+Entities.swift*/
    _ = people
    /*sample Sources/ObjectGraph/Fetching/ObjectContext+Fetch.swift*/
    _ = ada
    /*sample Sources/ObjectGraph/Fetching/ObjectContext+Fetch.swift*/
  }
}

/*sample Sources/Query/Fields/SectionRule.swift*/

// MARK: Editing

func edits(_ context: RootContext, _ store: Store, boss: Person, ada: Person, rows: [Row]) throws {
  do {
    /*sample Sources/ObjectGraph/Names/EditingContext+Names.swift*/
    _ = ada
  }
  do {
    /*sample Sources/ObjectGraph/SetOperations/EditingContext+SetOperations.swift*/
    /*sample Sources/ObjectGraph/SetOperations/EditingContext+SetOperations.swift*/
    _ = tag
  }
  do {
    /*sample Sources/ObjectGraph/SetOperations/EditingContext+Upsert.swift*/
    _ = (ada, outcome)
  }
  /*sample Sources/ObjectGraph/SetOperations/EditingContext+Upsert.swift*/
}

func batches(_ background: BackgroundContext, lines: [String], rows: [Row]) async throws {
  /*sample Sources/ObjectGraph/SetOperations/BackgroundContext+Batches.swift*/
  /*sample Sources/ObjectGraph/SetOperations/BackgroundContext+Batches.swift*/
  /*sample Sources/ObjectGraph/SetOperations/BackgroundContext+Derived.swift*/
  /*sample Sources/ObjectGraph/SetOperations/BackgroundContext+Upsert.swift*/
}

func exchange(_ item: Item) throws {
  /*sample Sources/Foundation/JSON.swift*/
  /*sample Sources/ObjectGraph/Exchange/ObjectForm.swift*/
  _ = (data, form)
}

func exchange(_ context: EditingContext, data: Data) throws {
  /*sample Sources/Foundation/JSON.swift*/
  _ = (ada, outcome)
}

// MARK: The past, other contexts

@MainActor func past(
  _ store: Store, _ context: RootContext, _ item: Item, transaction: LoggedTransaction, evening: Position,
  morning: Position
) async throws {
  func ask(about overlaps: [ReversalError.Overlap]) async -> [Conflict: Conflict.Decision] { [:] }
  do {
    /*sample Sources/ObjectGraph/Context/PastContext.swift*/
    _ = old
  }
  /*sample Sources/ObjectGraph/Context/RootContext+Reversal.swift*/
  do {
    /*sample Sources/ObjectGraph/History/EditingContext+Difference.swift*/
    _ = night
  }
  /*sample Sources/ObjectGraph/History/ObjectContext+History.swift*/
  /*sample Sources/ObjectGraph/History/ObjectContext+History.swift*/
}

enum Chores {
  @Model final class Task {
    var isDone: Bool = false
    @Relationship(inverse: \Column.tasks) var column: Column?
  }

  @Model final class Column {
    var name: String = ""
    var tasks: ToMany<Task>
  }

  struct Request { var user: String }

  static func contexts(_ store: Store, article: Article.ID, request: Request) async throws {
    /*sample Sources/ObjectGraph/Context/Store+Contexts.swift*/
    _ = open
    /*sample Sources/ObjectGraph/Context/Store+Contexts.swift*/
  }

  static func histories(_ context: RootContext) throws {
    /*sample Sources/ObjectGraph/History/ObjectContext+FetchHistory.swift*/
  }
}

@MainActor func observe(_ store: Store, _ list: FetchedList<Item>, _ item: Item) {
  var (title, count) = (Label(), Label())
  /*sample Sources/Observation/ObjectContext+Observation.swift*/
}

// MARK: Models

enum Marks {
  @Model final class Person {
    var first: String = ""
    var last: String = ""
    var items: ToMany<Item>
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
  }

  /*sample Sources/ObjectGraph/Macros/Model.swift*/
}

enum MoreMarks {
  @Model final class Person {
    var first: String = ""
    var last: String = ""
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
    init(name: String, pay: Int) { (self.name, self.pay) = (name, pay) }
  }
}

enum Relationships {
  @Model final class Person { var items: ToMany<Box> }
  @Model final class Item { @Relationship(inverse: \Box.items) var box: Box? }
  @Model final class Box {
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
  }
}

enum Many {
  @Model final class Tag { var notes: ToMany<Note> }
  @Model final class Note {
    /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift*/
  }
}

enum Indexes {
  @Model final class Folder { var name: String = "" }
  /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift with
  var dueDate: Date? = nil
  var name: String = ""
  @Relationship var folder: Folder?*/
}

enum Clubs {
  @Model final class Person { var memberships: ToMany<Membership> }
  @Model final class Club { var name: String = "" }
  /*sample Sources/ObjectGraph/Macros/PropertyMarks.swift with
  @Relationship var club: Club?
  var number: Int = 0*/
}

@Model final class Trip {
  var start: Date = Date.distantPast
  var end: Date = Date.distantPast
}
/*sample Sources/ObjectModel/Models/ValidatedModel.swift*/
/*sample Sources/ObjectModel/Values/AttributeValue.swift*/
/*sample Sources/ObjectModel/Values/FormerCases.swift*/

let property: Property = /*sample Sources/ObjectModel/Models/Property.swift*/

@Model final class Photo { var original: Blob = .empty }

func importPhoto(_ photo: Photo, _ store: Store, _ context: RootContext) async throws {
  func send(_ piece: [UInt8]) {}
  /*sample Sources/ObjectModel/Values/Blob.swift*/
}

enum Addresses {
  /*sample Sources/Foundation/CodableAttribute.swift with
  init() {}*/
}

// MARK: Stores

func migrations() -> [Any] {
  struct NotAnAmount: Error { init(_ text: String) {} }
  let conversion = /*sample Sources/EventStore/Migration/AttributeConversion.swift*/
  let blob: AttributeConversion = /*sample Sources/EventStore/Migration/AttributeConversion.swift*/
  let pets = /*sample Sources/EventStore/Migration/EntityMapping.swift*/
  let extracted: EntityMapping = /*sample Sources/EventStore/Migration/EntityMapping.swift*/
  let inlined: EntityMapping = /*sample Sources/EventStore/Migration/EntityMapping.swift*/
  return [conversion, blob, pets, extracted, inlined]
}

func follow(_ store: Store, after first: Position) async throws {
  func send(_ transaction: LoggedTransaction) async throws {}
  var known = first
  /*sample Sources/EventStore/History/TransactionFeed.swift*/
}

func project(_ store: Store, _ context: RootContext) async throws {
  /*sample Sources/EventStore/Projections/LogProjection.swift*/
  _ = count
}

@MainActor func openStore(_ path: String, migrations: MigrationPlan) {
  struct ItemsScreen { init(_ context: RootContext) {} }
  struct Window { func show(_ screen: ItemsScreen) {} }
  let window = Window()
  @Sendable func show(_ progress: MigrationProgress) {}
  /*sample Sources/EventStore/Store/Store+Opening.swift*/
}

enum Swedish {
  @Model final class Person {
    /*sample Sources/Locales/Collation+Locale.swift lines 1-1*/
    init(name: String) { self.name = name }
  }
  static func fetch() {
    /*sample Sources/Locales/Collation+Locale.swift lines 2-2*/
    _ = /*sample Sources/Locales/Collation+Locale.swift lines 3-3*/
  }
}
