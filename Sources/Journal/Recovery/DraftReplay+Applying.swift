import RepriseLog
import RepriseObjectModel

extension DraftReplay {
  /// Folds a change into a layer.
  ///
  /// - Parameters:
  ///   - first: The first field. `fields` has the rest.
  ///   - bases: The bases of its splices.
  /// - Returns: The bytes of the step, if it had to be adapted to fit.
  mutating func apply(
    _ change: Change, _ fields: Change.Fields, from first: (number: UInt32, field: Change.Field)?,
    _ bases: DraftStep.Bases, to layer: Int, isSound: Bool, _ lent: LentBytes
  ) throws(MalformedBytes) -> [UInt8]? {
    let place = layers[layer].net.begin(change.object, change.kind)
    var (fields, rest) = (fields, bases)
    var adapted: [(number: UInt32, splice: Splice?, length: Int)] = []
    var next = try layers[layer].net.set(place, first, &fields, lent)
    while let (number, splice) = next {
      let base = try rest.next()
      let target = Target(layer: layer, place: place, object: change.object, number: number)
      if !apply(splice, on: base, to: target, isSound: isSound, lent) {
        adapted.append(self.place(splice, on: base, target, lent))
      }
      let following = try fields.next()
      next = try layers[layer].net.set(place, following, &fields, lent)
    }
    if change.kind == .deleted { layers[layer].net.end(place, .deleted) }
    for field in layers[layer].net.restarted { moveBeginning(of: change.object, field, from: layer, lent) }
    if adapted.isEmpty { return nil }
    return try DraftStep(bases: bases, change: change).mapping { number, field, base in
      guard let found = adapted.first(where: { $0.number == number }) else { return (field, base) }
      return found.splice.map { (.splice($0), base.map { _ in .known(length: found.length, sum: 0) }) }
    }
  }

  /// The beginning of a field belongs to the lowest layer whose field it continues. A save never consumes that layer
  /// alone: the values that a save has begun with cannot change, so no field above them begins again.
  @inline(never)
  private mutating func moveBeginning(
    of object: ObjectAddress, _ former: ChangeFold.Field, from layer: Int, _ lent: LentBytes
  ) {
    var (upper, below, former) = (layer, layer, former)
    while below > 0 {
      below -= 1
      // Taken out meanwhile, because a change of a copy would copy it all.
      var lower = ChangeFold()
      swap(&lower, &layers[below].net)
      let found = layers[upper].net.moveBeginning(object, former, to: &lower, lent)
      swap(&lower, &layers[below].net)
      guard found.isThere else { continue }
      guard let earlier = found.former else { return }
      (upper, former) = (below, earlier)
    }
  }

  /// A property in a layer.
  private struct Target {
    let layer: Int
    let place: Int
    let object: ObjectAddress
    let number: UInt32
  }

  /// In an undamaged file the writer guarantees that a splice refers to this very text, so only the cheap checks run.
  private mutating func apply(
    _ splice: Splice, on base: DraftStep.Base?, to target: Target, isSound: Bool, _ lent: LentBytes
  ) -> Bool {
    func isRight(_ text: SplicedBytes) -> Bool {
      guard case .known(let length, let sum)? = base else { return true }
      return text.count == length && (isSound || text.crc32c == sum)
    }
    if case .whole(let value)? = base {
      guard var text = SplicedBytes(value), text.apply(splice) else { return false }
      set(target, from: ChangeFold.Value(value, lent), to: text, lent)
      return true
    }
    let layer = target.layer
    if layers[layer].net.splice(target.place, target.number, splice, lent, where: isRight) { return true }
    guard layers[layer].net.value(target.object, target.number) == nil,
      let below = text(target.object, target.number, below: layer, lent), isRight(below)
    else { return false }
    var text = below
    guard text.apply(splice) else { return false }
    set(target, from: below, to: text, lent)
    return true
  }

  /// Places a splice after earlier edits were lost. These edits probably did not change the text after the splice, so
  /// its offset counts from the end. If that fails, it counts from the start. If that fails too, the splice only
  /// inserts, as near as possible.
  ///
  /// - Returns: The splice that was applied, `nil` for none, and the length of the text before it.
  private mutating func place(
    _ splice: Splice, on base: DraftStep.Base?, _ target: Target, _ lent: LentBytes
  ) -> (number: UInt32, splice: Splice?, length: Int) {
    guard let current = text(target.object, target.number, below: target.layer + 1, lent),
      current.isText == splice.isText
    else {
      note(.textLost(draft: header.id, object: target.object.uuid))
      return (target.number, nil, 0)
    }
    note(.approximateText(draft: header.id, object: target.object.uuid))
    let length = if case .known(let length, _)? = base { length } else { current.count }
    let fromEnd = current.count &- (length &- splice.offset)
    for offset in [fromEnd, splice.offset] where offset >= 0 {
      var text = current
      let moved = Splice(
        isText: splice.isText, offset: offset, removed: splice.removed, inserted: splice.inserted)
      guard text.boundary(before: offset) == offset, text.apply(moved) else { continue }
      set(target, from: current, to: text, lent)
      return (target.number, moved, current.count)
    }
    var text = current
    let moved = Splice(
      isText: splice.isText, offset: text.boundary(before: fromEnd &+ splice.removed.count), removed: .noValue,
      inserted: splice.inserted)
    _ = text.apply(moved)
    set(target, from: current, to: text, lent)
    return (target.number, moved, current.count)
  }

  private mutating func set(_ target: Target, from old: SplicedBytes, to new: SplicedBytes, _ lent: LentBytes) {
    let value = layers[target.layer].net.value(of: old)
    set(target, from: value, to: new, lent)
  }

  private mutating func set(
    _ target: Target, from old: ChangeFold.Value, to new: SplicedBytes, _ lent: LentBytes
  ) {
    let value = layers[target.layer].net.value(of: new)
    layers[target.layer].net.set(target.place, target.number, from: old, to: value, lent)
  }

  /// The text or bytes that the layers below `layer` assigned last to a property. `nil` if they assigned another kind
  /// of value, or none.
  func text(_ object: ObjectAddress, _ number: UInt32, below layer: Int, _ lent: LentBytes) -> SplicedBytes? {
    for index in stride(from: layer - 1, through: 0, by: -1) {
      if let value = layers[index].net.value(object, number) { return layers[index].net.text(value, lent) }
    }
    return nil
  }
}
