import RepriseLog
import RepriseObjectModel

extension DraftReplay {
  /// How many values that are left out are listed.
  private static let listed = 100

  /// Replaces the net changes of a layer by the results of `transform`. `nil` leaves a change out.
  mutating func mapNet(
    _ layer: Int, _ transform: (Change, _ body: [UInt8]) throws(MalformedBytes) -> [UInt8]?
  ) throws(MalformedBytes) {
    let net = layers[layer].net
    var mapped = ChangeFold()
    for it in net.nets where it.kind != nil {
      var writer = ByteWriter()
      bytes.lend { lent in net.write(it, lent, to: &writer) { _, _ in true } }
      let body = writer.bytes
      let found = try body.lend { (bytes) throws(MalformedBytes) in try transform(try Change(bytes), body) }
      guard let found else { continue }
      let place = found.withUnsafeBytes { bytes.copy($0) }
      try bytes.lend { (lent) throws(MalformedBytes) in try mapped.add(try Change(lent[place]), lent) }
    }
    layers[layer].net = mapped
  }

  /// The draft without unknown properties, unconverted values and moved objects, which are added to ``problems``. Undo
  /// and redo have the same number of groups, with the known steps. `nil` if nothing known is left.
  ///
  /// - Parameter refused: The reasons why values were not converted.
  func known(
    to map: SchemaMap, _ moved: MovedObjects, _ refused: [TextTrack.Key: String]
  ) -> DraftReplay? {
    var result = self
    var problems: [JournalProblem] = []
    do throws(MalformedBytes) {
      for place in layers.indices {
        try result.mapNet(place) { (change, _) throws(MalformedBytes) in
          try known(change, map, moved, refused, &problems)
        }
        for group in layers[place].groups.indices {
          result.layers[place].groups[group] = try result.known(layers[place].groups[group], map, moved)
        }
        for group in layers[place].redo.indices {
          result.layers[place].redo[group] = try result.known(layers[place].redo[group], map, moved)
        }
      }
    } catch { return nil }
    let hasChange = result.bytes.lend { lent in
      result.layers.contains { layer in layer.net.nets.contains { layer.net.isChange($0, lent) } }
    }
    // If only unconverted values are left out, the draft can be edited, and lists them.
    if !hasChange, !problems.contains(where: \.isUnconverted) { return nil }
    result.problems += problems.prefix(Self.listed)
    if problems.count > Self.listed {
      result.problems.append(.moreLeftOut(draft: header.id, count: problems.count - Self.listed))
    }
    return result
  }

  /// The known part of a net change's body. `nil` if nothing of it is known.
  private func known(
    _ change: Change, _ map: SchemaMap, _ moved: MovedObjects, _ refused: [TextTrack.Key: String],
    _ problems: inout [JournalProblem]
  ) throws(MalformedBytes) -> [UInt8]? {
    let stored = map.stored.entity(number: change.object.entity)
    let target = moved[change.object]
    guard target == nil, let entity = map.map(number: change.object.entity) else {
      if let problem = try leftOut(change, stored, map, movedTo: target) { problems.append(problem) }
      return nil
    }
    if let far = moved.end(ofLink: change.object) {
      problems.append(pairMoved(far, entity, map, moved))
      return nil
    }
    var known = ByteWriter()
    known.change(change.kind, change.object)
    let head = known.count
    var fields = change.fields
    while let (number, field) = try fields.next() {
      if let slot = entity.slot(number) {
        guard let far = moved.end(of: field, change.kind, isOfLink: entity.entity.isLink) else {
          known.field(number, field, of: change.kind)
          continue
        }
        if entity.entity.isLink {
          problems.append(pairMoved(far, entity, map, moved))
          return nil
        }
        problems.append(
          .targetMoved(
            draft: header.id, object: change.object.uuid,
            property: "\(entity.entity.name).\(entity.entity.properties[slot].name)", moved: far.uuid,
            target: map.stored.lastName(moved[far] ?? 0)))
        continue
      }
      guard let value = field.changedValue, change.kind != .deleted, let property = stored?.property(number: number)
      else { continue }
      let (object, name) = (change.object.uuid, "\(entity.entity.name).\(property.allNames.last ?? "")")
      guard let successor = stored?.successor(of: property) else {
        problems.append(.valueLeftOut(draft: header.id, object: object, property: name, value: value.text(map)))
        continue
      }
      // Nothing is lost of a value that another edit has replaced.
      if layers.contains(where: { $0.net.value(change.object, successor.number) != nil }) { continue }
      let refusal = refused[TextTrack.Key(object: object, property: number)]
      let reason = refusal ?? "no migration of this program converts the value"
      problems.append(
        .valueUnconverted(draft: header.id, object: object, property: name, value: value.text(map), reason: reason))
    }
    return change.kind == .updated && known.count == head ? nil : known.bytes
  }

  /// The draft changes a pair of a many-to-many, and a migration has moved one of its objects.
  private func pairMoved(
    _ far: ObjectAddress, _ links: EntityMap, _ map: SchemaMap, _ moved: MovedObjects
  ) -> JournalProblem {
    .objectMoved(
      draft: header.id, object: far.uuid, entity: map.stored.lastName(far.entity), values: " (\(links.entity.name))",
      target: map.stored.lastName(moved[far] ?? 0))
  }

  private func leftOut(
    _ change: Change, _ entity: StoredEntity?, _ map: SchemaMap, movedTo target: UInt32?
  ) throws(MalformedBytes) -> JournalProblem? {
    var values: [String] = []
    var fields = change.fields
    while let (number, field) = try fields.next() {
      guard let value = field.changedValue, change.kind != .deleted else { continue }
      values.append("\(entity?.property(number: number)?.allNames.last ?? ""): \(value.text(map))")
    }
    if change.kind == .updated, values.isEmpty { return nil }
    let name = map.stored.lastName(change.object.entity)
    let text = values.isEmpty ? "" : " (\(values.joined(separator: ", ")))"
    guard let target else {
      return .objectLeftOut(draft: header.id, object: change.object.uuid, entity: name, values: text)
    }
    return .objectMoved(
      draft: header.id, object: change.object.uuid, entity: name, values: text, target: map.stored.lastName(target))
  }

  /// The group with the steps that the models know. A reversal of the log with fewer steps is still a reversal, as
  /// after a merge that kept later values.
  private mutating func known(
    _ group: Group, _ map: SchemaMap, _ moved: MovedObjects
  ) throws(MalformedBytes) -> Group {
    var result = group.emptied
    for place in group.steps {
      let found = try bytes.lend { (lent) throws(MalformedBytes) -> (isKnown: Bool, rest: [UInt8]?) in
        let step = try DraftStep(lent[place])
        let object = step.change.object
        guard moved[object] == nil, moved.end(ofLink: object) == nil, let entity = map.map(number: object.entity)
        else { return (false, nil) }
        var (isKnown, isNothing) = (true, step.change.kind == .updated)
        let rest = try step.mapping { number, field, base in
          let isLink = entity.entity.isLink
          let isMoved = moved.end(of: field, step.change.kind, isOfLink: isLink) != nil
          guard !isMoved, entity.slot(number) != nil else {
            isKnown = false
            if isMoved, isLink { isNothing = true }
            return nil
          }
          if step.change.kind == .updated { isNothing = false }
          return (field, base)
        }
        return (isKnown, isNothing ? nil : rest)
      }
      if found.isKnown {
        result.append(place)
      } else if let rest = found.rest {
        result.append(rest.withUnsafeBytes { bytes.copy($0) })
      }
    }
    return result
  }

  /// The readable form of a draft that these models cannot read directly: all of it after conversions, or its known and
  /// unmoved part. Also whether migrations converted something of it.
  ///
  /// - Throws: `reason`, if there is no such thing.
  func readable(
    _ map: SchemaMap, _ conversion: DraftConversion?, _ moved: MovedObjects, partly: Bool, _ reason: MalformedBytes
  ) throws(MalformedBytes) -> (state: DraftReplay, isConverted: Bool) {
    var conversion = conversion
    let converted = try conversion?.converted(self)
    if let converted, moved.isEmpty, (try? converted.image(map)) != nil { return (converted, true) }
    let refused = conversion?.refused ?? [:]
    guard partly, let known = (converted ?? self).known(to: map, moved, refused) else { throw reason }
    return (known, converted != nil)
  }
}

extension StoredSchema {
  /// The last name of an entity, or its number if there is none.
  fileprivate func lastName(_ entity: UInt32) -> String { self.entity(number: entity)?.lastName ?? "\(entity)" }
}

extension Change.Field {
  /// The new value, if it differs from the old one.
  fileprivate var changedValue: UnsafeRawBufferPointer? {
    guard case .set(let old, let new) = self, !old.withoutNull.isSame(as: new.withoutNull) else { return nil }
    return new
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var withoutNull: UnsafeRawBufferPointer { first == ValueTag.null.rawValue ? .noValue : self }

  /// A value with its tag as it is shown in a list of losses.
  fileprivate func text(_ map: SchemaMap) -> String {
    if isEmpty { return "\(PropertyValue.null)" }
    var reader = ByteReader(self)
    guard let value = try? reader.value(map) else { return "that cannot be read" }
    let text = "\(value)"
    return text.count > 1_000 ? "\(text.prefix(1_000))…" : text
  }
}
