public import RepriseObjectGraph

extension ObjectContext {
  /// Makes this context's objects and lists observable by the `Observation` module, property by property.
  ///
  /// `withObservationTracking` and views then track the properties that they read.
  ///
  /// ```swift
  /// store.mainContext.makeObservable()
  /// withObservationTracking {
  ///   title.text = item.name
  ///   count.text = "\(list.count)"
  /// } onChange: {
  ///   Task { @MainActor in update() }
  /// }
  /// ```
  ///
  /// Observers of a property are notified when its value changes in this context, for any reason. The reason may be an
  /// edit, an undo, or a save of a child. It may also be a save of another context or process, once this context moves
  /// to it. A relationship notifies at both ends. `state` notifies when the object is inserted or deleted. A list
  /// notifies when its rows or their order change. The content of a row is tracked through its object.
  ///
  /// An edit in this context notifies at once, so that an animation around the edit includes its effects. To include
  /// new rows of a list, call the list's `flush()` within the animation. All other changes notify once, at the end of
  /// the turn: undo, redo, discards, and saves of children and of other contexts. After edits of 1,000 properties in a
  /// turn, its further edits also notify at the end. If the context belongs to no isolation, all changes notify at
  /// once. When an observer is notified, the context already has the new values. If more than 10,000 objects change,
  /// all tracked properties notify.
  ///
  /// The call affects all objects and lists of this context, and child contexts made after the call. A read then takes
  /// on the order of a hundred nanoseconds longer, and a change reads the object a second time. Objects take no more
  /// memory. Without this call, nothing is tracked, at no cost. A second call does nothing.
  public func makeObservable() {
    if tracker == nil { track(by: ContextObservation(self)) }
  }
}
