#if Macros
import Foundation
import Reprise

@Model final class Book {
  @Attribute(.indexed(.ignoringCase), .searchable) var title: String
  @Attribute(.unique) var isbn: String?
  @Attribute(.indexed) var year: Int
  var pages: Int = 0
  var addedAt: Date = Date.distantPast
  var status: BookStatus = .available
  var size: Size?
  @Attribute(.counter) var timesLent: Int = 0
  @Attribute(.set) var marks: Set<String> = []
  var subtitles: [String: String] = [:]

  @Relationship(inverse: \Author.books) var author: Author?
  @Relationship(inverse: \Genre.books) var genres: ToMany<Genre>
  var lists: ToMany<ReadingList>
  @Relationship(deleteRule: .deny) var loans: ToMany<Loan>

  @Transient var isSelected = false
  var isOld: Bool { year < 1950 }

  init(_ title: String, year: Int, by author: Author? = nil) {
    self.title = title
    self.year = year
    self.author = author
  }
}

enum BookStatus: String, AttributeValue { case available, lent, lost }

struct Size: CodableAttribute, Equatable {
  var height = 0.0
  var width = 0.0
}

@Model final class Author {
  @Attribute(.indexed) var name: String
  @Relationship(deleteRule: .cascade) var books: ToMany<Book>
  init(name: String) { self.name = name }
}

@Model final class Genre {
  @Attribute(.unique(.ignoringCase)) var name: String
  var books: ToMany<Book>
  @Relationship(inverse: \Genre.parts) var parent: Genre?
  var parts: ToMany<Genre>
  init(name: String) { self.name = name }
}

@Model final class ReadingList {
  var name: String = ""
  @Relationship(inverse: \Book.lists) var books: OrderedToMany<Book>
  init(name: String) { self.name = name }
}

@Model final class OpeningHours {
  #Unique<OpeningHours>([\.branch, \.weekday], nilsAreEqual: true)
  var branch: String = ""
  var weekday: Int?
  var opensAt: Int = 9
}

@Model final class Loan {
  #Index<Loan>([\.isReturned, \.dueAt])
  var isReturned: Bool = false
  var dueAt: Date
  @Relationship(inverse: \Book.loans, required: true) var book: Book?
  init(of book: Book, dueAt: Date) {
    self.dueAt = dueAt
    self.book = book
  }
}
#endif
