/// Keeps an observer of a data source. It ends with ``cancel()``, or with the last reference to this.
///
/// It does not keep the data source. Like the source it belongs to one isolation.
public final class ListObservation {
  private var end: (() -> Void)?

  /// An observation of what never changes.
  public init() {}

  /// An observation that calls `end` once, when it is cancelled or let go.
  public init(onCancel end: @escaping () -> Void) { self.end = end }

  /// Ends it: the observer is not called again. Nothing happens the second time.
  public func cancel() {
    let end = self.end
    self.end = nil
    end?()
  }

  deinit { end?() }
}
