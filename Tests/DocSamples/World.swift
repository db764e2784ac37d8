// What the samples of doc comments take for granted: models, and names that a reader knows.
import Foundation
import Reprise
import RepriseDirectories
import RepriseLocales
import RepriseObservation
import RepriseRemote
import RepriseTesting
import XCTest

@Model final class Item {
  @Attribute(.indexed) var name: String
  var valueInDollars: Int = 0
  var price: Int = 0
  var year: Int = 0
  var isSold: Bool = false
  var isDone: Bool = false
  var isArchived: Bool = false
  var due: Date? = nil
  var createdAt: Date
  @Relationship(inverse: \Person.items) var owner: Person?
  var parts: ToMany<Part>
  init(name: String) {
    self.name = name
    createdAt = .now
  }
}

@Model final class Part {
  var name: String = ""
  var price: Int = 0
  @Relationship(inverse: \Item.parts) var item: Item?
}

@Model final class Person {
  var first: String = ""
  var last: String = ""
  var name: String = ""
  var city: String = ""
  var age: Int = 0
  @Attribute(.unique) var email: String? = nil
  @Relationship(inverse: \Person.reports) var boss: Person?
  var reports: ToMany<Person>
  var items: ToMany<Item>
  @Attribute(.derived) var fullName: String { "\(first) \(last)" }
  init() {}
}

@Model final class Tag {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Article {
  @Attribute(.unique) var remoteID: String? = nil
  @Attribute(.unique) var number: Int? = nil
  var count: Int = 0
  var title: String = ""
  var version: String? = nil
  var date: Date? = nil
}

struct ArticleRecord: Codable, Sendable {
  var id: String?
  var title: String
  var version: String?
}

struct Row {
  var email: String
  var name: String
}

struct Label { var text = "" }

@MainActor func update() {}
