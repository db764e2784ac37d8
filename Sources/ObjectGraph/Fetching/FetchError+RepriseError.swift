import RepriseEventStore
import RepriseQuery

// Here, because queries know nothing of the store, where the protocol is.
extension FetchError: RepriseError {}
