extension ObjectContext {
  /// This context's current view.
  package var projection: Projection {
    Projection(store: store, position: position, layers: layers, differences: differences)
  }
}
