/// An error of this library. Its description states the failure with names and numbers, its cause, and the next step.
///
/// Public functions have untyped throws. Their documentation names the errors that they throw. Catch a case by the name
/// of its enum, as in `catch SaveError.refused(let refusal)`.
public protocol RepriseError: Error, Sendable, CustomStringConvertible {}
