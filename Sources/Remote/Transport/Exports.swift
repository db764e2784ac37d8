@_exported import enum RepriseSourceErrors.RemoteError
