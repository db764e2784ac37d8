import RepriseLog
import RepriseObjectModel

/// A draft replayed from rows and entries. Entities and properties keep the store's numbers, so that no entry is lost
/// to a change of models.
package struct DraftReplay: Sendable {
  package var header: DraftHeader
  /// Whether a header was read. Otherwise only the ID is known.
  var hasHeader = false
  /// Whether the draft has begun and not ended. It ends when nothing is left of it that was not saved or discarded.
  var exists = false
  /// The generation for new edits: no lower than any seen, and higher than all consumed.
  var generation: UInt64 = 0
  /// Oldest first. A save removes the lower layers and keeps the upper ones.
  package var layers: [Layer] = []
  /// The bytes that layers refer to.
  package var bytes = DraftBytes()
  var problems: [JournalProblem] = []
  /// How many of its rows are missing or damaged. 0 once its edits are saved or discarded.
  var lostRows = 0
  /// When an entry about it was last written, in microseconds since 1970. 0 if it is not known.
  var changedAt: UInt64 = 0
  /// An upper bound of the edits to come.
  var expected = 0
  /// Whether an entry needs the unread part. Then the draft must be read as a whole.
  private(set) var needsUnread = false

  /// The edits of one generation.
  package struct Layer: Sendable {
    let generation: UInt64
    /// The journals that hold edits of this layer. Empty if all are checkpointed.
    var journals: [UniqueID] = []
    var net: ChangeFold
    package var groups: [Group] = []
    package var redo: [Group] = []
    /// The number of groups in the rows below these, if they were not read. Then the net changes are only of objects
    /// that entries touch.
    var unreadGroups = 0
    var unreadRedo = 0

    init(generation: UInt64, expecting count: Int = 0) {
      self.generation = generation
      net = ChangeFold(expecting: count)
      groups.reserveCapacity(count)
    }

    /// Notes an edit of a journal, which begins a group if it is marked so or if there is none. False if it continues a
    /// group that was not read.
    fileprivate mutating func begin(_ group: GroupHead, at head: Int, _ journal: UniqueID) -> Bool {
      if journals.last != journal { journals.append(journal) }
      guard group.startsGroup || groups.isEmpty else { return true }
      if !group.startsGroup, unreadGroups > 0 { return false }
      let added = Group(head: head, group.reversal?.origin)
      groups.append(added)
      if group.reversal?.origin == .undo { redo.append(added) }
      return true
    }

    /// Adds a step to the last group.
    fileprivate mutating func append(_ step: Range<Int>) { groups[groups.count - 1].append(step) }
  }

  /// An undo group: where its ``GroupHead`` and its ``DraftStep``s are, which are decoded on demand.
  package struct Group: Sendable {
    let head: Int
    /// The call that staged the reversal. `nil` if the group is not a reversal.
    let origin: Reversal.Origin?
    // Most groups have one step, which then needs no array.
    private var first: Range<Int>
    private var rest: [Range<Int>] = []

    init(head: Int, _ origin: Reversal.Origin?) {
      self.head = head
      self.origin = origin
      first = head..<head
    }

    /// As ``DraftGroup/isMark``.
    var isMark: Bool { first.isEmpty && origin == .undo }

    package var steps: [Range<Int>] { first.isEmpty ? [] : [first] + rest }

    mutating func append(_ step: Range<Int>) {
      if first.isEmpty { first = step } else { rest.append(step) }
    }

    /// The group without its steps.
    var emptied: Group { Group(head: head, origin) }
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

  /// Removes all content and its problems. The identity stays, for later edits in the same file.
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
    // A new draft with this ID may have the same generations as rows of the old one.
    needsUnread = true
    layers = []
    lostRows = 0
    header = DraftHeader(id: header.id, base: 0)
    hasHeader = false
    exists = false
    generation = 0
    problems = []
  }

  // MARK: Edits

  /// Adds an edit.
  ///
  /// - Parameters:
  ///   - entry: Where its generation, its group's head and its step are.
  ///   - lent: The bytes, as ``DraftBytes/lend(_:_:)`` lends them.
  /// - Returns: The step, if it had to be adapted to fit: ``adapt(_:)`` takes it up.
  mutating func edit(
    _ entry: Range<Int>, journal: UniqueID, isSound: Bool, _ lent: LentBytes
  ) throws(MalformedBytes) -> [UInt8]? {
    let bytes = lent[entry]
    var reader = ByteReader(bytes)
    let generation = try reader.varint("a generation")
    let head = entry.lowerBound + reader.offset
    let group = try GroupHead(&reader)
    let place = entry.lowerBound + reader.offset..<entry.upperBound
    let step = try DraftStep(UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
    // An edit that cannot be read to its end changes nothing.
    var fields = step.change.fields
    let first = try fields.next()
    var others = fields
    while try others.next() != nil {}
    exists = true
    self.generation = max(self.generation, generation)
    // Reversals of the log are in one order with the groups in the rows.
    if group.reversal != nil { needsUnread = true }
    if group.reversal?.origin != .undo {
      for index in layers.indices where !layers[index].redo.isEmpty || layers[index].unreadRedo > 0 {
        layers[index].redo.removeAll()
        layers[index].unreadRedo = 0
      }
    }
    // An edit of no properties that begins no group only clears the redo stack.
    if !group.startsGroup, step.change.isNothing { return nil }
    if layers.last?.generation != generation {
      // Most drafts have one layer, but a journal may have as many as edits, so only the first one reserves room.
      layers.append(Layer(generation: generation, expecting: layers.isEmpty ? expected : 0))
    }
    let top = layers.count - 1
    let isGroupRead = layers[top].begin(group, at: head, journal)
    if step.change.isNothing { return nil }
    let adapted = try apply(step.change, fields, from: first, step.bases, to: top, isSound: isSound, lent)
    if !isGroupRead { return nil }
    if adapted == nil { layers[top].append(place) }
    return adapted
  }

  /// Adds a step that was adapted to the last group, unless all of it is lost.
  mutating func adapt(_ step: [UInt8]) {
    let place: Range<Int>? = step.withUnsafeBytes { step in
      (try? DraftStep(step))?.change.isNothing == false ? bytes.copy(step) : nil
    }
    guard let place else { return }
    layers[layers.count - 1].append(place)
  }

  mutating func undo(_ lent: LentBytes) throws(MalformedBytes) {
    guard let top = layers.lastIndex(where: { !$0.groups.isEmpty || $0.unreadGroups > 0 }) else { return }
    guard let group = layers[top].groups.popLast() else { return needsUnread = true }
    try takeBack(group, from: top, lent)
    layers[top].redo.append(group)
  }

  mutating func redoLast(_ lent: LentBytes) throws(MalformedBytes) {
    guard let bottom = layerToRedo else { return }
    guard let group = layers[bottom].redo.popLast() else { return needsUnread = true }
    if group.isMark {
      if let staged = layers[bottom].groups.popLast() { try takeBack(staged, from: bottom, lent) }
      return
    }
    for place in group.steps {
      let step = try DraftStep(lent[place])
      var fields = step.change.fields
      let first = try fields.next()
      _ = try apply(step.change, fields, from: first, step.bases, to: bottom, isSound: true, lent)
    }
    layers[bottom].groups.append(group)
  }

  private mutating func takeBack(_ group: Group, from layer: Int, _ lent: LentBytes) throws(MalformedBytes) {
    for place in group.steps.reversed() {
      let change = try DraftStep(lent[place]).change.inverse
      var fields = change.fields
      let first = try fields.next()
      _ = try apply(change, fields, from: first, .none, to: layer, isSound: true, lent)
      // The layers above were undone earlier, and must not hide the values that this undo restores. Their other values
      // stay, because steps to be redone may splice these.
      for upper in layers.indices where upper > layer { try layers[upper].net.forget(change) }
    }
  }

  /// The layer of the next group to redo. Layers are undone from the top down. Only groups that `undo()` staged on top
  /// of lower undone groups come first.
  private var layerToRedo: Int? {
    layers.lastIndex { $0.redo.contains(where: \.isMark) }
      ?? layers.firstIndex { !$0.redo.isEmpty || $0.unreadRedo > 0 }
  }

  /// Where the groups to be redone are, the next one first: the marks, then the other groups from the lowest layer on.
  var redoPlaces: [(layer: Int, group: Int)] {
    func places(in layer: Int, areMarks: Bool) -> [(layer: Int, group: Int)] {
      let redo = layers[layer].redo
      return redo.indices.reversed().filter { redo[$0].isMark == areMarks }.map { (layer, $0) }
    }
    return layers.indices.reversed().flatMap { places(in: $0, areMarks: true) }
      + layers.indices.flatMap { places(in: $0, areMarks: false) }
  }

  mutating func note(_ problem: JournalProblem) {
    if !problems.contains(problem) { problems.append(problem) }
  }
}
