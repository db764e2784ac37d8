import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseTestLog
import RepriseTestSeeds
import XCTest

/// Random edits, undos, saves, checkpoints and kills, against a model that forgets nothing.
final class JournalRandomTests: JournalTestCase {
  /// A draft as its context has it.
  private struct Model {
    struct Layer {
      var generation: UInt64
      var groups: [DraftGroup] = []
      var redo: [DraftGroup] = []

      var changes: ObjectMap<ObjectChange> {
        var changes: ObjectMap<ObjectChange> = [:]
        for edit in groups.flatMap(\.edits) {
          changes[edit.object] = changes[edit.object].map { $0.followed(by: edit.change) } ?? edit.change
        }
        return changes
      }
    }

    let id: String
    var isBegun = false
    /// Whether the next edit says again what the draft is.
    var needsHeader = false
    var generation: UInt64
    var layers: [Layer] = []
    /// The highest generation that a save consumed.
    var consumed: UInt64 = 0
    /// What lies below the edits.
    var base: [AnyObjectID: ContiguousArray<PropertyValue>]

    var changes: ObjectMap<ObjectChange> {
      var changes: ObjectMap<ObjectChange> = [:]
      for (object, change) in layers.flatMap(\.changes) {
        changes[object] = changes[object].map { $0.followed(by: change) } ?? change
      }
      return changes
    }

    var values: [AnyObjectID: ContiguousArray<PropertyValue>] {
      var values = base
      for (object, change) in layers.flatMap(\.changes) { values[object] = change.applied(to: values[object]) }
      return values
    }

    var groups: [DraftGroup] { layers.flatMap(\.groups) }
    var redo: [DraftGroup] { layers.reversed().flatMap(\.redo) }

    mutating func record(_ edit: DraftEdit, startsGroup: Bool, name: String?) {
      if layers.last?.generation != generation { layers.append(Layer(generation: generation)) }
      for index in layers.indices { layers[index].redo = [] }
      let top = layers.count - 1
      if startsGroup || layers[top].groups.isEmpty { layers[top].groups.append(DraftGroup(name: name)) }
      layers[top].groups[layers[top].groups.count - 1].edits.append(edit)
    }

    mutating func undo() -> Bool {
      guard let layer = layers.lastIndex(where: { !$0.groups.isEmpty }) else { return false }
      layers[layer].redo.append(layers[layer].groups.removeLast())
      return true
    }

    mutating func redoLast() -> Bool {
      guard let layer = layers.firstIndex(where: { !$0.redo.isEmpty }) else { return false }
      layers[layer].groups.append(layers[layer].redo.removeLast())
      return true
    }

    mutating func save(upTo generation: UInt64) {
      consumed = generation
      for layer in layers where layer.generation <= generation {
        for (object, change) in layer.changes { base[object] = change.applied(to: base[object]) }
      }
      layers.removeAll { $0.generation <= generation }
      if layers.isEmpty { isBegun = false }
    }
  }

  private var random = SeededGenerator(seed: 0)
  private var models: [Model] = []
  private var nextObject: UInt64 = 100

  func testDraftsAreWhatTheirContextsHadWhateverHappens() throws {
    for seed in testSeeds(40, from: 1) {
      random = SeededGenerator(seed: seed)
      try tearDownWithError()
      try setUpWithError()
      try run("seed \(seed)", steps: 120)
    }
  }

  private func run(_ note: String, steps: Int) throws {
    var journal = try open()
    var base: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
    for number in 1...4 { base[object(UInt64(number))] = try someValues() }
    models = ["a", "b"].map { Model(id: $0, generation: journal.nextGeneration(), base: base) }
    for step in 0..<steps {
      let index = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<58: try edit(index, journal)
      case 58..<66: if models[index].undo() { journal.append([.draftUndone(draft: models[index].id)]) }
      case 66..<70: if models[index].redoLast() { journal.append([.draftRedone(draft: models[index].id)]) }
      case 70..<74: models[index].generation = journal.nextGeneration()
      case 74..<77: try save(index, &journal)
      case 77..<79: discard(index, journal)
      case 79..<80: end(index, journal)
      case 80..<90: try journal.write()
      case 90..<93: try kill(&journal)
      case 93..<96: try checkpoint(journal)
      default: try breakOff(&journal)
      }
      if step % 5 == 0 { try check(journal, "\(note), step \(step)") }
    }
    try checkpoint(journal)
    try journal.close()
    try check(try open(), "\(note), closed")
  }

  private func check(_ journal: Journal, _ note: String) throws {
    let image = try image(journal)
    XCTAssertEqual(image.problems, [], note)
    for model in models {
      let draft = image.drafts[model.id]
      XCTAssertEqual(draft != nil, model.isBegun, note)
      XCTAssertEqual(draft?.changes ?? [:], model.changes, note)
      XCTAssertEqual(draft?.groups ?? [], model.groups, note)
      XCTAssertEqual(draft?.history.redo ?? [], model.redo, note)
      XCTAssertLessThanOrEqual(draft?.generation ?? 0, max(model.generation, model.consumed + 1), note)
    }
  }

  // MARK: What happens

  private func edit(_ index: Int, _ journal: Journal) throws {
    let values = models[index].values
    let edit: DraftEdit
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      nextObject += 1
      edit = DraftEdit(object: object(nextObject), change: .inserted(try someValues()))
    case 1:
      guard let (object, values) = values.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
      edit = DraftEdit(object: object, change: .deleted(values))
    default:
      guard let (object, before) = values.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
      guard let change = ObjectChange.updated(from: before, to: changed(before)) else { return }
      edit = DraftEdit(object: object, change: change)
    }
    var entries: [JournalEntry] = []
    if !models[index].isBegun || models[index].needsHeader {
      (models[index].isBegun, models[index].needsHeader) = (true, false)
      entries.append(began(models[index].id, generation: models[index].generation))
    }
    let startsGroup = Int.random(in: 0..<3, using: &random) == 0
    let name = Bool.random(using: &random) ? "Edit" : nil
    models[index].record(edit, startsGroup: startsGroup, name: name)
    entries.append(
      .draftEdited(
        draft: models[index].id, generation: models[index].generation, startsGroup: startsGroup, groupName: name, edit))
    journal.append(entries)
  }

  private func save(_ index: Int, _ journal: inout Journal) throws {
    guard models[index].isBegun else { return }
    let taken = models[index].generation
    models[index].generation = journal.nextGeneration()
    models[index].needsHeader = true
    for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(index, journal) }
    try consume(journal, models[index].id, upTo: taken)
    models[index].save(upTo: taken)
    if Int.random(in: 0..<3, using: &random) == 0 { return try kill(&journal) }
    journal.append([.draftEmptied(draft: models[index].id, upTo: taken)])
  }

  private func discard(_ index: Int, _ journal: Journal) {
    guard models[index].isBegun else { return }
    journal.append([.draftEmptied(draft: models[index].id, upTo: models[index].generation)])
    models[index].layers = []
    models[index].isBegun = false
    models[index].generation = journal.nextGeneration()
  }

  private func end(_ index: Int, _ journal: Journal) {
    guard models[index].isBegun else { return }
    journal.append([.draftEnded(draft: models[index].id)])
    models[index].layers = []
    models[index].isBegun = false
    models[index].generation = journal.nextGeneration()
  }

  /// The process dies within a write; the next one goes on with the drafts.
  private func kill(_ journal: inout Journal) throws {
    try journal.write()
    journal.abandon()
    if let name = files().randomElement(using: &random), Bool.random(using: &random) {
      let path = folder + "/" + name
      let tail = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      try write(try read(path) + tail, to: path)
    }
    journal = try open()
    for index in models.indices where models[index].isBegun {
      let image = try XCTUnwrap(draft(journal, models[index].id))
      // Edits go on in the generation that the image names, or in a new one.
      let isSame = image.generation >= (models[index].layers.last?.generation ?? 0) && Bool.random(using: &random)
      models[index].generation = isSame ? image.generation : journal.nextGeneration()
    }
    for index in models.indices where !models[index].isBegun { models[index].generation = journal.nextGeneration() }
  }

  /// A checkpoint that comes to a point and no further, then a kill or another checkpoint.
  private func breakOff(_ journal: inout Journal) throws {
    guard var checkpoint = try journal.beginCheckpoint() else { return }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      if Bool.random(using: &random) { try edit(Int.random(in: 0...1, using: &random), journal) }
      if !checkpoint.isDone { try commitSlice(&checkpoint) }
    }
    if Bool.random(using: &random) { try kill(&journal) }
  }

  // MARK: Values

  private func someValues() throws -> ContiguousArray<PropertyValue> {
    var values = try LogFixture.fullValues(map)
    values[LogSample.title] = .string(text(Int.random(in: 0...300, using: &random)))
    values[LogSample.blob] = .bytes([UInt8](repeating: 7, count: Int.random(in: 0...3_000, using: &random)))
    return values
  }

  private func text(_ count: Int) -> String {
    String((0..<count).map { _ in "abc é😀\n".randomElement(using: &random) ?? "a" })
  }

  private func changed(_ before: ContiguousArray<PropertyValue>) -> ContiguousArray<PropertyValue> {
    var values = before
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: values[LogSample.count] = .int(Int64.random(in: 0...3, using: &random))
      case 1: values[LogSample.note] = Bool.random(using: &random) ? .null : .string(text(5))
      case 2: values[LogSample.parent] = .reference(object(UInt64.random(in: 1...4, using: &random)))
      case 3:
        guard case .bytes(var bytes) = values[LogSample.blob] else { continue }
        let at = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: [1, 2, 3], at: at)
        values[LogSample.blob] = .bytes(bytes)
      default:
        guard case .string(var text) = values[LogSample.title] else { continue }
        let from = Int.random(in: 0...text.count, using: &random)
        let to = min(text.count, from + Int.random(in: 0...3, using: &random))
        let range = text.index(text.startIndex, offsetBy: from)..<text.index(text.startIndex, offsetBy: to)
        text.replaceSubrange(range, with: self.text(Int.random(in: 0...3, using: &random)))
        values[LogSample.title] = .string(text)
      }
    }
    return values
  }
}
