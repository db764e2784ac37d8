/// Making nodes whose objects or kinds came after restore.
extension NodeBuilder {
  /// Makes the nodes that wait for an object, which has arrived or has failed.
  func deliver(_ key: String, isWatched: Bool = false) {
    if let entry = objects.entries[key], entry.state != nil || entry.references > 0 { _ = try? objects.resolve(key) }
    buildWaiting(objects.waiting.removeValue(forKey: key) ?? [], isWatched: isWatched)
  }

  func deliver(kind: String) { buildWaiting(waitingForKind.removeValue(forKey: kind) ?? []) }

  /// Makes the nodes whose awaited objects were registered, by a factory or a task, while other nodes were being made.
  func deliverWhatCameMeanwhile() {
    for key in objects.waiting.keys.sorted() {
      guard let entry = objects.entries[key], entry.registered != nil || entry.factory != nil else { continue }
      if case .refused = entry.resolution { continue }
      deliver(key)
    }
  }

  func buildWaiting(_ nodes: [NodeEntry], isWatched: Bool = false) {
    for entry in nodes where entry.status == .waiting { entry.status = .kept }
    // A node that was tried again meanwhile, with its parent, is listed twice.
    var seen: Set<ObjectIdentifier> = []
    let ready = nodes.filter { entry in
      entry.status == .kept && (tree.isRoot(entry) || tree.parent(of: entry)?.status == .live)
        && seen.insert(ObjectIdentifier(entry)).inserted
    }
    guard scene.phase == .restored else {
      build(ready.sorted { $0.order < $1.order }.reversed())
      decodeMade()
      return
    }
    if !ready.isEmpty {
      scene.breaker.restoringMore(isWatched: isWatched) {
        build(ready.sorted { $0.order < $1.order }.reversed())
        decodeMade()
        tellFinished()
      }
    }
    report.update()
    editor.changes.onChange()
  }
}
