import RepriseLog
import RepriseObjectModel

/// The summary of a draft's rows in its header. With it, a draft of many edits is resumed without reading them.
package struct DraftSummary: Equatable, Sendable {
  /// The edits of each generation, ascending.
  var layers: [Layer] = []
  /// The entities and properties that the net changes touch, by the number of the entity.
  private(set) var entities: [UInt32: Touched] = [:]
  /// Whether a group reverts a transaction of the log. Such a draft is saved group by group, so it is read as a whole.
  var hasReversals = false
  /// How many rows of the draft were missing or damaged when its rows were last written. The number stays until the
  /// edits are saved or discarded, so that each context that resumes the draft reports the loss.
  package var lostRows = 0

  package init() {}

  struct Layer: Equatable, Sendable {
    let generation: UInt64
    var changes = 0
    var groups = 0
    var redo = 0
  }

  struct Touched: Equatable, Sendable {
    /// The numbers of the properties that updates change.
    var properties: Set<UInt32> = []
    /// Whether objects are inserted or deleted, which changes all of their properties.
    var isWhole = false
  }

  /// How many rows a reader of everything would read.
  var rowCount: Int { layers.reduce(0) { $0 + $1.changes + $1.groups + $1.redo } }

  /// Removes the generations that a save has written to the log.
  mutating func consume(upTo generation: UInt64) {
    layers.removeAll { $0.generation <= generation }
    if layers.isEmpty { lostRows = 0 }
  }

  mutating func add(_ net: ChangeFold.Net, _ fold: ChangeFold, _ bytes: LentBytes) {
    guard fold.isChange(net, bytes) else { return }
    if net.kind == .updated {
      entities[net.object.entity, default: Touched()].properties.formUnion(fold.changedNumbers(net, bytes))
    } else {
      entities[net.object.entity, default: Touched()].isWhole = true
    }
  }

  /// Whether a change may give a property of an entity another value.
  func touches(_ property: UInt32, of entity: UInt32) -> Bool {
    guard let touched = entities[entity] else { return false }
    return touched.isWhole || touched.properties.contains(property)
  }

  /// Whether these models have all touched entities and properties.
  func isKnown(to map: SchemaMap) -> Bool {
    entities.allSatisfy { number, touched in
      guard let entity = map.map(number: number) else { return false }
      return touched.properties.allSatisfy { entity.slot($0) != nil }
    }
  }
}

extension ByteWriter {
  mutating func draftSummary(_ summary: DraftSummary) {
    varint(summary.layers.count)
    for layer in summary.layers {
      varint(layer.generation)
      varint(layer.changes)
      varint(layer.groups)
      varint(layer.redo)
    }
    varint(summary.entities.count)
    for (entity, touched) in summary.entities.heapSorted(by: { $0.key < $1.key }) {
      varint(UInt64(entity))
      append(touched.isWhole ? 1 : 0)
      varint(touched.properties.count)
      for property in touched.properties.sorted() { varint(UInt64(property)) }
    }
    append(summary.hasReversals ? 1 : 0)
    varint(summary.lostRows)
  }
}

extension DraftSummary {
  init(_ reader: inout ByteReader) throws(MalformedBytes) {
    for _ in 0..<(try reader.count(of: 4, "a count of generations")) {
      let generation = try reader.varint("a generation")
      guard layers.last.map({ $0.generation < generation }) ?? true else { throw reader.fail("a later generation") }
      layers.append(
        Layer(
          generation: generation, changes: try reader.number("a count of changes").asInt,
          groups: try reader.number("a count of groups").asInt, redo: try reader.number("a count of groups").asInt))
    }
    for _ in 0..<(try reader.count(of: 3, "a count of entities")) {
      let entity = try reader.number("an entity's number")
      var touched = Touched(isWhole: try reader.byte() == 1)
      for _ in 0..<(try reader.count(of: 1, "a count of properties")) {
        touched.properties.insert(try reader.number("a property's number"))
      }
      entities[entity] = touched
    }
    hasReversals = try reader.byte() == 1
    lostRows = try reader.number("a count of lost rows").asInt
  }
}

extension UInt32 {
  fileprivate var asInt: Int { Int(self) }
}
