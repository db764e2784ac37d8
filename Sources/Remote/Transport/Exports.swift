@_exported import enum RepriseRemoteError.RemoteError
