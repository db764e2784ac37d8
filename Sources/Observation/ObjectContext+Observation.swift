public import RepriseObjectGraph

extension ObjectContext {
  /// Makes this context's objects and lists observable by the `Observation` module: what `withObservationTracking` or a
  /// view reads of them is tracked, property by property.
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
  /// Properties of objects are told when they read differently, whoever changed them: this context, an undo, a save of
  /// a child, or another context or process once this one moves there. Relationships are told at both ends, and
  /// `state` when the object is inserted or deleted. A list is told when it shows other rows, or the same in another
  /// order; what a row shows is told by its object.
  ///
  /// An edit in this context is told at once, so that an animation around it has what it causes; `flush()` of a list
  /// within the animation adds its rows. All else is told at the end of the turn, once, or at once where the context
  /// belongs to no isolation: undo, redo, discarding, saves of children and of others, and what a turn edits beyond a
  /// thousand properties. When it is told, the context says what is new already.
  ///
  /// It holds for the objects that there are and for those to come, for lists, and for children made from now on. A
  /// read then costs some hundred nanoseconds more, and a change a second read of the object; no object takes more
  /// memory. Without this call nothing is tracked, and nothing costs more. A second call does nothing.
  public func makeObservable() {
    if tracker == nil { track(by: ContextObservation(self)) }
  }
}
