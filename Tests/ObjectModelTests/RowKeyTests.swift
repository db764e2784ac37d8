import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectModel

final class RowKeyTests: XCTestCase {
  private func key(_ columns: [PropertyValue], _ uuid: UniqueID = .zero) -> [UInt8] {
    EntityIndex.Kind.columns(columns.map { _ in .binary }).rowKeys(of: columns, uuid)[0]
  }

  private func order(_ left: [UInt8], _ right: [UInt8]) -> ValueOrder {
    left == right ? .same : left.lexicographicallyPrecedes(right) ? .before : .after
  }

  func testRowsSortByOneColumnAfterTheOther() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...4, using: &random)
      let left = (0..<count).map { _ in RandomValues.column(&random) }
      // Mostly equal in front, so that the columns behind decide.
      let right = left.map { Int.random(in: 0..<3, using: &random) > 0 ? $0 : RandomValues.column(&random) }
      var expected = ValueOrder.same
      var rest = RowKey.columnBytes
      for (place, (mine, other)) in zip(left, right).enumerated() where expected == .same {
        // What is cut sorts as what is left of it.
        let limit = RowKey.contentLimit(after: RowKey.columnBytes - rest, columnsLeft: count - place - 1)
        var (l, r): ([UInt8], [UInt8]) = ([], [])
        OrderKey.append(mine, limit: limit, to: &l)
        OrderKey.append(other, limit: limit, to: &r)
        expected = order(l, r)
        if limit == OrderKey.contentLimit { XCTAssertEqual(expected, mine.sortOrder(against: other)) }
        rest -= l.count
      }
      XCTAssertEqual(order(key(left), key(right)), expected, "\(left) | \(right)")
    }
  }

  func testNoRowIsTooLongForLMDBAndEachColumnKeepsSomething() {
    var random = SeededGenerator(seed: testSeed(default: 2))
    let long = String(repeating: "a\u{0}", count: 300)
    for count in 1...ResolvedSchema.columnLimit {
      XCTAssertLessThanOrEqual(key((0..<count).map { _ in .string(long) }).count + 5, 511)
      for _ in 0..<200 {
        let row = key((0..<count).map { _ in RandomValues.column(&random) })
        XCTAssertLessThanOrEqual(row.count + 5, 511)
        var rest = row[...]
        for _ in 0..<count {
          guard let length = OrderKey.length(Array(rest)) else { return XCTFail("no key in \(rest)") }
          rest = rest.dropFirst(length)
        }
        XCTAssertEqual(rest.count, 16)
      }
    }
  }

  func testATextBesideNumbersIsKeptAsLongAsAlone() {
    let uuid = UniqueID(high: 1, low: 2)
    let text = PropertyValue.string(String(repeating: "x", count: 396))
    let row = key([.bool(true), .uuid(uuid), .date(1), text, .int(1)], uuid)
    XCTAssertEqual(row.count, 2 + 17 + 9 + 399 + 9 + 16)
    XCTAssertTrue(row.dropFirst(28).starts(with: OrderKey.bytes(of: text)))
  }

  // MARK: Declaring indexes

  private func refusal(_ properties: [Property]) -> SchemaError? {
    final class Thing: PersistentModel {
      nonisolated(unsafe) static var entity = Entity(Thing.self, name: "Thing", properties: [])
      let _storage: ObjectStorage
      init(_storage: ObjectStorage) { self._storage = _storage }
      struct Fields: FieldSet {
        typealias Model = Thing
        init(_ path: FieldPath) {}
      }
      var snapshot: String { "" }
    }
    let all: [Property] = [
      .attribute("name", String.self), .attribute("rank", Int.self), .toOne("parent", Thing.self, inverse: "children"),
      .toMany("children", Thing.self), .toOne("twin", Thing.self, inverse: "other"), .toOne("other", Thing.self),
    ]
    Thing.entity = Entity(Thing.self, name: "Thing", properties: all + properties)
    do throws(SchemaError) {
      _ = try ResolvedSchema(Schema(Thing.self))
      return nil
    } catch {
      return error
    }
  }

  func testAnIndexOverWhatIsNotThereIsRefused() {
    XCTAssertNil(refusal([.index(["rank", "name"]), .index(["name", "rank"]), .index(["parent"])]))
    XCTAssertNil(refusal([.searchIndex("name"), .index(["rank"]), .index(["parent", "twin", "rank"])]))
    let columns = { (names: [IndexColumn]) in self.refusal([.index(names)]) }
    XCTAssertEqual(columns([]), .emptyIndex(entity: "Thing"))
    XCTAssertEqual(
      columns(["rank", "size"]), .unknownColumn(entity: "Thing", index: "[rank, size]", column: "size"))
    XCTAssertEqual(
      columns(["[rank]"]), .unknownColumn(entity: "Thing", index: "[[rank]]", column: "[rank]"))
    XCTAssertEqual(
      columns(["children", "rank"]),
      .columnNotStored(entity: "Thing", index: "[children, rank]", column: "children"))
    XCTAssertEqual(
      columns(["other"]), .columnNotStored(entity: "Thing", index: "[other]", column: "other"))
    XCTAssertEqual(
      columns(["rank", "name", "rank"]),
      .repeatedColumn(entity: "Thing", index: "[rank, name, rank]", column: "rank"))
    let image = Property.attribute("image", Blob.self)
    XCTAssertEqual(
      refusal([image, .index(["rank", "image"])]),
      .columnIsBlob(entity: "Thing", index: "[rank, image]", column: "image"))
    XCTAssertNil(refusal([image, .index(["image"])]))
    XCTAssertEqual(refusal([.searchIndex("rank")]), .notSearchable(entity: "Thing", property: "rank"))
    XCTAssertEqual(refusal([.searchIndex("parent")]), .notSearchable(entity: "Thing", property: "parent"))
    XCTAssertEqual(
      refusal([.index(["rank", "name"]), .index(["rank", "name"])]),
      .duplicateProperty(entity: "Thing", property: "[rank, name]"))
    let many = (0..<17).map { Property.attribute("a\($0)", Int.self) }
    guard
      case .tooManyColumns("Thing", _, 16)? = refusal(many + [.index((0..<17).map { IndexColumn("a\($0)") })])
    else { return XCTFail("17 columns") }
  }

  func testAnIndexIsNeitherAttributeNorRelationship() throws {
    let slot = 6
    XCTAssertEqual(Todo.entity.properties[slot].name, "[isDone, due]")
    XCTAssertNil(Todo.entity.properties[slot].attribute)
    XCTAssertNil(Todo.entity.properties[slot].relationship)
    XCTAssertNil(Todo.entity.slot(named: "[isDone, due]"))
    XCTAssertEqual(Todo.entity.defaults[slot], .null)
  }
}
