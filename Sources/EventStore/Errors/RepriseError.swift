/// An error of this library: its description is a sentence that says what happened, where, and what to do next.
public protocol RepriseError: Error, Sendable, CustomStringConvertible {}
