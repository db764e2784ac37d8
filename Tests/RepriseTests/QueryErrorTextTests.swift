import Reprise
import XCTest

final class QueryErrorTextTests: ErrorTextTestCase {
  private var value: InvalidValue {
    InvalidValue(object: note, property: "stars", value: .string("five"), reason: .typeMismatch(expected: "an integer"))
  }

  func testFetchErrors() throws {
    checkTerms()
    checkWholeFetches()
    try assertEveryCaseWasChecked(of: "FetchError")
  }

  private func checkTerms() {
    check(
      FetchError.unknownEntity("Note"),
      "The store was opened without the model Note. Open it with Note among its models.")
    check(
      FetchError.unknownProperty(term: "stras", entity: "Note", property: "stras"),
      "'stras': Note has no property 'stras'. Correct the name. If the fetch was decoded, make it again.")
    check(
      FetchError.notToOne(term: "tags.name", entity: "Note", property: "tags"),
      """
      The path 'tags.name' continues after Note.tags, which is not a to-one relationship. End the path there. To test \
      members of a to-many relationship, use `any` or `all`.
      """)
    check(
      FetchError.notAnAttribute(term: "writer", entity: "Note", property: "writer"),
      "'writer' cannot be used as an attribute, because Note.writer is not an attribute. Name an attribute instead.")
    check(
      FetchError.notToMany(term: "title", entity: "Note", property: "title"),
      """
      'title': Note.title is not a to-many relationship, so it has no members. Name a to-many relationship, or use the \
      value of the property.
      """)
    check(
      FetchError.wrongType(term: "stars", expected: "an integer", found: "a text"),
      """
      The types at 'stars' do not match: the fetch needs an integer there, but has a text. Correct the value, or name \
      another property.
      """)
    check(
      FetchError.notComputable(term: "title + stars", found: "a text"),
      """
      'title + stars' cannot be computed from a text. Combine numbers of one type, or a date and seconds. asDouble \
      converts an integer.
      """)
    check(
      FetchError.invalidPattern(pattern: "(", offset: 1, reason: "the group does not end"),
      """
      The pattern '(' is not valid at character 1: the group does not end. Correct the pattern. To match a sign such \
      as * itself, put a backslash before it.
      """)
    check(
      FetchError.notTranslatable(part: "$0.title.count", reason: "no field counts characters"),
      """
      The predicate's part '$0.title.count' has no exact equivalent as a condition: no field counts characters. \
      Correct this part, or write the condition in the closure of `Fetch`, which has more operations. Or leave the \
      part out, and filter the fetched objects.
      """)
    check(
      FetchError.unnamedSections("name.collated(.locale(\"sv\"))"),
      """
      'name.collated(.locale("sv"))' cannot make the sections of a list. In the order of a locale, texts with other \
      spellings can be equal, so a section would have several names. Use `firstCharacter()`, or the property without \
      `collated(_:)`.
      """)
    check(
      FetchError.unknownLocale(term: "name", locale: "xx"),
      """
      'name' needs the order of texts of the locale 'xx', which this program does not have. Correct the locale, or \
      import RepriseLocales, which has the orders of languages, but only on Linux.
      """)
    check(
      FetchError.notAssignable("writer.name"),
      """
      'writer.name' is not stored in the objects that the fetch finds, so an update cannot assign to it. Update the \
      objects that store it.
      """)
    check(
      FetchError.derivedNotAssignable("fullName"),
      """
      'fullName' is a derived attribute, so an update cannot assign to it. Update the attributes that it is computed \
      from.
      """)
    check(
      FetchError.notGrouped("title"),
      """
      Groups cannot be sorted by 'title', because the objects are not grouped by it. Sort by a key or an aggregate.
      """)
    check(
      FetchError.overflow("sum of stars"),
      """
      'sum of stars' does not fit into 64 bits, or into the 38 digits of a Decimal. Fetch fewer objects, or take the \
      average of the integers, which never overflows.
      """)
  }

  private func checkWholeFetches() {
    check(FetchError.negativeLimit(-1), "A fetch cannot be limited to -1 objects. Give 0 or more.")
    check(FetchError.negativeOffset(-1), "A fetch cannot skip the first -1 objects. Give 0 or more.")
    check(
      FetchError.cancelled,
      """
      The task was cancelled while the fetch read the log. Nothing has changed. Fetch again in another task, or let an \
      index keep history, so that the fetch need not read the log.
      """, named: "cancelled")
    check(
      FetchError.limitedHistory,
      """
      A fetch with a limit or an offset has no history, because its result depends on objects that it does not find. \
      Leave out the limit and the offset, and limit the history instead.
      """, named: "limitedHistory")
    check(
      FetchError.unknownSectionRule("month"),
      """
      The fetch was archived with sections by the rule 'month', but an archive has only the name of a rule. Give the \
      fetch its sections again with sectioned(_:).
      """)
    check(
      FetchError.tooDeep(limit: 100),
      "The condition is nested more than 100 levels deep. Write it flatter: isIn(_:) replaces many ==.")
    check(
      FetchError.malformedCondition,
      "The condition is incomplete, because it was decoded from damaged data. Build the condition again.",
      named: "malformedCondition")
    check(
      FetchError.notReadable(StoreError.closed(path: path).description),
      "The fetch could not read the objects that it needs. The store /data/notes.reprise was closed. Open it again.")
  }

  func testLookupErrors() throws {
    check(
      LookupError.notFound(note),
      "There is no object \(note) in the state of the store that this context shows. Refresh the context, or drop the "
        + "ID.")
    check(LookupError.deleted(note), "The object \(note) was deleted. Drop the ID, or undo the deletion.")
    check(
      LookupError.malformedURI("http:"),
      "'http:' is not an object's URI: reprise://<log>/<Entity>/<object>, with two UUIDs. Correct the text.")
    check(
      LookupError.foreignStore(uri: "reprise://x", log: note.uuid),
      """
      The URI reprise://x belongs to another store. The log of this store is \(note.uuid). Open the store that the \
      URI belongs to.
      """)
    check(
      LookupError.unknownEntity("Note"),
      "The store was opened without a model 'Note'. Open it with that model, or correct the name.")
    check(
      LookupError.unreadable(note, reason: "its checksum is wrong"),
      "The object \(note) cannot be read: its checksum is wrong. Verify the store with `StoreMaintenance.verify(_:)`."
    )
    check(LookupError.store(.closed(path: path)), "The store /data/notes.reprise was closed. Open it again.")
    try assertEveryCaseWasChecked(of: "LookupError")
  }

  func testUpdateErrors() throws {
    check(
      UpdateError.invalidValue(value),
      "\(note).stars: \"five\" is not an integer. Nothing was changed. Assign another value.")
    check(
      UpdateError.overflow(object: note, property: "stars"),
      """
      \(note).stars cannot be increased, because the sum does not fit into 64 bits. Nothing was changed. Leave the \
      object out, or increase stars by less.
      """)
    check(
      UpdateError.missingTarget(writer),
      """
      \(writer) does not exist in this context, so nothing can refer to it. Nothing was changed. Insert or save this \
      object first.
      """)
    check(
      UpdateError.oneToOne(entity: "Note", property: "cover"),
      """
      Note.cover is one end of a one-to-one relationship, so several objects cannot refer to one object. Nothing was \
      changed. Assign the relationship object by object.
      """)
    check(
      UpdateError.unknownKeyPath(entity: "Note"),
      """
      A key path of the upsert is not a stored property of Note. Nothing was changed. Name a stored property. If Note \
      was written without `@Model`, its `_keyPaths` must list the key path.
      """)
    check(
      UpdateError.notUnique(entity: "Note", properties: ["title"]),
      """
      The upsert cannot identify an object of Note by 'title', because no unique index has exactly these properties. \
      Nothing was changed. Declare such an index with `@Attribute(.unique)` or `#Unique`.
      """)
    check(
      UpdateError.missingKey(entity: "Note", properties: ["title", "stars"]),
      """
      The upsert identifies an object of Note by 'title' and 'stars', but does not assign a value to 'title' and \
      'stars'. Nothing was changed. Assign values that are not nil. Or declare the properties unique with \
      `nilsAreEqual: true`, and assign nil where there is no value.
      """)
    check(UpdateError.batchSize(0), "A batch cannot have 0 objects. Nothing was changed. Use 1 or more.")
    try assertEveryCaseWasChecked(of: "UpdateError")
  }

  func testPropertyErrors() throws {
    check(
      PropertyError.unknownEntity("Note"),
      """
      The store was not opened with a model 'Note'. Use one of the store's `entities`, or open it with that model.
      """)
    check(
      PropertyError.unknown("stras", entity: "Note"),
      "Note has no property 'stras'. Use one of the properties that its `entity` lists.")
    check(
      PropertyError.toMany("tags", entity: "Note"),
      "Note.tags is a to-many relationship, which has no single value. Use `members(of:)` or `setMembers(of:to:)`.")
    check(
      PropertyError.notToMany("title", entity: "Note"),
      "Note.title is not a to-many relationship, so it has no members. Use `object[\"title\"]` or `set(_:to:)`.")
    check(
      PropertyError.derived("length", entity: "Note"),
      "Note.length is derived from other attributes, and cannot be assigned. Assign those attributes.")
    check(
      PropertyError.invalidValue(value),
      "\(note).stars: \"five\" is not an integer. Nothing was changed. Use another value.")
    check(
      PropertyError.missingTarget(writer, property: "writer", entity: "Note"),
      """
      Note.writer cannot refer to \(writer), which does not exist in this context. Insert the object first, or \
      assign the object instead of its ID.
      """)
    check(
      PropertyError.readOnly(note),
      "\(note) belongs to a read-only context, and cannot be changed. Look it up in an `EditingContext`.")
    try assertEveryCaseWasChecked(of: "PropertyError")
  }

  func testExchangeErrors() throws {
    check(
      ExchangeError.unknownKey(path: "tags[1].nmae"),
      """
      'tags[1].nmae' is in the data, but not in the selection of properties to decode. Remove it from the data, or add \
      it to the argument `properties`.
      """)
    check(
      ExchangeError.missingKey(path: "title"),
      "'title' is missing, and is not optional. Give it a value in the data.")
    check(
      ExchangeError.wrongType(path: "", reason: "it is not an integer"),
      "The value cannot be used: it is not an integer. Correct this value.")
    check(
      ExchangeError.wrongType(path: "stars", reason: "it is not an integer"),
      "'stars' cannot be used: it is not an integer. Correct this value.")
    check(
      ExchangeError.unknownProperty("nmae", entity: "Note"),
      """
      The name 'nmae' does not fit in the `PropertySelection` for Note. Give `only` the names of attributes, and `ids` \
      and `nesting` the names of relationships.
      """)
    check(
      ExchangeError.exists(note, path: "tags[0]"),
      "\(note), at 'tags[0]', already exists. Update the existing object, or leave the ID out of the data.")
    check(
      ExchangeError.exists(note, path: ""),
      "\(note) already exists. Update the existing object, or leave the ID out of the data.")
    check(
      ExchangeError.missingTarget(writer, path: "writer"),
      """
      'writer' refers to \(writer), which does not exist in this context. Insert that object first, or leave 'writer' \
      out of the data.
      """)
    check(
      ExchangeError.malformed(reason: "it is empty"),
      "The data cannot be decoded: it is empty. Correct the data, or the decoder that you passed.")
    try assertEveryCaseWasChecked(of: "ExchangeError")
  }
}
