import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseObjectGraph

final class AggregateTests: XCTestCase {
  private func store() throws -> TestStore { try TestStore(Schema(Sale.self, Shop.self)) }

  func testAggregatesOfNothingAreZeroOrNil() throws {
    let test = try store()
    let context = RootContext(test.store)
    let (count, sum, real, average, least) = try context.aggregate(Fetch<Sale>()) {
      ($0.objectCount, $0.number.sum, $0.plainReal.sum, $0.plainReal.average, $0.text.minimum)
    }
    XCTAssertEqual(count, 0)
    XCTAssertEqual(sum, 0)
    XCTAssertEqual(real, 0)
    XCTAssertNil(average)
    XCTAssertNil(least)
    XCTAssertEqual(try context.distinct(Fetch<Sale>()) { $0.text }, [])
    XCTAssertEqual(try context.fetch(Fetch<Sale>().grouped { $0.text }).count, 0)
    context.insert(Sale())
    XCTAssertNil(try context.aggregate(Fetch<Sale>()) { $0.number.average })
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.number.sum }, 0)
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.number.count }, 0)
    XCTAssertEqual(try context.distinct(Fetch<Sale>()) { $0.number }, [])
    let groups = try context.fetch(Fetch<Sale>().grouped { $0.text })
    XCTAssertEqual(groups.count, 1)
    XCTAssertNil(try XCTUnwrap(groups.first).key)
  }

  func testASumBeyond64BitsIsRefusedAndOneThatComesBackIsNot() throws {
    let test = try store()
    let context = RootContext(test.store)
    for number in [Int.max, 1] { context.insert(Sale(number: number)).unsigned = .max }
    XCTAssertThrowsError(try context.aggregate(Fetch<Sale>()) { $0.number.sum }) {
      XCTAssertEqual($0 as? FetchError, .overflow("number.sum"))
    }
    XCTAssertThrowsError(try context.aggregate(Fetch<Sale>()) { $0.unsigned.sum })
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.number.average }, 4.611686018427388e18)
    let grouped = Fetch<Sale>().grouped { $0.isPaid }.select { $0.number.sum }
    XCTAssertThrowsError(try context.fetch(grouped))
    // Whatever the order, only the sum of all counts.
    context.insert(Sale(number: -2))
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.number.sum }, Int.max - 1)
  }

  func testAFloatingPointSumLosesNoSmallNumbersBesideGreatOnes() throws {
    let test = try store()
    let context = RootContext(test.store)
    for number in [1, 1e100, 1, -1e100] { context.insert(Sale()).plainReal = number }
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.plainReal.sum }, 2)
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.plainReal.average }, 0.5)
    context.insert(Sale()).plainReal = .infinity
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.plainReal.sum }, .infinity)
    context.insert(Sale()).plainReal = -.infinity
    XCTAssert(try context.aggregate(Fetch<Sale>()) { $0.plainReal.sum }.isNaN)
  }

  func testALimitBoundsWhatIsAggregated() async throws {
    let test = try store()
    let context = RootContext(test.store)
    for number in 0..<20 { context.insert(Sale(text: "\(number % 3)", number: number)) }
    try await context.save()
    let three = Fetch<Sale>().sorted { $0.number.descending }.limit(3, offset: 1)
    XCTAssertEqual(try context.aggregate(three) { $0.number.sum }, 18 + 17 + 16)
    XCTAssertEqual(try context.aggregate(three) { $0.number.maximum }, 18)
    XCTAssertEqual(try context.distinct(three) { $0.number }, [16, 17, 18])
    XCTAssertEqual(try context.fetch(three.grouped { $0.text }).map(\.count), [1, 1, 1])
    XCTAssertEqual(try context.aggregate(three.limit(0)) { $0.objectCount }, 0)
  }

  /// Too many values for steps from one to the next, few, and those whose keys are cut.
  func testRunsOfAnIndexAreThoseOfItsRows() async throws {
    let test = try store()
    let context = RootContext(test.store)
    for number in 0..<500 { context.insert(Sale(text: "\(number / 100)", number: number)) }
    try await context.save()
    XCTAssertEqual(try context.distinct(Fetch<Sale>()) { $0.number }, Array(0..<500))
    XCTAssertEqual(try context.aggregate(Fetch<Sale>()) { $0.number.distinctCount }, 500)
    let texts = try context.fetch(Fetch<Sale> { $0.text >= "2" }.grouped { $0.text }.sorted { $0.text.descending })
    XCTAssertEqual(texts.map(\.key), ["4", "3", "2"])
    XCTAssertEqual(texts.map(\.count), [100, 100, 100])
    let long = String(repeating: "y", count: 1000)
    for end in ["b", "a", "b"] { context.insert(Sale(text: long + end)) }
    let longest = Fetch<Sale> { $0.text >= "y" }
    XCTAssertEqual(try context.distinct(longest) { $0.text }, [long + "a", long + "b"])
    XCTAssertEqual(try context.aggregate(longest) { $0.text.minimum }, long + "a")
    XCTAssertEqual(try context.aggregate(longest) { $0.text.maximum }, long + "b")
    XCTAssertEqual(try context.fetch(longest.grouped { $0.text }).map(\.count), [1, 2])
  }

  func testWhatDoesNotFitTheModelIsRefused() throws {
    let test = try store()
    let context = RootContext(test.store)
    let fetch = Fetch<Sale>()
    XCTAssertThrowsError(try context.fetch(fetch.grouped { $0.text }.sorted { $0.number.ascending })) {
      XCTAssertEqual($0 as? FetchError, .notGrouped("number"))
    }
    XCTAssertThrowsError(try context.fetch(fetch.grouped { $0.text }.limit(-1))) {
      XCTAssertEqual($0 as? FetchError, .negativeLimit(-1))
    }
    XCTAssertThrowsError(try context.fetch(fetch.grouped { $0.text }.limit(1, offset: -1))) {
      XCTAssertEqual($0 as? FetchError, .negativeOffset(-1))
    }
    let text = Field<Sale, Int>(FieldPath.root.appending("text"))
    XCTAssertThrowsError(try context.aggregate(fetch) { _ in text.sum }) {
      XCTAssertEqual($0 as? FetchError, .wrongType(term: "text", expected: "a number", found: "a text"))
    }
    let nothing = Field<Sale, Int>(FieldPath.root.appending("nothing"))
    XCTAssertThrowsError(try context.distinct(fetch) { _ in nothing })
    XCTAssertThrowsError(try context.fetch(fetch.grouped { _ in nothing }))
    let shop = Field<Sale, Int>(FieldPath.root.appending("shop"))
    XCTAssertThrowsError(try context.aggregate(fetch) { _ in shop.minimum })
  }

  /// A damaged record is an error, not an object that is left out.
  func testAnUnreadableRecordIsNotLeftOut() async throws {
    let test = try store()
    let context = RootContext(test.store)
    let sales = (0..<10).map { (number: Int) in context.insert(Sale(text: "\(number)", number: number)) }
    let shop = context.insert(Shop(name: "shop"))
    sales[0].shop = shop
    try await context.save()
    let map = try XCTUnwrap(test.store.map.map(Sale.entity.interned))
    try test.store.damageRecords([sales[3].id.any], map)
    let reader = RootContext(test.store)
    XCTAssertThrowsError(try reader.aggregate(Fetch<Sale>()) { $0.small.sum })
    XCTAssertThrowsError(try reader.fetch(Fetch<Sale>().grouped { $0.isPaid }))
    // The ends of an index are read, and nothing else.
    XCTAssertEqual(try reader.aggregate(Fetch<Sale>()) { $0.number.maximum }, 9)
    let shops = try XCTUnwrap(test.store.map.map(Shop.entity.interned))
    try test.store.damageRecords([shop.id.any], shops)
    XCTAssertThrowsError(try RootContext(test.store).fetch(Fetch<Sale> { $0.number == 0 }.grouped { $0.shop.name }))
  }

  /// An index has numbers and UUIDs as they are stored.
  func testValuesThatAnIndexHasAreNotReadFromObjects() async throws {
    let test = try store()
    let context = RootContext(test.store)
    let seller = UniqueID()
    let sales = (0..<200).map { number in
      let sale = context.insert(Sale())
      if number >= 10 { sale.discount = Int8(number % 20) - 10 }
      sale.seller = seller
      return sale
    }
    try await context.save()
    try test.store.damageRecords(sales.map(\.id.any), XCTUnwrap(test.store.map.map(Sale.entity.interned)))
    let reader = RootContext(test.store)
    let all = Fetch<Sale>()
    XCTAssertEqual(try reader.aggregate(all) { $0.discount.distinctCount }, 20)
    XCTAssertEqual(try reader.aggregate(all) { $0.discount.minimum }, -10)
    XCTAssertEqual(try reader.aggregate(all) { $0.discount.maximum }, 9)
    XCTAssertEqual(try reader.distinct(all) { $0.discount }, (-10..<10).map { Int8($0) })
    XCTAssertEqual(try reader.distinct(all) { $0.seller }, [seller])
    XCTAssertEqual(try reader.fetch(all.grouped { $0.discount }).count, 21)
  }

  func testNoObjectsAreMade() async throws {
    let test = try store()
    let context = RootContext(test.store)
    for number in 0..<300 { context.insert(Sale(text: "\(number % 7)", number: number)) }
    try await context.save()
    let reader = RootContext(test.store)
    _ = try reader.aggregate(Fetch<Sale> { $0.number > 3 }) { ($0.small.sum, $0.text.minimum) }
    _ = try reader.fetch(Fetch<Sale>().grouped { $0.text }.select { $0.number.sum })
    _ = try reader.distinct(Fetch<Sale>()) { $0.text }
    XCTAssert(reader.instances.live.isEmpty)
  }
}
