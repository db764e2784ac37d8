#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class Member {
  var name: String
  @Relationship(mutual: true) var friends: ToMany<Member>
  init(name: String) { self.name = name }
}

final class RelationshipTests: ManualTestCase {
  func testFriends() async throws {
    let temporary = try await TemporaryStore(for: Member.self)
    let context = temporary.store.mainContext
    let (ada, grace) = (context.insert(Member(name: "Ada")), context.insert(Member(name: "Grace")))
    ada.friends.insert(grace)
    print(grace.friends.contains(ada))  // true
    XCTAssertTrue(grace.friends.contains(ada))
    try await context.save("Meet")
  }

  func testBothEndsChangeTogether() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    let italo = context.insert(Author(name: "Italo Calvino"))
    let cities = Book("Invisible Cities", year: 1972)
    cities.author = italo
    print(italo.books.contains(cities), italo.books.count)  // true 1
    XCTAssertTrue(italo.books.contains(cities))
    XCTAssertEqual(cities.state, .inserted)

    let traveller = Book("If on a Winter's Night a Traveller", year: 1979)
    italo.books.insert(traveller)
    italo.books = [cities, traveller]
    italo.books.remove(contentsOf: [traveller])
    XCTAssertEqual(Array(italo.books), [cities])
    XCTAssertNil(traveller.author)

    let postmodern = context.insert(Genre(name: "Postmodern"))
    cities.genres = [postmodern, Genre(name: "Travel")]
    postmodern.books.insert(traveller)
    print(postmodern.books.map(\.title).sorted(), traveller.genres.first?.name ?? "none")
    XCTAssertEqual(Set(postmodern.books), [cities, traveller])
    XCTAssertEqual(traveller.genres.first, postmodern)

    let next = context.insert(ReadingList(name: "Next"))
    next.books = [traveller, cities]
    next.books.move(from: 1, to: 0)
    next.books.insert(Book("Cosmicomics", year: 1965), at: 1)
    print(next.books.map(\.title), next.books[0].title, next.books.firstIndex(of: traveller) ?? -1)
    XCTAssertEqual(next.books.map(\.year), [1972, 1965, 1979])
    XCTAssertEqual(next.books.firstIndex(of: traveller), 2)
    try await context.save("Add books")
    let read = try await relaunch().mainContext.object(next.id)
    XCTAssertEqual(read.books.map(\.year), [1972, 1965, 1979])
  }

  func testTheOtherEndDecidesWhatADeletionDoes() async throws {
    let store = try await makeStore()
    let books = try await fill(store)
    let context = store.mainContext
    let ursula = try XCTUnwrap(books[0].author)

    context.delete(ursula)
    print(books[0].state, books[1].state, books[2].state)  // deleted deleted live
    context.undo()
    XCTAssertEqual(books.map(\.state), [.live, .live, .live])
    XCTAssertEqual(ursula.books.count, 2)

    context.insert(Loan(of: books[2], dueAt: Date.now))
    context.delete(books[2])
    print(try context.violations())  // the book has loans, and its rule is to deny
    XCTAssertEqual(try context.violations().first?.object, books[2].id.any)
    context.undo()
    XCTAssertEqual(try context.violations(), [])
  }

  func testTrees() async throws {
    let store = try await makeStore()
    let context = store.mainContext
    let fiction = context.insert(Genre(name: "Fiction"))
    fiction.parts = [Genre(name: "Science Fiction"), Genre(name: "Crime")]
    let roots = try context.fetch(Fetch<Genre> { $0.parent == nil })
    print(roots.map { ($0.name, $0.parts.map(\.name)) })
    XCTAssertEqual(roots, [fiction])
    XCTAssertEqual(try context.count(Fetch<Genre> { $0.parent.name == "Fiction" }), 2)
  }
}
#endif
