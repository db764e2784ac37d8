import RepriseObjectModel

// The conformance is here because `ObjectModel` does not import `Log`, which declares the protocol.
extension SchemaError: RepriseError {}
