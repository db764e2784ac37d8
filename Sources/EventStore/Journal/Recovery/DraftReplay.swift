import CRepriseChecksums
import RepriseObjectModel

/// A draft replayed from rows and entries. Entities and properties keep the store's numbers, so that no entry is lost
/// to a change of models.
struct DraftReplay: Sendable {
  var header: DraftHeader
  /// Whether a header was read; otherwise only the ID is known.
  var hasHeader = false
  /// Whether the draft has begun and not ended. It ends when nothing is left of it that was not saved or discarded.
  var exists = false
  /// The generation for new edits: no lower than any seen, and higher than all consumed.
  var generation: UInt64 = 0
  /// Oldest first. A save removes the lower layers and keeps the upper ones.
  var layers: [Layer] = []
  var problems: [JournalProblem] = []
  /// How many of its rows are missing or damaged; 0 once its edits are saved or discarded.
  var lostRows = 0
  /// When an entry about it was last written, in microseconds since 1970; 0 if it is not known.
  var changedAt: UInt64 = 0
  /// An upper bound of the edits to come.
  var expected = 0
  /// Whether an entry needs what was left unread: the draft has to be read as a whole.
  private(set) var needsUnread = false
  /// Reused for each step.
  private var scratch = EncodedEdit()

  /// The edits of one generation.
  struct Layer: Sendable {
    let generation: UInt64
    /// The journals that hold edits of this layer; empty if all are checkpointed.
    var journals: [UniqueID] = []
    var net = NetChanges()
    var groups: [Group] = []
    var redo: [Group] = []
    /// How many groups the rows have below these, if they were not read. Of the net changes there are then those of
    /// the objects that entries touch.
    var unreadGroups = 0
    var unreadRedo = 0

    init(generation: UInt64, expecting count: Int = 0) {
      self.generation = generation
      net.reserve(count)
      groups.reserveCapacity(count)
    }
  }

  /// An undo group: the bytes of its ``EncodedEdit``s, decoded on demand.
  struct Group: Sendable {
    var name: String?
    var reversal: Reversal?
    // Most groups have one step, which then needs no array.
    private var first: ArraySlice<UInt8>?
    private var rest: [ArraySlice<UInt8>] = []

    init(name: String?, reversal: Reversal? = nil) {
      self.name = name
      self.reversal = reversal
    }

    /// As ``DraftGroup/isMark``.
    var isMark: Bool { first == nil && reversal?.origin == .undo }

    var steps: [ArraySlice<UInt8>] { first.map { [$0] + rest } ?? [] }

    mutating func append(_ step: ArraySlice<UInt8>) {
      if first == nil { first = step } else { rest.append(step) }
    }
  }

  init(_ id: String) { header = DraftHeader(id: id, base: 0) }

  var isEmpty: Bool { layers.isEmpty }

  mutating func begin(_ row: DraftHeaderRow) {
    header = row.header
    hasHeader = row.isKnown
    exists = true
    generation = row.generation
    changedAt = row.changedAt
  }

  /// Removes the edits up to a generation, which were saved or discarded.
  mutating func empty(upTo generation: UInt64) {
    layers.removeAll { $0.generation <= generation }
    if layers.isEmpty { beGone() }
    passed(generation)
  }

  /// Removes edits that saves consumed, by journal.
  mutating func remove(_ consumed: [UniqueID: UInt64]) {
    if layers.isEmpty { return }
    layers.removeAll { layer in layer.journals.contains { layer.generation <= consumed[$0] ?? 0 } }
    if layers.isEmpty { beGone() }
  }

  /// Nothing is left of it, nor of its problems. What it is stays known, for edits that follow in the same file.
  private mutating func beGone() {
    exists = false
    problems = []
    lostRows = 0
  }

  /// Edits of this generation are gone, so new ones must have a higher one.
  mutating func passed(_ generation: UInt64) {
    if generation < .max { self.generation = max(self.generation, generation + 1) }
  }

  mutating func end() {
    layers = []
    lostRows = 0
    header = DraftHeader(id: header.id, base: 0)
    hasHeader = false
    exists = false
    generation = 0
    problems = []
  }

  mutating func edit(
    _ bytes: ArraySlice<UInt8>, _ head: EditHead, journal: UniqueID, isSound: Bool
  ) throws(MalformedBytes) {
    try scratch.read(bytes)
    exists = true
    let generation = head.generation
    self.generation = max(self.generation, generation)
    // What takes back the log is in one order with what is in the rows.
    if head.reversal != nil { needsUnread = true }
    let isByUndo = head.reversal?.origin == .undo
    if !isByUndo {
      for index in layers.indices {
        if !layers[index].redo.isEmpty { layers[index].redo.removeAll() }
        layers[index].unreadRedo = 0
      }
    }
    // An edit of no properties in no group of its own only clears the redo stack.
    if !head.startsGroup, scratch.kind == .updated, scratch.fields.isEmpty { return }
    if layers.last?.generation != generation {
      // Most drafts have one layer, but a journal may have as many as edits, so only the first one reserves room.
      layers.append(Layer(generation: generation, expecting: layers.isEmpty ? expected : 0))
    }
    let top = layers.count - 1
    if layers[top].journals.last != journal { layers[top].journals.append(journal) }
    let joinsUnread = !head.startsGroup && layers[top].groups.isEmpty && layers[top].unreadGroups > 0
    if !joinsUnread, head.startsGroup || layers[top].groups.isEmpty {
      layers[top].groups.append(Group(name: head.name, reversal: head.reversal))
      if isByUndo { layers[top].redo.append(Group(name: head.name, reversal: head.reversal)) }
    }
    let group = layers[top].groups.count - 1
    var step = EncodedEdit()
    swap(&step, &scratch)
    defer { swap(&step, &scratch) }
    let isAsRead = apply(&step, to: top, isSound: isSound)
    guard !joinsUnread, !step.fields.isEmpty || step.kind != .updated else { return }
    layers[top].groups[group].append(isAsRead ? bytes : step.bytes[...])
  }

  mutating func undo() throws(MalformedBytes) {
    guard let top = layers.lastIndex(where: { !$0.groups.isEmpty || $0.unreadGroups > 0 }) else { return }
    guard let group = layers[top].groups.popLast() else { return needsUnread = true }
    for bytes in group.steps.reversed() {
      var step = try EncodedEdit(bytes).inverse
      _ = apply(&step, to: top, isSound: true)
    }
    layers[top].redo.append(group)
    // The layers above were undone earlier, and must not hide the values that this undo restores.
    for index in layers.indices where index > top { layers[index].net = NetChanges() }
  }

  mutating func redoLast() throws(MalformedBytes) {
    guard let bottom = layerToRedo else { return }
    guard let group = layers[bottom].redo.popLast() else { return needsUnread = true }
    if group.isMark {
      guard let staged = layers[bottom].groups.popLast() else { return }
      for bytes in staged.steps.reversed() {
        var step = try EncodedEdit(bytes).inverse
        _ = apply(&step, to: bottom, isSound: true)
      }
      return
    }
    for bytes in group.steps {
      var step = try EncodedEdit(bytes)
      _ = apply(&step, to: bottom, isSound: true)
    }
    layers[bottom].groups.append(group)
  }

  /// The layer of the group to be redone next. Layers are undone from the top down; only what `undo()` staged on top of
  /// what was undone below comes before that.
  private var layerToRedo: Int? {
    layers.lastIndex { $0.redo.contains(where: \.isMark) }
      ?? layers.firstIndex { !$0.redo.isEmpty || $0.unreadRedo > 0 }
  }

  /// Where the groups to be redone are, the next one first.
  var redoPlaces: [(layer: Int, group: Int)] {
    let first = layers.indices.filter { layers[$0].redo.contains(where: \.isMark) }.reversed()
    let rest = layers.indices.filter { !first.contains($0) }
    return (first + rest).flatMap { layer in layers[layer].redo.indices.reversed().map { (layer, $0) } }
  }

  /// The value that the draft assigned to a property; `nil` if it never did.
  func value(_ object: ObjectAddress, _ number: UInt32) -> DraftValue? {
    value(object, number, from: layers.count - 1)
  }

  /// The same as seen from a layer: the layers above are ignored.
  private func value(_ object: ObjectAddress, _ number: UInt32, from layer: Int) -> DraftValue? {
    for index in stride(from: layer, through: 0, by: -1) {
      if let value = layers[index].net.value(object, number) { return value }
    }
    return nil
  }

  /// False if the step had to be adapted to fit.
  private mutating func apply(_ step: inout EncodedEdit, to layer: Int, isSound: Bool) -> Bool {
    switch step.kind {
    case .inserted:
      layers[layer].net.insert(step.object, step.values)
      return true
    case .deleted:
      layers[layer].net.delete(step.object, step.values)
      return true
    case .updated:
      var isAsRead = true
      for index in step.fields.indices.reversed() {
        let number = step.fields[index].number
        switch step.fields[index].form {
        case .value: break
        case .set(let old, let new): layers[layer].net.set(step.object, number, from: old, to: new)
        case .splicedFrom(let old, let splice):
          var new = old
          splice.apply(to: &new.content)
          layers[layer].net.set(step.object, number, from: old, to: new)
        case .spliced(let splice, let length, let sum):
          guard !applied(splice, length, sum, step.object, number, layer, isSound) else { continue }
          isAsRead = false
          if let placed = place(splice, length, step.object, number, layer) {
            step.fields[index].form = placed
          } else {
            step.fields.remove(at: index)
          }
        }
      }
      return isAsRead
    }
  }

  /// In an undamaged file the writer guarantees that a splice refers to this very text, so only the cheap checks run.
  private mutating func applied(
    _ splice: OwnedSplice, _ length: Int, _ sum: UInt32, _ object: ObjectAddress, _ number: UInt32, _ layer: Int,
    _ isSound: Bool
  ) -> Bool {
    func isRight(_ value: DraftValue) -> Bool {
      guard value.isLong, value.content.count == length, splice.fits(value.content) else { return false }
      return isSound || value.content.withUnsafeBytes { reprise_crc32c(0, $0.baseAddress, $0.count) } == sum
    }
    if layers[layer].net.splice(object, number, splice, where: isRight) { return true }
    guard layers[layer].net.value(object, number) == nil, layer > 0,
      let below = value(object, number, from: layer - 1), isRight(below)
    else { return false }
    var new = below
    splice.apply(to: &new.content)
    layers[layer].net.set(object, number, from: below, to: new)
    return true
  }

  /// Places a splice after earlier edits were lost. They are least likely to have touched the text after it, so its
  /// offset counts from the end; failing that, from the start; failing that, it only inserts, as near as possible.
  private mutating func place(
    _ splice: OwnedSplice, _ length: Int, _ object: ObjectAddress, _ number: UInt32, _ layer: Int
  ) -> EncodedEdit.Form? {
    guard let current = value(object, number, from: layer), current.isLong else {
      note(.textLost(draft: header.id, object: object.uuid))
      return nil
    }
    note(.approximateText(draft: header.id, object: object.uuid))
    let count = current.content.count
    let behind = length - splice.offset - splice.removed.count
    var placed = splice
    if splice.fits(current.content, at: count - behind - splice.removed.count) {
      placed.offset = count - behind - splice.removed.count
    } else if !splice.fits(current.content) {
      placed.offset = max(0, min(count, count - behind))
      placed.removed = []
    }
    var new = current
    placed.apply(to: &new.content)
    layers[layer].net.set(object, number, from: current, to: new)
    return .spliced(placed, length: count, sum: 0)
  }

  private mutating func note(_ problem: JournalProblem) {
    if !problems.contains(problem) { problems.append(problem) }
  }
}

extension EncodedEdit {
  fileprivate var values: [(UInt32, DraftValue)] {
    fields.compactMap { field in
      if case .value(let value) = field.form { (field.number, value) } else { nil }
    }
  }
}
