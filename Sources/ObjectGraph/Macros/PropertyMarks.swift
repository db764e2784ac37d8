#if Macros
import RepriseObjectModel

/// Options of an attribute of a model.
public enum AttributeOption: Hashable, Sendable {
  /// A counted index over this attribute: a list sorted by it finds its n-th row, and the row of an object, in O(log
  /// n). Each save that changes the attribute also writes the index.
  case indexed
  /// A counted index over this attribute in the order of a collation. It serves lists sorted by
  /// `$0.name.collated(.ignoringCase)` and conditions like `$0.name.equals("ada", .ignoringCase)`. An attribute may
  /// have several, and ``indexed`` besides; each costs as much again in saves.
  public static func indexed(_ collation: Collation) -> AttributeOption { ._indexed(collation) }
  /// Implements ``indexed(_:)``.
  case _indexed(Collation)
  /// No two objects have the same value: a save that would make two is refused with `SaveError.violations`, also if two
  /// contexts or processes save at the same time. What is nil is never the same. The attribute has an index like
  /// ``indexed``, with which its objects are found, and `upsert` finds what to update. For several properties together
  /// see ``Unique(_:nilsAreEqual:)``.
  ///
  /// Costs a look-up, O(log n), for each object that gets another value. A store whose objects break the rule is not
  /// opened: make a unique attribute optional that is added to a model with objects, which have its default otherwise.
  /// Once a store is open with the rule, it is the store's: programs whose models lack it are held to it.
  case unique
  /// No two objects have texts that are the same under a collation; otherwise like ``unique``. So with
  /// `.unique(.ignoringCase)` there is one "Ada" or "ada".
  public static func unique(_ collation: Collation) -> AttributeOption { ._unique(collation) }
  /// Implements ``unique(_:)``.
  case _unique(Collation)
  /// A search index over the words of this attribute, which must be a text: `contains(words:)` finds them without
  /// reading texts. Each save that changes the attribute writes the words that came or went. May stand beside
  /// ``indexed``, which is about the text as a whole.
  case searchable
  /// Concurrent additions to a number all count: ``MergeRule/counter``.
  case counter
  /// Concurrent insertions into a set, and removals from it, all count: ``MergeRule/set``.
  case set
  /// Of concurrent changes, the one saved last wins: ``MergeRule/lastWriter``.
  case lastWriter
  /// Concurrent edits of a text all count where they are of different words: ``MergeRule/text``.
  case text
  /// Of a computed property: its value is stored as well, so that it can be fetched, sorted and indexed by.
  ///
  /// ```swift
  /// @Attribute(.derived, .indexed) var fullName: String { "\(first) \(last)" }
  /// ```
  ///
  /// It is computed from other attributes of the object and from nothing else: reading a relationship stops the program
  /// with a text that says so. A save stores what it is by then, over what is merged with the saves of others; until
  /// then fetches and lists compute it for the objects with uncommitted changes. For objects that were stored before it
  /// was declared, opening the store computes it.
  case derived
  /// Like ``derived``, with a version, to be counted up when the computation changes: opening a store that has the
  /// values of another one computes them for all objects. ``derived`` alone is version 1.
  ///
  /// ```swift
  /// @Attribute(.derived(version: 2), .indexed) var fullName: String { "\(last), \(first)" }
  /// ```
  public static func derived(version: Int) -> AttributeOption { .derived }
  /// A rule of the values; see the functions that return one.
  case _rule

  /// A value: a save of an object that has nil or an empty text there is refused with `SaveError.violations`. While it
  /// is edited, the object may be without; `violations()` names what is missing. Objects that were stored before the
  /// rule are not refused until they are changed there; `ObjectContext.violations(of:limit:)` finds them.
  public static var required: AttributeOption { ._rule }
  /// Values in a range, as in `.range(0...120)`. A save of others is refused with `SaveError.violations`, like that of
  /// any value that breaks a rule; see ``AttributeRule``. What is nil keeps every rule but ``required``.
  public static func range<Range: RangeExpression>(_ range: Range) -> AttributeOption { ._rule }
  /// Texts of so many characters, bytes and sets of so many elements: `.length(1...80)`.
  public static func length<Range: RangeExpression>(_ range: Range) -> AttributeOption
  where Range.Bound == Int { ._rule }
  /// Blobs of so many bytes: `.byteCount(...10_000_000)`.
  public static func byteCount<Range: RangeExpression>(_ range: Range) -> AttributeOption
  where Range.Bound == Int { ._rule }
  /// Texts that match a regular expression as a whole: `.pattern("[A-Z]{3}-[0-9]+")`.
  public static func pattern(_ pattern: String) -> AttributeOption { ._rule }
  /// One of these values: `.oneOf("red", "green")`.
  public static func oneOf<Value: AttributeValue>(_ choices: Value...) -> AttributeOption { ._rule }
  /// Values that a closure or a static function accepts, and what it asks for, as people read it. A closure says the
  /// type of its parameter:
  ///
  /// ```swift
  /// @Attribute(.valid("a name does not begin with a space") { (name: String) in name.first != " " }) var name: String
  /// ```
  public static func valid<Value: AttributeValue>(
    _ text: String, _ isKept: (Value) -> Bool
  ) -> AttributeOption { ._rule }
}

/// Sets options of an attribute of a class with ``Model(was:)``.
///
/// ```swift
/// @Attribute(.indexed, was: "salary", "wage") var pay: Int
/// ```
///
/// A store that knows the attribute by one of its former names calls it by its present one from the next opening on.
/// That is one transaction, whatever the number of objects; indexes, drafts, saved fetches and list tokens follow.
/// Former names stay in the models: a program that opens a store after a long time needs them. Two attributes may
/// exchange their names, and a name may go to a new attribute: then both are declared. Programs that still use the
/// former name go on with it, unless it means something else by now: then they get `StoreError.renamedElsewhere`.
///
/// - Parameter formerNames: The names that it had in earlier versions of the model: string literals.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., was formerNames: String...) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "AttributeMacro")

/// Makes a property of a class with ``Model(was:)`` a to-one relationship, or sets options of a to-many one.
///
/// ```swift
/// @Relationship(deleteRule: .nullify, inverse: \Person.items) var owner: Person?
/// @Relationship(deleteRule: .cascade) var items: ToMany<Item>
/// ```
///
/// Every relationship has an inverse in the other model, and both ends change together. Name the inverse at one end
/// only: the compiler cannot resolve two key paths that refer to each other. It says `circular reference resolving
/// attached macro 'Relationship'` and `unknown attribute 'Relationship'` then; take `inverse:` away at one end. If both
/// ends are a `ToMany`, objects are related in pairs:
///
/// ```swift
/// @Relationship(inverse: \Tag.notes) var tags: ToMany<Tag>
/// @Relationship(mutual: true) var related: ToMany<Note>
/// ```
///
/// - Parameters:
///   - deleteRule: What happens to the objects at the other end when the object with this property is deleted.
///   - inverse: The relationship of the other model that leads back, as a key path literal.
///   - mutual: Of a to-many that leads to its own model: whether it is its own inverse, as friends are: whoever is
///     related to an object has that one among its own.
///   - required: Of a to-one: whether a save is refused, with `SaveError.violations`, that leaves an object without
///     another one at the end of it.
///   - minimum: Of a to-many: how many members there are at least when a save is made.
///   - maximum: Of a to-many: how many members there are at most. A save that changes the members of an object whose
///     relationship has a minimum or maximum reads them.
///   - formerNames: The names that it had in earlier versions of the model, as of an attribute: string literals.
@attached(peer)
public macro Relationship(
  deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath? = nil, mutual: Bool = false, required: Bool = false,
  minimum: Int = 0, maximum: Int = .max, was formerNames: String...
) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "RelationshipMacro")

/// Declares counted indexes over several properties of a class with ``Model(was:)``, of which the first leads.
///
/// ```swift
/// @Model final class Item {
///   #Index<Item>([\.isDone, \.dueDate], [\.folder, \.name])
///   var isDone: Bool = false
///   …
/// }
/// ```
///
/// A fetch or list that fixes the first properties of an index and sorts by the next one, or compares it, finds its
/// count, its n-th row and the row of an object in O(log n): the items of a folder by name, or those that are not done
/// and due by a date. An index has attributes and to-one relationships that store their reference, 16 at most; each
/// save that changes one of them writes it, too. It stores 490 bytes of its columns: where objects agree so far, they
/// are read and sorted by the rest once after each save. Indexes are built when a store is opened with a model that
/// declares them.
///
/// Each to-one has an index by itself, which finds the members of its inverse and does not count them: most have few,
/// and counts would cost every save that moves a member. `[\.folder]` is one that does.
///
/// - Parameter indexes: The properties of each index, as key path literals.
@freestanding(declaration)
public macro Index<Model: PersistentModel>(_ indexes: [PartialKeyPath<Model>]...) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "IndexMacro")

/// Declares properties of a class with ``Model(was:)`` that are unique together: no two objects have the same values in
/// all of them.
///
/// ```swift
/// @Model final class Membership {
///   #Unique<Membership>([\.person, \.club], [\.club, \.number])
///   @Relationship(inverse: \Person.memberships) var person: Person?
///   …
/// }
/// ```
///
/// A save that would break the rule is refused with `SaveError.violations`, as for a unique attribute. Objects of which
/// one of the properties is nil are never the same, as in SQL. If `nilsAreEqual` is true, nil counts as a value. For
/// example, a person then has one membership without a club at most:
///
/// ```swift
/// #Unique<Membership>([\.person, \.club], nilsAreEqual: true)
/// ```
///
/// The delete rule `nullify` makes nils, too: a save that deletes two clubs of one person is refused with this rule,
/// unless it deletes the memberships as well. A store takes up a stricter rule when it is opened with models that
/// declare it, and is not opened if its objects break it.
///
/// Each has an index like ``Index(_:)``, with the same limits.
///
/// - Parameters:
///   - properties: The properties that are unique together, as key path literals.
///   - nilsAreEqual: Whether nil equals nil, as with `NULLS NOT DISTINCT` in PostgreSQL: the literal `true` or `false`.
///     It holds for all properties of this declaration; write another `#Unique` for properties with the other rule.
@freestanding(declaration)
public macro Unique<Model: PersistentModel>(
  _ properties: [PartialKeyPath<Model>]..., nilsAreEqual: Bool = false
) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "IndexMacro")

/// Keeps a stored property of a class with ``Model(was:)`` out of the store.
///
/// The property must have an initial value or be optional; every object read from the store starts with that value.
@attached(peer)
public macro Transient() = #externalMacro(module: "RepriseObjectGraphMacros", type: "TransientMacro")
#endif
