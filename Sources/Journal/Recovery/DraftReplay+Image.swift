import RepriseLog
import RepriseObjectModel

extension DraftReplay {
  /// The draft in terms of this process's models. Throws if the models lack an entity or a property that the draft
  /// changes.
  func image(_ map: SchemaMap) throws(MalformedBytes) -> DraftImage {
    let changes = try changes(map) { (error) throws(MalformedBytes) in throw error }
    return try bytes.lend { (lent) throws(MalformedBytes) in
      DraftImage(
        header: header, generation: generation, changes: changes,
        groupCount: layers.reduce(0) { $0 + $1.groups.count },
        lastGroupName: try layers.last { !$0.groups.isEmpty }?.groups.last?.decodedHead(lent).nameText,
        redoCount: layers.reduce(0) { $0 + $1.redo.count }, reversals: try reversals(lent), steps: .state(self),
        map: map)
    }
  }

  /// The sum of all layers in terms of this process's models.
  ///
  /// - Parameter failed: Called for each object whose change needs an entity or a property that the models lack, with
  ///   the reason.
  func changes(
    _ map: SchemaMap, _ failed: (MalformedBytes) throws(MalformedBytes) -> Void
  ) throws(MalformedBytes) -> ObjectMap<ObjectChange> {
    try bytes.lend { (lent) throws(MalformedBytes) in
      var net = layers.first?.net ?? ChangeFold()
      for layer in layers.dropFirst() { net.append(layer.net, lent) }
      var changes = ObjectMap<ObjectChange>()
      changes.reserveCapacity(net.nets.count)
      for it in net.nets {
        do throws(MalformedBytes) {
          if let (object, change) = try net.change(it, lent, map) { changes[object] = change }
        } catch {
          try failed(error)
        }
      }
      return changes
    }
  }

  private func reversals(_ lent: LentBytes) throws(MalformedBytes) -> [Reversal] {
    var reversals: [Reversal] = []
    for layer in layers {
      for group in layer.groups {
        guard group.origin != nil, let reversal = try group.decodedHead(lent).reversal else { return reversals }
        reversals.append(reversal)
      }
    }
    return reversals
  }

  /// All objects that the draft edits, also in steps that were undone.
  package var objects: Set<ObjectAddress> {
    bytes.lend { lent in
      var objects: Set<ObjectAddress> = []
      for layer in layers {
        for net in layer.net.nets { objects.insert(net.object) }
        for place in (layer.groups + layer.redo).flatMap(\.steps) {
          if let step = try? DraftStep(lent[place]) { objects.insert(step.change.object) }
        }
      }
      return objects
    }
  }
}

extension DraftReplay.Group {
  func decodedHead(_ lent: LentBytes) throws(MalformedBytes) -> GroupHead {
    var reader = ByteReader(lent.from(head))
    return try GroupHead(&reader)
  }
}
