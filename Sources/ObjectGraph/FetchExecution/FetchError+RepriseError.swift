import RepriseEventStore
import RepriseQuery

// The conformance is here because `Query` does not import `Log`, which declares the protocol.
extension FetchError: RepriseError {}
