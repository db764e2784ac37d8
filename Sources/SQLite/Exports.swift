#if SQLite && canImport(GRDB)
@_exported import enum RepriseSourceErrors.SQLiteError
#endif
