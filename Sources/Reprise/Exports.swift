@_exported import RepriseCore
@_exported import RepriseFoundation
