import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

/// A store in a folder of its own, gone with the test, with a few objects of several models.
final class TextStore {
  let path = NSTemporaryDirectory() + "reprise-texts-\(UUID().uuidString)"
  let store: Store
  let context: RootContext

  init() throws {
    var options = StoreOptions()
    options.isUnflushed = true
    let schema = Schema(Item.self, Person.self, Author.self, Book.self, Sorted.self, Todo.self, Folder.self)
    store = try Store.openNow(path, for: schema, options)
    context = RootContext(store)
    let people = ["Ada", "Bob", "Eve"].enumerated().map { place, name in
      context.insert(Person(name: name, zip: 10 * place))
    }
    people[1].boss = people[0]
    let names = ["", "chair", "Chair", "tea", "Tea for two", "té", "a \"b\"\n", "item 9", "item 10"]
    for (place, name) in names.enumerated() {
      let item = context.insert(Item(name: name, valueInDollars: place % 5))
      item.weight = place.isMultiple(of: 3) ? nil : Double(place) / 2
      item.isInsured = place.isMultiple(of: 2)
      item.owner = place < 7 ? people[place % 3] : nil
    }
    addBooks()
    addSorted()
    for (place, name) in names.enumerated() {
      let todo = context.insert(Todo(name, due: place.isMultiple(of: 4) ? nil : Double(place), isDone: place < 4))
      todo.rank = place % 3
      todo.note = place.isMultiple(of: 2) ? name : nil
    }
    try context.saveAndWait()
  }

  private func addBooks() {
    let authors = ["tea", nil, "Bob"].map { context.insert(Author($0, country: $0 ?? "é")) }
    authors[0].mentor = authors[1]
    for (place, title) in ["a", "tea", "item 9", "Tea", "b"].enumerated() {
      let book = context.insert(Book(title, year: place))
      book.author = place < 3 ? authors[place % 2] : nil
      book.editor = authors[2]
    }
  }

  private func addSorted() {
    var last: Sorted?
    for (place, text) in ["", "a", "tea", "Té", "b"].enumerated() {
      let sorted = context.insert(Sorted())
      sorted["text"] = .string(text)
      sorted["bytes"] = place == 0 ? .null : .bytes([UInt8](repeating: 255, count: place))
      sorted["flag"] = .bool(place.isMultiple(of: 2))
      sorted["natural"] = .unsigned(UInt64(place))
      sorted["ratio"] = place == 0 ? .null : .double([0, 0.5, 1, -.infinity, .nan][place])
      sorted["moment"] = place == 1 ? .null : .date(Double(place) * 86_400 - 100_000.25)
      sorted["token"] = .uuid(UniqueID(high: UInt64(place), low: 1))
      sorted["next"] = last.map { .reference($0.id.any) } ?? .null
      last = sorted
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
