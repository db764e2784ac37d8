/// An observation of a data source, which ends with ``cancel()`` or when it is released.
///
/// It does not retain the data source. Like the source, it belongs to one isolation.
public final class ListObservation {
  private var end: (() -> Void)?

  /// Makes an observation of a source that never changes.
  public init() {}

  /// Makes an observation that calls `end` once, when it is cancelled or released.
  public init(onCancel end: @escaping () -> Void) { self.end = end }

  /// Ends the observation, so that its observer is not called again.
  ///
  /// A second call does nothing.
  public func cancel() {
    let end = self.end
    self.end = nil
    end?()
  }

  deinit { end?() }
}
