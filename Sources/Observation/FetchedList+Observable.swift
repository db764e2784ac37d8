public import Observation
public import RepriseLists

/// The `Observation` module tracks reads of a list if its context is observable: see `ObjectContext.makeObservable()`.
extension FetchedList: Observable {}
