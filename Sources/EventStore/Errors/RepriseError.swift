/// An error of this library: its description is a sentence that says what happened, where, and what to do next.
///
/// Throws are untyped. The comment of a function says which of these it throws; catch a case by its full name, as in
/// `catch SaveError.conflicts(let conflicts)`.
public protocol RepriseError: Error, Sendable, CustomStringConvertible {}
