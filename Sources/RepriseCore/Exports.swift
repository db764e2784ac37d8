@_exported import RepriseEventStore
@_exported import RepriseLists
@_exported import RepriseObjectGraph
@_exported import RepriseObjectModel
@_exported import RepriseQuery
@_exported import RepriseRestoration
