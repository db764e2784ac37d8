extension ObjectContext {
  /// This context's current view.
  package var projection: Projection {
    Projection(store: store, position: position, layers: layers, differences: differences)
  }

  /// The view for a call that throws `FetchError.cancelled` if its task is cancelled.
  var cancellableProjection: Projection {
    let projection = projection
    projection.isCancellable = true
    return projection
  }
}
