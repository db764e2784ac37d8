#if Macros
// What ``Model()`` puts on persisted properties. Public because it stands in users' modules, with an underscore because
// users do not write it.

/// Written by ``Model()``.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_slot_))
public macro _StoredAttribute(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredAttributeMacro")

/// Written by ``Model()``.
@attached(accessor, names: named(get), named(set))
public macro _StoredToOne(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredToOneMacro")

/// Written by ``Model()``.
@attached(accessor, names: named(get))
public macro _StoredToMany(_ slot: Int) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "StoredToManyMacro")
#endif
