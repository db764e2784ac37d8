public import RepriseCore
import RepriseFoundation

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Of the modules above RepriseFoundation.

extension QueryError: LocalizedError {}
extension RestorationError: LocalizedError {}
