import RepriseObjectModel

extension DraftReplay {
  /// How many values that are left out are listed.
  private static let listed = 100

  /// The draft without what these models lack, which is added to ``problems``: undo and redo have as many groups, with
  /// the steps that are known. `nil` if nothing that is known is left, or if a migration that is not at hand would
  /// convert a value.
  func known(to map: SchemaMap) -> DraftReplay? {
    var result = self
    var problems: [JournalProblem] = []
    var hasChange = false
    do throws(MalformedBytes) {
      for place in layers.indices {
        var net = NetChanges()
        for change in layers[place].net.changes {
          guard let known = try known(change, map, &problems) else { continue }
          hasChange = hasChange || known.isChange
          net.put(known)
        }
        result.layers[place].net = net
        for group in layers[place].groups.indices {
          guard let known = try layers[place].groups[group].known(to: map) else { return nil }
          result.layers[place].groups[group] = known
        }
        for group in layers[place].redo.indices {
          guard let known = try layers[place].redo[group].known(to: map) else { return nil }
          result.layers[place].redo[group] = known
        }
      }
    } catch { return nil }
    if !hasChange { return nil }
    result.problems += problems.prefix(Self.listed)
    if problems.count > Self.listed {
      result.problems.append(.moreLeftOut(draft: header.id, count: problems.count - Self.listed))
    }
    return result
  }

  /// `nil` if the models know nothing of it. Throws if a migration would convert a value.
  private func known(
    _ change: NetChanges.Change, _ map: SchemaMap, _ problems: inout [JournalProblem]
  ) throws(MalformedBytes) -> NetChanges.Change? {
    let stored = map.stored.entity(number: change.object.entity)
    guard let entity = map.map(number: change.object.entity) else {
      if change.isChange { problems.append(leftOut(change, stored, map)) }
      return nil
    }
    var known = change
    known.fields = []
    for field in change.fields {
      if entity.slot(field.number) != nil {
        known.fields.append(field)
        continue
      }
      let property = stored?.property(number: field.number)
      if let property, stored?.hasConverted(property) == true {
        throw MalformedBytes("the migration that has converted \(property.allNames.last ?? "")", at: 0)
      }
      guard field.isChange, change.kind != .deleted, let property else { continue }
      problems.append(
        .valueLeftOut(
          draft: header.id, object: change.object.uuid,
          property: "\(entity.entity.name).\(property.allNames.last ?? "")", value: field.new.text(map)))
    }
    return change.kind == .updated && known.fields.isEmpty ? nil : known
  }

  private func leftOut(_ change: NetChanges.Change, _ entity: StoredEntity?, _ map: SchemaMap) -> JournalProblem {
    let values =
      change.kind == .deleted
      ? []
      : change.fields.filter(\.isChange).map { field in
        "\(entity?.property(number: field.number)?.allNames.last ?? ""): \(field.new.text(map))"
      }
    return .objectLeftOut(
      draft: header.id, object: change.object.uuid, entity: entity?.lastName ?? "\(change.object.entity)",
      values: values.isEmpty ? "" : " (\(values.joined(separator: ", ")))")
  }
}

extension DraftReplay.Group {
  /// The group with the steps that models know; `nil` if it takes back the log and would lose a step.
  fileprivate func known(to map: SchemaMap) throws(MalformedBytes) -> DraftReplay.Group? {
    var result = DraftReplay.Group(name: name, reversal: reversal)
    for bytes in steps {
      var step = try EncodedEdit(bytes)
      let entity = map.map(number: step.object.entity)
      let count = step.fields.count
      step.fields.removeAll { entity?.slot($0.number) == nil }
      let isKnown = entity != nil && step.fields.count == count
      if isKnown {
        result.append(bytes)
      } else if reversal != nil {
        return nil
      } else if entity != nil, step.kind != .updated || !step.fields.isEmpty {
        result.append(step.bytes[...])
      }
    }
    return result
  }
}

extension DraftValue {
  /// As it is shown in a list of losses.
  fileprivate func text(_ map: SchemaMap) -> String {
    guard let value = try? propertyValue(map) else { return "that cannot be read" }
    let text = "\(value)"
    return text.count > 1_000 ? "\(text.prefix(1_000))…" : text
  }
}

extension DraftReplay {
  /// What these models can read of a draft that they cannot read as it is: all of it after conversions, or the part
  /// that they know.
  ///
  /// - Throws: `reason`, if there is no such thing.
  func readable(
    _ map: SchemaMap, _ conversion: DraftConversion?, partly: Bool, _ reason: MalformedBytes
  ) throws(MalformedBytes) -> DraftReplay {
    var conversion = conversion
    let converted = try conversion?.converted(self)
    if let converted, (try? converted.image(map)) != nil { return converted }
    guard partly, let known = (converted ?? self).known(to: map) else { throw reason }
    return known
  }
}
