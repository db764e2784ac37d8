#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

/// All queries and aggregates of the Chinook data, against the answers that SQLite gave on the original database.
@MainActor final class ChinookTests: XCTestCase {
  static let models: [any PersistentModel.Type] = [
    Genre.self, MediaType.self, Artist.self, Album.self, Song.self, Employee.self, Customer.self, Invoice.self,
    InvoiceLine.self, Playlist.self,
  ]

  func testEveryQueryFindsWhatSQLiteFindsPendingSavedAndReopened() async throws {
    let temporary = try await TemporaryStore(for: Schema(Self.models))
    let context = temporary.store.mainContext
    var reader = ChinookReader(context)
    try reader.read()
    try Answers(context, "pending").check()
    try await context.save("Chinook")
    try Answers(context, "saved").check()
    let reopened = try await temporary.relaunch()
    try Answers(reopened.mainContext, "reopened").check()
    let report = try await StoreMaintenance.verify(reopened)
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(report.objects, 6_892 + 8_715)
    let answers = try Answers(reopened.mainContext, "deletions")
    try answers.checkDeletions()
    try await answers.checkADenial()
    let after = try await StoreMaintenance.verify(reopened)
    XCTAssertEqual(after.problems, [])
  }
}

/// What a context answers.
@MainActor private struct Answers {
  let context: RootContext
  let label: String
  let queries: [[String: Any]]
  let facts: [String: Any]

  init(_ context: RootContext, _ label: String) throws {
    self.context = context
    self.label = label
    let json = try DataFile("chinook/queries.json").json()
    queries = try XCTUnwrap(json["queries"] as? [[String: Any]])
    let aggregates = try XCTUnwrap(json["aggregates"] as? [String: Any])
    var facts: [String: Any] = [:]
    for fact in try XCTUnwrap(aggregates["facts"] as? [[String: Any]]) {
      facts[try XCTUnwrap(fact["name"] as? String)] = fact["expect"]
    }
    self.facts = facts
  }

  /// Playlists have their songs in the order of the data, and songs the playlists that have them.
  func checkPlaylists() throws {
    var songs = 0
    for case let line as [Any] in try DataFile("chinook/objects.jsonl.gz").lines()
    where line[0] as? String == "Playlist" {
      let values = try XCTUnwrap(line[2] as? [String: Any])
      let number = try XCTUnwrap(values["id"] as? Int)
      let playlist = try XCTUnwrap(try context.first(Fetch<Playlist> { $0.number == number }))
      let keys = ChinookReader.tracks(values)
      XCTAssertEqual(playlist.tracks.map { String($0.number) }, keys, "\(label): \(playlist.name ?? "")")
      XCTAssertTrue(playlist.tracks.prefix(20).allSatisfy { $0.playlists.contains(playlist) })
      songs += keys.count
    }
    XCTAssertEqual(songs, 8_715, label)
  }

  func check() throws {
    try checkPlaylists()
    var asked: Set<String> = []
    for query in queries {
      let name = try XCTUnwrap(query["name"] as? String)
      asked.insert(name)
      switch name {
      case "all genres by name": try check(query, Fetch<Genre>().sorted { [$0.name, $0.number.ascending] })
      case "rock tracks longer than five minutes":
        try check(
          query,
          Fetch<Song> { $0.genre.name == "Rock" && $0.milliseconds > 300_000 }
            .sorted { [$0.milliseconds.descending, $0.number.ascending] })
      case "tracks without a composer":
        try check(query, Fetch<Song> { $0.composer == nil }.sorted { [$0.name.ascending, $0.number.ascending] })
      case "albums of AC/DC":
        try check(
          query, Fetch<Album> { $0.artist.name == "AC/DC" }.sorted { [$0.title.ascending, $0.number.ascending] })
      case "invoices over 15 by total then date":
        try check(
          query,
          Fetch<Invoice> { $0.total > 15 }
            .sorted { [$0.total.descending, $0.date.ascending, $0.number.ascending] })
      case "third page of customers by last name":
        try check(
          query,
          Fetch<Customer>().sorted { [$0.lastName.ascending, $0.firstName.ascending, $0.number.ascending] }
            .limit(10, offset: 20))
      case "tracks in sections by genre":
        try check(
          query,
          Fetch<Song> { $0.milliseconds > 1_000_000 }
            .sorted { [$0.genre.name.ascending, $0.name.ascending, $0.number.ascending] }
            .sectioned { $0.genre.name.section })
      case "playlists that hold track 1":
        try check(
          query, Fetch<Playlist> { $0.tracks.any { $0.number == 1 } }.sorted { $0.number.ascending })
      default: XCTFail("no fetch for '\(name)'")
      }
    }
    XCTAssertEqual(asked.count, 8)
    try checkAggregates()
  }

  private func check<Model: Numbered>(_ query: [String: Any], _ fetch: Fetch<Model>) throws {
    let note = "\(label): \(query["name"] ?? "")"
    let numbers = try context.fetch(fetch).map(\.number)
    XCTAssertEqual(numbers.count, query["expectCount"] as? Int, note)
    XCTAssertEqual(numbers.prefix(25).map { "\($0)" }, query["expectFirstKeys"] as? [String], note)
    XCTAssertEqual(
      digest(of: numbers.map { "\($0)" }.joined(separator: "\n")), query["expectKeysSha256"] as? String, note)
    XCTAssertEqual(try context.fetchIDs(fetch), try context.fetch(fetch).map(\.id), note)
    XCTAssertEqual(try context.count(fetch), numbers.count, note)
    guard let sections = query["expectSections"] as? [[Any]] else { return }
    let list = try FetchedList(fetch, in: context)
    XCTAssertEqual(list.snapshot.sections.map(\.name), sections.map { $0[0] as? String }, note)
    XCTAssertEqual(list.snapshot.sections.map(\.rowCount), sections.map { $0[1] as? Int }, note)
  }

  private func checkAggregates() throws {
    let total = try context.aggregate(Fetch<Invoice>()) { $0.total.sum }
    XCTAssertEqual(total, try XCTUnwrap(facts["sum of invoice totals"] as? Double), accuracy: 1e-6, label)
    let milliseconds = try context.aggregate(Fetch<Song>()) { $0.milliseconds.sum }
    XCTAssertEqual(milliseconds, facts["sum of track milliseconds"] as? Int, label)
    let groups = try context.fetch(Fetch<Song>().grouped { $0.genre.name }.sorted { $0.genre.name.ascending })
    let expected = try XCTUnwrap(facts["tracks a genre"] as? [[Any]])
    XCTAssertEqual(groups.map(\.key), expected.map { $0[0] as? String }, label)
    XCTAssertEqual(groups.map(\.count), expected.map { $0[1] as? Int }, label)
    let lines = try context.fetch(
      Fetch<InvoiceLine>().grouped { $0.invoice.number }.select { ($0.unitPrice * $0.quantity.asDouble).sum })
    var wrong = 0
    let totals = try Dictionary(uniqueKeysWithValues: context.fetch(Fetch<Invoice>()).map { ($0.number, $0.total) })
    for group in lines where abs((totals[group.key ?? 0] ?? 0) - group.values) > 1e-6 { wrong += 1 }
    XCTAssertEqual(lines.count, totals.count, label)
    XCTAssertEqual(wrong, facts["invoice total equals the sum of its lines, for all but"] as? Int, label)
  }

  /// A cascade from an artist over albums to songs ends at songs that were sold, until that is forgotten.
  func checkADenial() async throws {
    let artist = try XCTUnwrap(try context.first(Fetch<Artist> { $0.number == 90 }))
    let sold = Fetch<InvoiceLine> { $0.track.album.artist.number == 90 }
    let lines = try context.fetch(sold)
    XCTAssertEqual(
      lines.count, facts["delete artist 90: invoice lines that hold on to those tracks (deny)"] as? Int, label)
    let songs = Set(lines.compactMap { $0.track?.id.any })
    context.delete(artist)
    do {
      try await context.save("Delete artist")
      XCTFail("what was sold is gone")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(Set(refusal.violations.map(\.rule)), [.deny], label)
      XCTAssertEqual(Set(refusal.violations.map(\.object)), songs, label)
    }
    for line in lines { context.delete(line) }
    try await context.save("Delete artist and what was sold")
    XCTAssertEqual(try context.count(Fetch<Artist> { $0.number == 90 }), 0, label)
    XCTAssertEqual(try context.count(Fetch<Song> { $0.album.artist.number == 90 }), 0, label)
    XCTAssertEqual(try context.count(sold), 0, label)
  }

  /// Each is undone, so that the next begins with everything.
  func checkDeletions() throws {
    func deleting<Model: PersistentModel>(_ fetch: Fetch<Model>, _ body: () throws -> Void) throws {
      let object = try XCTUnwrap(context.fetch(fetch).first)
      context.delete(object)
      try body()
      context.undo()
      XCTAssertFalse(context.hasChanges)
    }
    let (albums, songs) = (try context.count(Fetch<Album>()), try context.count(Fetch<Song>()))
    let taken = try XCTUnwrap(facts["delete artist 90: albums and tracks that a cascade takes"] as? [Int])
    let lines = Fetch<InvoiceLine> { $0.track.album.artist.number == 90 }
    XCTAssertEqual(
      try context.count(lines), facts["delete artist 90: invoice lines that hold on to those tracks (deny)"] as? Int)
    try deleting(Fetch<Artist> { $0.number == 90 }) {
      XCTAssertEqual(albums - (try context.count(Fetch<Album>())), taken[0])
      XCTAssertEqual(songs - (try context.count(Fetch<Song>())), taken[1])
    }
    try deleting(Fetch<Genre> { $0.number == 1 }) {
      XCTAssertEqual(
        try context.count(Fetch<Song> { $0.genre == nil }),
        facts["delete genre 1: tracks whose genre becomes nil"] as? Int)
    }
    try deleting(Fetch<Employee> { $0.number == 3 }) {
      XCTAssertEqual(
        try context.count(Fetch<Customer> { $0.supportRep == nil }),
        facts["delete employee 3: customers whose supportRep becomes nil"] as? Int)
    }
    let before = try context.fetch(
      Fetch<Playlist> { $0.tracks.any { $0.number == 1 } }.sorted { $0.number.ascending })
    XCTAssertEqual(before.map(\.number), facts["delete track 1: playlists it leaves"] as? [Int])
    let counts = before.map { $0.tracks.count }
    try deleting(Fetch<Song> { $0.number == 1 }) {
      XCTAssertEqual(before.map { $0.tracks.count }, counts.map { $0 - 1 })
    }
  }
}
#endif
