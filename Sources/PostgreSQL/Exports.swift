#if PostgreSQL && canImport(CReprisePostgreSQL)
@_exported import enum RepriseSourceErrors.PostgreSQLError
#endif
