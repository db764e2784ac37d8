import RepriseEventStore
import RepriseObjectGraph
import RepriseSystem

/// The policy for nodes that nothing visible needs.
extension Restoration {
  /// Notes which nodes are used from now on, if a policy needs that. Applies the policy once a day, in a turn after
  /// restore.
  ///
  /// - Parameter marks: The marks of use in the archive.
  func watchUse(_ marks: [OrderMark], _ unread: PartReader) {
    guard deferredNodeRetention.hasLimit, !isReadOnly else { return }
    let age = deferredNodeRetention.age.map(\.microseconds)
    guard tree.mark(marks, at: currentScene.now(), age: age) else { return }
    ContextTurn(isolation: currentScene.isolation).end { self.dropUnused(unread, age: age) }
  }

  private func dropUnused(_ unread: PartReader, age: Int64?) {
    guard currentScene.phase == .restored, objects.handover == nil else { return }
    let records: SceneNodes
    do throws(StoreError) {
      records = try unread.records()
    } catch {
      onProblem?(.store(error))
      return
    }
    let unused = age.flatMap { tree.marks.order(unusedFor: $0) }
    for branch in UnreadSweep(tree: tree, drafts: drafts).over(deferredNodeRetention, records, unused: unused) {
      editor.drop(branch.paths)
      reports.dropped(branch.paths, orders: branch.orders)
    }
  }
}
