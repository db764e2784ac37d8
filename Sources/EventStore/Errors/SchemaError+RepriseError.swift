import RepriseObjectModel

// The conformance is here because `ObjectModel` does not import `EventStore`, which declares the protocol.
extension SchemaError: RepriseError {}
