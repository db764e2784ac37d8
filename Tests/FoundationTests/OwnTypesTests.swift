import Foundation
import RepriseEventStore
import RepriseFoundation
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

private struct Address: CodableAttribute, Hashable {
  var street = ""
  var lines: [String] = []
  var numbers: [String: Double] = [:]
}

/// What is stored is what was assigned, and sorts as it does.
final class OwnTypesTests: XCTestCase {
  private struct Unencodable: CodableAttribute {
    struct Refusal: Error {}
    init() {}
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  func testObjectsAreFoundAndSortedByTheirPricesAlsoAfterReopening() async throws {
    let path = NSTemporaryDirectory() + "reprise-types-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let prices = ["10", "9.99", "-1", "100", "0"].compactMap { Decimal(string: $0) }
    var store = try await Store.open(path, for: Schema(Offer.self))
    try await store.write { context in
      for price in prices {
        let offer = context.insert(Offer())
        offer.price = price
        offer.address = Address(street: "\(price)")
        offer.page = URL(string: "https://example.org/\(price)")
        offer.lasts = .seconds(3)
        offer.branches = [Address(street: "\(price)"), Address()]
        offer.tariffs = ["\(price)": price, "": 1]
      }
    }
    try await store.close()
    store = try await Store.open(path, for: Schema(Offer.self))
    let context = RootContext(store)
    let offers = try context.fetch(Fetch<Offer>().sorted { $0.price.ascending })
    XCTAssertEqual(offers.map(\.price), prices.sorted())
    XCTAssertEqual(offers.map(\.address.street), prices.sorted().map { "\($0)" })
    XCTAssertEqual(offers.last?.page?.absoluteString, "https://example.org/100")
    XCTAssertEqual(offers.map(\.lasts), prices.map { _ in .seconds(3) })
    XCTAssertEqual(offers.map(\.branches), prices.sorted().map { [Address(street: "\($0)"), Address()] })
    XCTAssertEqual(offers.map(\.tariffs), prices.sorted().map { ["\($0)": $0, "": 1] })
    XCTAssertEqual(try context.count(Fetch<Offer> { $0.price > 9 }), 3)
    XCTAssertEqual(try context.fetch(Fetch<Offer> { $0.price == 10 }).count, 1)
    try await store.close()
  }

  func testDecimalsAreSummedToTheLastDigit() async throws {
    let path = NSTemporaryDirectory() + "reprise-types-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Offer.self))
    let context = RootContext(store)
    XCTAssertEqual(try context.aggregate(Fetch<Offer>()) { $0.price.sum }, 0)
    XCTAssertNil(try context.aggregate(Fetch<Offer>()) { $0.price.average })
    for text in ["0.1", "0.2", "123456789012345678901234567890.01", "-0.3"] {
      context.insert(Offer()).price = try XCTUnwrap(Decimal(string: text))
    }
    try await context.save()
    context.insert(Offer()).price = 0.99
    let (sum, average, most) = try context.aggregate(Fetch<Offer> { $0.price < 1_000 }) {
      ($0.price.sum, $0.price.average, $0.price.maximum)
    }
    XCTAssertEqual(sum, Decimal(string: "0.99"))
    XCTAssertEqual(average, Decimal(string: "0.2475"))
    XCTAssertEqual(most, Decimal(string: "0.99"))
    XCTAssertEqual(
      try context.aggregate(Fetch<Offer>()) { $0.price.sum }, Decimal(string: "123456789012345678901234567891"))
    let dear = Fetch<Offer>().grouped { $0.price }.select { $0.price.sum }.having { $0.price.sum > 1 }
    XCTAssertEqual(try context.fetch(dear).count, 1)
    context.insert(Offer()).price = .nan
    XCTAssertEqual(try context.aggregate(Fetch<Offer>()) { $0.price.sum }.isNaN, true)
    try await store.close()
  }

  func testASumOfDecimalsThatWouldLoseADigitIsRefused() async throws {
    let path = NSTemporaryDirectory() + "reprise-types-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Schema(Offer.self))
    let nines = String(repeating: "9", count: 38)
    let sums: [(numbers: [String], sum: String?)] = [
      // Of 39 digits, which fit below 2^128.
      (["1e38", "1"], "1" + String(repeating: "0", count: 37) + "1"), ([nines, "1"], "1e38"),
      (["1e100", "-1e100"], "0"),
      // The smaller number is shortened, the smaller number is lost, or the sum is shortened.
      ([nines, "0.5"], nil), (["1e38", "0.4"], nil), (["340282366920938463463374607431768211455", "6"], nil),
      (["340282366920938463463374607431768211451", "340282366920938463463374607431768211453"], nil),
    ]
    for (numbers, expected) in sums {
      for texts in [numbers, numbers.reversed()] {
        let context = RootContext(store)
        for text in texts { context.insert(Offer()).price = try XCTUnwrap(Decimal(string: text), text) }
        func aggregates() throws -> (Decimal, Decimal?) {
          try context.aggregate(Fetch<Offer>()) { ($0.price.sum, $0.price.average) }
        }
        if let expected {
          XCTAssertEqual(try aggregates().0, Decimal(string: expected), "\(texts)")
        } else {
          XCTAssertThrowsError(try aggregates(), "\(texts)") { error in
            XCTAssertEqual(error as? FetchError, .overflow("price.sum"))
          }
          XCTAssertThrowsError(try context.aggregate(Fetch<Offer>()) { $0.price.average }, "\(texts)") { error in
            XCTAssertEqual(error as? FetchError, .overflow("price.average"))
          }
        }
      }
    }
    try await store.close()
  }

  func testADecimalKeepsEveryDigit() throws {
    for text in [
      "0", "1", "-1", "0.1", "-0.1", "10", "100.00", "0.001", "-0.001", "123.456",
      "99999999999999999999999999999999999999",
      "-99999999999999999999999999999999999999", "340282366920938463463374607431768211455", "1e127", "-1e-127",
      "5e-128",
    ] {
      let number = try XCTUnwrap(Decimal(string: text), text)
      XCTAssertEqual(Decimal.from(number.propertyValue), number, text)
    }
    let great = Decimal(sign: .minus, exponent: 127, significand: 1_000_000)
    XCTAssertEqual(Decimal.from(great.propertyValue), great)
    XCTAssertEqual(Decimal.from(Decimal.greatestFiniteMagnitude.propertyValue), .greatestFiniteMagnitude)
    XCTAssertEqual(Decimal.from(Decimal.leastNonzeroMagnitude.propertyValue), .leastNonzeroMagnitude)
    XCTAssertEqual(Decimal.from(Decimal.nan.propertyValue)?.isNaN, true)
    XCTAssertEqual(Decimal(string: "1.0")?.propertyValue, Decimal(1).propertyValue)
    XCTAssertEqual(Decimal(string: "-0")?.propertyValue, Decimal(0).propertyValue)
  }

  func testDecimalsSortAsNumbers() {
    var random = SeededGenerator(seed: testSeed())
    var numbers: [Decimal] = [.nan, 0]
    for _ in 0..<2_000 {
      let significand = Decimal(Int64.random(in: -1_000...1_000, using: &random))
      numbers.append(Decimal(sign: .plus, exponent: Int.random(in: -20...20, using: &random), significand: significand))
      numbers.append(Decimal(Int64.random(in: .min ... .max, using: &random)) / 1_000)
    }
    for _ in 0..<20_000 {
      guard let one = numbers.randomElement(using: &random), let other = numbers.randomElement(using: &random) else {
        return
      }
      guard case .bytes(let left) = one.propertyValue, case .bytes(let right) = other.propertyValue else {
        return XCTFail("no bytes")
      }
      if one.isNaN || other.isNaN { continue }
      XCTAssertEqual(one < other, left.lexicographicallyPrecedes(right), "\(one) and \(other)")
      XCTAssertEqual(Decimal.from(.bytes(left)), one)
    }
  }

  func testBytesThatAreNoDecimalAreRefused() {
    var random = SeededGenerator(seed: testSeed())
    for _ in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...50, using: &random)).map { _ in UInt8.random(in: 0...12, using: &random) }
      if let number = Decimal.from(.bytes(bytes)) { XCTAssertEqual(number.propertyValue, .bytes(bytes), "\(number)") }
    }
    XCTAssertNil(Decimal.from(.string("1")))
    XCTAssertNil(Decimal.from(.null))
  }

  func testADurationKeepsItsAttosecondsAndSortsByLength() {
    let durations: [Duration] = [
      .seconds(-1), .nanoseconds(-1), .zero, .nanoseconds(1), .milliseconds(1), .seconds(3),
      .seconds(Int64.max / 1_000),
      Duration(secondsComponent: 5, attosecondsComponent: 1), Duration(secondsComponent: -5, attosecondsComponent: -1),
    ]
    for duration in durations { XCTAssertEqual(Duration.from(duration.propertyValue), duration) }
    let sorted = durations.sorted()
    let stored = durations.map { duration -> [UInt8] in
      if case .bytes(let bytes) = duration.propertyValue { bytes } else { [] }
    }
    XCTAssertEqual(
      stored.sorted { $0.lexicographicallyPrecedes($1) }.map { Duration.from(.bytes($0)) }, sorted)
    XCTAssertNil(Duration.from(.bytes([1, 2, 3])))
    XCTAssertNil(Duration.from(.bytes([UInt8](repeating: 255, count: 16))))
    XCTAssertNil(Duration.from(.int(3)))
  }

  func testAURLIsKept() throws {
    let url = try XCTUnwrap(URL(string: "https://example.org/a%20b?c=d#e"))
    XCTAssertEqual(url.propertyValue, .string("https://example.org/a%20b?c=d#e"))
    XCTAssertEqual(URL.from(url.propertyValue), url)
    XCTAssertNil(URL.from(.string("")))
    XCTAssertNil(URL.from(.int(1)))
  }

  func testAStructIsKeptWithItsArraysAndDictionaries() {
    let address = Address(street: "High Street/1", lines: ["a", "é"], numbers: ["z": 1, "a": .infinity])
    XCTAssertEqual(
      address.propertyValue,
      .string(#"{"lines":["a","é"],"numbers":{"a":"+∞","z":1},"street":"High Street/1"}"#))
    XCTAssertEqual(Address.from(address.propertyValue), address)
    XCTAssertNil(Address.from(.string("{")))
    XCTAssertNil(Address.from(.null))
    let none: Address? = nil
    XCTAssertEqual(none.propertyValue, .null)
    XCTAssertEqual(Unencodable().propertyValue, .null)
  }
}

private final class Offer: TestModel {
  static let entity = Entity(
    Offer.self, name: "Offer",
    properties: [
      .attribute("price", Decimal.self, default: 0, indexed: true),
      .attribute("address", Address.self, default: Address()), .attribute("page", URL?.self),
      .attribute("lasts", Duration.self, default: .zero), .attribute("branches", [Address].self),
      .attribute("tariffs", [String: Decimal].self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  @Stored(0) var price: Decimal
  @Stored(1) var address: Address
  @Stored(2) var page: URL?

  @Stored(3) var lasts: Duration
  @Stored(4) var branches: [Address]
  @Stored(5) var tariffs: [String: Decimal]

  struct Fields: FieldSet {
    typealias Model = Offer
    let price: Field<Offer, Decimal>
    init(_ path: FieldPath) { price = Field(path.appending("price")) }
  }
}
