#if Macros
// The macros that ``Model(was:)`` attaches to persisted properties. They are public because they are expanded in users'
// modules, and underscored because users do not write them.

/// Written by ``Model(was:)``.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_slot_))
public macro _StoredAttribute(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredAttributeMacro")

/// An accessor that ``Model(was:)`` writes for a to-one relationship. Do not use it yourself.
@attached(accessor, names: named(get), named(set))
public macro _StoredToOne(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredToOneMacro")

/// An accessor that ``Model(was:)`` writes for a to-many relationship. Do not use it yourself.
@attached(accessor, names: named(get))
public macro _StoredToMany(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredToManyMacro")
#endif
