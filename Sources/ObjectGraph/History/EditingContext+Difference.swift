import RepriseEventStore
import RepriseObjectModel

extension EditingContext {
  /// Applies what leads from the store at one position to another, as uncommitted changes: one undo step.
  ///
  /// It is merged with what the context shows, as a child's save is with its parent: a counter adds what the difference
  /// adds, a set inserts and removes, and a property that has the value already stays. Objects that it inserts get the
  /// IDs that they had.
  ///
  /// ```swift
  /// let night = try store.difference(from: evening, to: morning)
  /// try context.apply(store.difference(from: morning, to: evening), named: "Take the night back")
  /// ```
  ///
  /// Costs the objects of the difference.
  ///
  /// - Parameters:
  ///   - name: The name of the step, as in "Undo Import".
  ///   - policy: What to do about conflicts; ``mergePolicy`` by default.
  /// - Returns: False if the context shows all of it already.
  /// - Throws: ``DifferenceError``; then nothing has changed.
  @discardableResult
  public func apply(
    _ difference: StoreDifference, named name: String? = nil, merging policy: MergePolicy? = nil
  ) throws -> Bool {
    let changes = try store.changes(of: difference)
    let outcome: MergeOutcome
    do throws(StoreError) {
      outcome = try merged(changes, policy ?? mergePolicy)
    } catch {
      throw DifferenceError.store(error)
    }
    let violations = outcome.violations + violations(among: outcome.unvalidated)
    if let refusal = DifferenceError.refusal(outcome.conflicts, violations) { throw refusal }
    if outcome.changes.isEmpty { return false }
    group(name) { apply(outcome.changes) }
    return true
  }
}
