/// The names of objects that remote sources keep in a store, part of the store's format. Retention and erasure read
/// these objects without their models, which are in a higher target.
package enum SourceNames {
  /// The position in the log that a source has reached.
  package enum State {
    package static let entity = "RepriseRemoteState"
    package static let source = "source"
    package static let position = "collected"
  }

  /// A change of an object that a server has not accepted.
  package enum Outbox {
    package static let entity = "RepriseOutboxEntry"
    package static let object = "object"
  }
}
