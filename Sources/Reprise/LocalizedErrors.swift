public import RepriseCore
import RepriseFoundation
public import RepriseRemoteError

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Of the modules above RepriseFoundation, and beside it.

extension SourceError: LocalizedError {}
extension RestorationError: LocalizedError {}
extension RemoteError: LocalizedError {}
