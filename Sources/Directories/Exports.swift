@_exported import enum RepriseSourceErrors.DirectoryError
