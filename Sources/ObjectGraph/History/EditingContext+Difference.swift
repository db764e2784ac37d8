import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Applies the difference between two positions of the store as uncommitted changes, in one undo step.
  ///
  /// The difference is merged into the context's current state, like a child's save into its parent. For example, a
  /// counter adds the difference, and a set inserts and removes elements. A property that already has the new value
  /// stays unchanged. Inserted objects get their original IDs.
  ///
  /// ```swift
  /// let night = try store.log.difference(from: evening, to: morning)
  /// try context.apply(store.log.difference(from: morning, to: evening), named: "Take the night back")
  /// ```
  ///
  /// Costs time in proportion to the objects in the difference.
  ///
  /// - Parameters:
  ///   - difference: A difference from `TransactionLog.difference(from:to:)`.
  ///   - name: The name of the step, as in "Undo Import".
  ///   - policy: The policy for conflicts; ``mergePolicy`` by default.
  /// - Returns: False if the context already shows all of the difference.
  /// - Throws: ``SaveError/refused(_:)`` or ``SaveError/unknown(entity:property:)``. ``StoreError`` if the store cannot
  ///   be read. Then nothing has changed.
  @discardableResult
  public func apply(
    _ difference: StoreDifference, named name: String? = nil, merging policy: MergePolicy? = nil
  ) throws -> Bool {
    let changes = try store.log.changes(of: difference)
    let outcome = try merged(changes, policy ?? mergePolicy)
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = SaveRefusal(of: .difference, outcome.conflicts, violations) { throw SaveError.refused(refusal) }
    if outcome.changes.isEmpty { return false }
    group(name) { apply(outcome.changes) }
    return true
  }
}
