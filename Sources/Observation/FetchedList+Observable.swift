public import Observation
public import RepriseLists

/// What is read of a list is tracked where its context is observable: see `ObjectContext.makeObservable()`.
extension FetchedList: Observable {}
