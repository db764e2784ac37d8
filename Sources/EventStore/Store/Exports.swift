@_exported import RepriseJournal
@_exported import RepriseLog
