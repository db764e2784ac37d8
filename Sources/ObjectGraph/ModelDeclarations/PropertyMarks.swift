#if Macros
import RepriseObjectModel

/// Options of an attribute of a model, for ``Attribute(_:was:)``.
public enum AttributeOption: Hashable, Sendable {
  /// A counted index over this attribute.
  ///
  /// A list sorted by the attribute finds its n-th row and the row of an object in O(log n). Each save that changes the
  /// attribute also writes the index.
  case indexed
  /// A counted index over this attribute in the order of a collation.
  ///
  /// The index serves lists sorted by `$0.name.collated(.ignoringCase)`, and conditions such as
  /// `$0.name.equals("ada", .ignoringCase)`. An attribute may have several collation indexes in addition to
  /// ``indexed``. Each one adds the same cost to saves.
  public static func indexed(_ collation: Collation) -> AttributeOption { ._indexed(collation) }
  /// Implements ``indexed(_:)``.
  case _indexed(Collation)
  /// A rule that no two objects have the same value.
  ///
  /// A save that would break it throws `SaveError.refused`. The rule holds even if two contexts or processes save at
  /// the same time. `nil` is never the same as another `nil`. The attribute gets an index like ``indexed``, which
  /// fetches and `upsert` use to find objects. For several properties together, see
  /// ``Unique(_:nilsAreEqual:keepsHistory:)``.
  ///
  /// Each object that gets a new value costs one lookup, O(log n).
  ///
  /// A store whose objects break the rule does not open. If you add a unique attribute to a model with objects, make
  /// the attribute optional. Otherwise, all these objects have its default. Once a store is open with the rule, the
  /// store keeps it. Programs whose models lack the rule must then keep it too.
  case unique
  /// A rule that no two objects have texts that are equal under a collation; otherwise like ``unique``.
  ///
  /// For example, with `.unique(.ignoringCase)` a store can have either "Ada" or "ada".
  public static func unique(_ collation: Collation) -> AttributeOption { ._unique(collation) }
  /// Implements ``unique(_:)``.
  case _unique(Collation)
  /// A search index over the words of this attribute, which must be a text.
  ///
  /// `contains(words:)` uses it to find objects without reading their texts. Each save that changes the attribute
  /// writes the added and removed words. You can combine it with ``indexed``, which covers the text as a whole.
  case searchable
  /// Concurrent additions to a number are added up: ``MergeRule/counter``.
  case counter
  /// Concurrent insertions into a set and removals from it are combined: ``MergeRule/set``.
  case set
  /// Of concurrent changes, the last saved one wins: ``MergeRule/lastWriter``.
  case lastWriter
  /// Concurrent edits of different words of a text are combined: ``MergeRule/text``.
  case text
  /// A computed property whose value is also stored, so that you can fetch, sort and index by it.
  ///
  /// ```swift
  /// @Attribute(.derived, .indexed) var fullName: String { "\(first) \(last)" }
  /// ```
  ///
  /// The getter may read only other attributes of the same object. Reading a relationship stops the program with a
  /// message. A save computes and stores the value after merging with other saves. Before the save, fetches and lists
  /// compute it for objects with uncommitted changes. For objects that were stored before the property was declared,
  /// opening the store computes it.
  case derived
  /// A derived attribute with a version.
  ///
  /// Increase the version when the computation changes; ``derived`` alone is version 1. If the stored values have
  /// another version, opening the store computes the attribute again for all objects.
  ///
  /// ```swift
  /// @Attribute(.derived(version: 2), .indexed) var fullName: String { "\(last), \(first)" }
  /// ```
  public static func derived(version: Int) -> AttributeOption { .derived }
  /// A rule of the values, made with one of the functions of this type.
  case _rule

  /// A rule that the attribute has a value.
  ///
  /// A save throws `SaveError.refused` if it is `nil` or an empty text. While it is edited, an object may lack the
  /// value, and `violations()` reports it. Objects stored before the rule was declared are not checked until the
  /// attribute changes. `ObjectContext.violations(of:limit:)` finds these objects.
  public static var required: AttributeOption { ._rule }
  /// A rule that values are in a range, as in `.range(0...120)`.
  ///
  /// A save of another value throws `SaveError.refused`. `nil` breaks no rule except ``required``. See
  /// ``AttributeRule``.
  public static func range<Range: RangeExpression>(_ range: Range) -> AttributeOption { ._rule }
  /// A rule on the number of characters of a text, of bytes, or of elements of a set: `.length(1...80)`.
  public static func length<Range: RangeExpression>(_ range: Range) -> AttributeOption
  where Range.Bound == Int { ._rule }
  /// A rule on the number of bytes of a blob: `.byteCount(...10_000_000)`.
  public static func byteCount<Range: RangeExpression>(_ range: Range) -> AttributeOption
  where Range.Bound == Int { ._rule }
  /// A rule that a regular expression matches the whole text: `.pattern("[A-Z]{3}-[0-9]+")`.
  public static func pattern(_ pattern: String) -> AttributeOption { ._rule }
  /// A rule that the value is one of these: `.allowedValues("red", "green")`.
  public static func allowedValues<Value: AttributeValue>(_ values: Value...) -> AttributeOption { ._rule }
  /// A rule that a closure or static function accepts the value, with a text that describes the rule to people.
  ///
  /// A closure must give the type of its parameter:
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
/// If a store knows the attribute by one of its former names, opening the store renames it. The renaming is one
/// transaction, however many objects there are. Indexes, drafts, saved fetches and list tokens keep working. Keep
/// former names in the model, because a program may open a store that was not opened for a long time. Two attributes
/// may exchange their names, and a new attribute may take a former name. Declare both attributes in these cases.
///
/// A program that still uses the former name keeps working. If the former name now belongs to another attribute, the
/// program gets `StoreError.renamedByNewerProgram`.
///
/// - Parameters:
///   - options: Indexes, rules, merge rules, or `derived`.
///   - formerNames: The attribute's names in earlier versions of the model, as string literals.
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
/// only, because the compiler cannot resolve two key paths that refer to each other. If both ends name it, the compiler
/// reports `circular reference resolving attached macro 'Relationship'` and `unknown attribute 'Relationship'`. Remove
/// `inverse:` at one end in this case.
///
/// If both ends are a `ToMany`, the relationship is many-to-many:
///
/// ```swift
/// @Relationship(inverse: \Tag.notes) var tags: ToMany<Tag>
/// @Relationship(mutual: true) var related: ToMany<Note>
/// ```
///
/// - Parameters:
///   - deleteRule: The effect on the objects at the other end when the object with this property is deleted.
///   - inverse: The relationship of the other model that refers back, as a key path literal.
///   - mutual: Whether a to-many relationship to its own model is its own inverse. For example, if one person is a
///     friend of another one, the reverse is also true.
///   - required: Whether a save throws `SaveError.refused` if it leaves this to-one relationship empty.
///   - minimum: The smallest number of members of a to-many relationship, checked at each save.
///   - maximum: The largest number of members of a to-many relationship. If there is a minimum or maximum, a save that
///     changes the members reads all of them.
///   - formerNames: The relationship's names in earlier versions of the model, as string literals.
@attached(peer)
public macro Relationship(
  deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath? = nil, mutual: Bool = false, required: Bool = false,
  minimum: Int = 0, maximum: Int = .max, was formerNames: String...
) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "RelationshipMacro")

/// Declares counted indexes over several properties of a class with ``Model(was:)``.
///
/// The order of the properties matters.
///
/// ```swift
/// @Model final class Item {
///   #Index<Item>([\.isDone, \.dueDate], [\.folder, \.name])
///   var isDone: Bool = false
///   …
/// }
/// ```
///
/// An index serves fetches and lists that fix its first properties and then sort by or compare the next one. These find
/// their count, their n-th row and the row of an object in O(log n). For example, the indexes above serve the items of
/// a folder by name, and unfinished items due before a date.
///
/// An index has at most 16 properties: attributes, and to-one relationships that store their reference. Each save that
/// changes one of them also writes the index. The index stores at most 490 bytes of its columns. If several objects
/// agree in these bytes, the first read after each save also reads the objects, and sorts them by the remaining bytes.
/// Opening a store builds the indexes that its models newly declare.
///
/// Each to-one relationship already has an index, which finds the members of its inverse but does not count them.
/// Counts would slow down every save that moves a member. Declare `[\.folder]` to have such an index with counts.
///
/// With `keepsHistory`, the indexes also have the rows that they had at each position of the log. Then a fetch, a
/// count, a rank or a list in the past costs as much as at the head, from the first call on:
///
/// ```swift
/// #Index<Order>([\.status, \.date], keepsHistory: true)
///
/// let monday = try store.context(at: date)
/// let open = try monday.count(Fetch<Order> { $0.status == .open })
/// ```
///
/// Each save that changes one of the properties then writes the history, too. It takes about 50 bytes for a changed
/// row, in addition to the key of the row. The history begins with the transaction that adds the index to the store. If
/// the store has the index already, the library builds the history while the store is open. It then begins at the head
/// of that moment.
///
/// - Parameters:
///   - indexes: The properties of each index, as key path literals.
///   - keepsHistory: Whether the indexes keep history: the literal `true` or `false`. It holds for all indexes of this
///     declaration.
@freestanding(declaration)
public macro Index<Model: PersistentModel>(_ indexes: [PartialKeyPath<Model>]..., keepsHistory: Bool = false) =
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
/// A save that would break the rule throws `SaveError.refused`, as for a unique attribute. If one of the properties of
/// an object is nil, the object breaks no unique rule, as in SQL. If `nilsAreEqual` is true, nil counts as a value. For
/// example, a person then has one membership without a club at most:
///
/// ```swift
/// #Unique<Membership>([\.person, \.club], nilsAreEqual: true)
/// ```
///
/// The delete rule `nullify` also assigns nil. If nil counts as a value, a save that deletes two clubs of one person
/// therefore throws, unless it also deletes the memberships. If the models declare a stricter rule than the store has,
/// opening the store adopts it. The opening throws if stored objects break the rule.
///
/// Each list of properties has an index as in ``Index(_:keepsHistory:)``, with the same limits.
///
/// - Parameters:
///   - properties: The properties that are unique together, as key path literals.
///   - nilsAreEqual: Whether nil equals nil, as with `NULLS NOT DISTINCT` in PostgreSQL: the literal `true` or `false`.
///     It holds for all properties of this declaration. For properties with the other rule, write another `#Unique`.
///   - keepsHistory: Whether the indexes keep history, as in ``Index(_:keepsHistory:)``: the literal `true` or
///     `false`. It also holds for all properties of this declaration.
@freestanding(declaration)
public macro Unique<Model: PersistentModel>(
  _ properties: [PartialKeyPath<Model>]..., nilsAreEqual: Bool = false, keepsHistory: Bool = false
) =
  #externalMacro(module: "RepriseObjectGraphMacros", type: "IndexMacro")

/// Keeps a stored property of a class with ``Model(was:)`` out of the store.
///
/// The property must have an initial value or be optional. Every object read from the store starts with that value.
@attached(peer)
public macro Transient() = #externalMacro(module: "RepriseObjectGraphMacros", type: "TransientMacro")
#endif
