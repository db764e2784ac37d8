/// An error of this library: its description is a sentence that says what happened, where, and what to do next.
///
/// Public functions have untyped throws; their documentation says which of these errors they throw. Catch a case by its
/// full name, as in `catch SaveError.conflicts(let conflicts)`.
public protocol RepriseError: Error, Sendable, CustomStringConvertible {}
