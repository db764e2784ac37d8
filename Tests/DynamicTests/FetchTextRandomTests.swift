import RepriseDynamic
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestArchives
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever a fetch is: its text reads as the same fetch, and finds the same rows.
final class FetchTextRandomTests: XCTestCase {
  private func check<Model: PersistentModel>(
    _ model: Model.Type, _ context: RootContext, _ fetches: inout RandomFetches, _ seed: UInt64
  ) throws -> Int {
    let all = try context.fetch(Fetch<Model>())
    var found = 0
    for _ in 0..<60 {
      let fetch = fetches.fetch(of: model)
      let text = fetch.text
      let message = "seed \(seed): \(text)"
      let read: Fetch<Model>
      do { read = try Fetch<Model>(text: text) } catch {
        XCTFail("\(message)\n\(error)")
        continue
      }
      XCTAssertEqual(read, fetch, message)
      // Not as texts: Swift's are equal however an accent is typed.
      XCTAssertEqual(Array(read.text.utf8), Array(text.utf8), message)
      XCTAssertEqual(try ArchivedForm.roundTrip(fetch).text, text, message)
      let untyped = try FetchText(text)
      XCTAssertEqual(untyped.description, text, message)
      XCTAssertEqual(try ArchivedForm.roundTrip(untyped), untyped, message)
      let rows = Result { try context.fetch(fetch).map(\.id) }.mapError { "\($0)" as Failure }
      XCTAssertEqual(Result { try context.fetch(read).map(\.id) }.mapError { "\($0)" as Failure }, rows, message)
      guard case .success(let ids) = rows else { continue }
      found += 1
      guard fetch.limit == nil, fetch.offset == 0 else { continue }
      let held = try all.filter { try read.condition.holds(for: $0) }.map(\.id)
      XCTAssertEqual(Set(ids), Set(held), message)
    }
    return found
  }

  func testATextLosesNothingOfAFetch() throws {
    let test = try TextStore()
    var found = 0
    let seeds = testSeeds(8)
    for seed in seeds {
      var fetches = RandomFetches(seed: seed)
      found += try check(Sorted.self, test.context, &fetches, seed)
      found += try check(Author.self, test.context, &fetches, seed)
      found += try check(Book.self, test.context, &fetches, seed)
      found += try check(Item.self, test.context, &fetches, seed)
    }
    XCTAssertGreaterThan(found, seeds.count * 240 / 2, "most fetches must be possible")
  }

  /// Damage at random places reads as another text, or throws.
  func testADamagedTextNeverTraps() throws {
    let pieces = [
      "(", ")", "\"", "`", "and", "or ", "not ", "any ", "-", "@", "\\", "\\u{", "\0", "\u{301}", "where", ",", "nil",
      "99999999999999999999", "2026-13-40", "x\"0", "between 1 and", "[", "]", "id", ".", "count(", "date(", "nan(",
    ]
    for seed in testSeeds(4) {
      var fetches = RandomFetches(seed: seed)
      for _ in 0..<300 {
        var text = Array(fetches.fetch(of: Sorted.self).text.unicodeScalars)
        for _ in 0...fetches.number(0..<3) {
          let place = fetches.number(0..<text.count + 1)
          let end = min(text.count, place + fetches.number(0..<4))
          let piece = pieces.randomElement(using: &fetches.random)!.unicodeScalars
          text.replaceSubrange(place..<end, with: Bool.random(using: &fetches.random) ? Array(piece) : [])
        }
        var damaged = String.UnicodeScalarView()
        damaged.append(contentsOf: text)
        let written = String(damaged)
        do {
          let read = try Fetch<Sorted>(text: written)
          XCTAssertEqual(try Fetch<Sorted>(text: read.text), read, "seed \(seed): \(written)")
        } catch let error as FetchTextError {
          XCTAssertLessThanOrEqual(error.place.utf8Offset, written.utf8.count, "seed \(seed): \(written)")
        }
      }
    }
  }
}

private struct Failure: Error, Equatable, ExpressibleByStringInterpolation {
  let text: String
  init(stringLiteral text: String) { self.text = text }
}
