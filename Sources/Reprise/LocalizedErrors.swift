public import RepriseCore
import RepriseFoundation
public import RepriseSourceErrors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Of the modules above RepriseFoundation, and beside it.

extension QueryError: LocalizedError {}
extension RestorationError: LocalizedError {}
extension RemoteError: LocalizedError {}
extension DirectoryError: LocalizedError {}
extension SQLiteError: LocalizedError {}
extension PostgreSQLError: LocalizedError {}
