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

  private func stored(_ columns: [PropertyValue], _ uuid: UniqueID = .zero) -> [UInt8] {
    EntityIndex.Kind.columns(columns.map { _ in .binary }).storedRowKeys(of: columns, uuid)[0]
  }

  func testRowsSortByOneColumnAfterTheOther() {
    var random = SeededGenerator(seed: testSeed(default: 1))
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...4, using: &random)
      let left = (0..<count).map { _ in RandomValues.column(&random) }
      // Mostly equal in front, so that the columns behind decide.
      let right = left.map { Int.random(in: 0..<3, using: &random) > 0 ? $0 : RandomValues.column(&random) }
      let expected = zip(left, right).lazy.map { $0.order(against: $1) }.first { $0 != .same } ?? .same
      XCTAssertEqual(order(key(left), key(right)), expected, "\(left) | \(right)")
      // What a table stores never has them the other way round.
      let found = order(stored(left), stored(right))
      XCTAssertTrue(found == expected || found == .same, "\(left) | \(right)")
      if found != expected { XCTAssertTrue(RowKey.isShortened(stored(left).span.bytes)) }
    }
  }

  func testATableStoresTheBeginningOfARowKey() {
    var random = SeededGenerator(seed: testSeed(default: 2))
    let uuid = UniqueID(high: 1, low: 2)
    let long = String(repeating: "a\u{0}", count: 300)
    for count in 1...ResolvedSchema.columnLimit {
      XCTAssertEqual(stored((0..<count).map { _ in .string(long) }).count + 5, 511)
      for _ in 0..<200 {
        let columns = (0..<count).map { _ in RandomValues.column(&random) }
        let (whole, row) = (key(columns, uuid), stored(columns, uuid))
        XCTAssertEqual(row, whole.dropLast(16).prefix(RowKey.storedLimit) + whole.suffix(16))
        XCTAssertEqual(RowKey.isShortened(row.span.bytes), whole.count - 16 >= RowKey.storedLimit)
        if count == 1 {
          var alone: [UInt8] = [7]
          RowKey.appendStored(columns[0], uuid, to: &alone)
          XCTAssertEqual(alone, [7] + row)
        }
        let unique = UniqueKey(columns, columns.map { _ in .binary })
        XCTAssertEqual(unique == nil, columns.contains(where: \.isNull))
        if let unique { XCTAssertEqual(unique.row, Array(row.dropLast(16))) }
      }
    }
  }

  // MARK: Declaring indexes

  private func refusal(_ properties: [Property]) -> SchemaError? {
    final class Thing: TestModel {
      nonisolated(unsafe) static var entity = Entity(Thing.self, name: "Thing", properties: [])
      let _storage: ObjectStorage
      init(_storage: ObjectStorage) { self._storage = _storage }
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
