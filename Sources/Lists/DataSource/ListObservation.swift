/// An observation of a data source. It ends with ``cancel()``, or with the last reference to this.
///
/// It does not retain the data source. Like the source, it belongs to one isolation.
public final class ListObservation {
  private var end: (() -> Void)?

  /// An observation of what never changes.
  public init() {}

  /// An observation that calls `end` once, when it is cancelled or released.
  public init(onCancel end: @escaping () -> Void) { self.end = end }

  /// Ends the observation: the observer is not called again. A second call does nothing.
  public func cancel() {
    let end = self.end
    self.end = nil
    end?()
  }

  deinit { end?() }
}
