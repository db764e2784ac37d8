import Foundation
import Reprise

@Model final class Author {
  @Attribute(.indexed) var name: String
  @Relationship(deleteRule: .cascade) var books: ToMany<Book>
  init(name: String) { self.name = name }
}

@Model final class Book {
  @Attribute(.indexed) var title: String
  var year: Int
  @Relationship(inverse: \Author.books) var author: Author?

  init(_ title: String, year: Int, by author: Author? = nil) {
    self.title = title
    self.year = year
    self.author = author
  }
}

let store = try await Store.open("catalogue.reprise", for: Book.self, Author.self)

let context = store.mainContext
if try !context.exists(Fetch<Book>()) {
  let ursula = context.insert(Author(name: "Ursula K. Le Guin"))
  context.insert(Book("The Lathe of Heaven", year: 1971, by: ursula))
  context.insert(Book("The Dispossessed", year: 1974, by: ursula))
  try await context.save("Add two books")
}

let books = try context.fetch(Fetch<Book> { $0.author.name.hasPrefix("Ursula") }.sorted { $0.year })
print(books.map(\.title))  // ["The Lathe of Heaven", "The Dispossessed"]

let book = books[1]
book.title = "Los desposeídos"
book.year = 1975
context.undo()
print(book.title, book.year)  // Los desposeídos 1974
context.discard()
print(book.title, context.hasChanges)  // The Dispossessed false

let list = try FetchedList(Fetch<Book>().sorted { $0.title }, in: context)
let observation = list.observe { [unowned list] _ in print("The list shows", list.rows.map(\.title)) }

let editor = try context.makeChild(draft: "book editor")
let edited = try editor.object(book.id)
if !editor.hasChanges {
  edited.title = "Dispossessed, The"
  try await Task.sleep(for: .seconds(1))  // as long as the user reads it
  kill(getpid(), SIGKILL)
}

print(edited.title, "/", book.title)  // Dispossessed, The / The Dispossessed
editor.undo()
print(edited.title)  // The Dispossessed
editor.redo()

try editor.save("Rename a book")
print(book.title)  // Dispossessed, The
try await context.save("Rename a book")
