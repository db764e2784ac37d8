import Reprise
import XCTest

final class SchemaErrorTextTests: ErrorTextTestCase {
  func testSchemaErrors() throws {
    checkModels()
    checkIndexes()
    try assertEveryCaseWasChecked(of: "SchemaError")
  }

  private func checkModels() {
    check(
      SchemaError.duplicateEntity("Note"),
      "Two models are named 'Note'. Give one of them another name: @Model(\"…\").")
    check(
      SchemaError.duplicateProperty(entity: "Note", property: "stars"),
      "Note has two properties named 'stars'. Rename one of them.")
    check(
      SchemaError.emptyName(entity: "Note"),
      "The model 'Note' or one of its properties has an empty name. Name the model and each property.")
    check(
      SchemaError.repeatedFormerName("points", entity: "Note", property: "stars"),
      "The former names (`was:`) of Note.stars contain 'points' twice. Remove one of them.")
    check(
      SchemaError.repeatedFormerName("Note", entity: "Note", property: nil),
      "The former names (`was:`) of Note contain 'Note', which is the present name. Remove it.")
    check(
      SchemaError.missingTarget(entity: "Note", property: "writer", target: "Writer"),
      "Note.writer refers to Writer, which is not among the store's models. Open the store with Writer too.")
    check(
      SchemaError.missingInverse(entity: "Note", property: "writer", target: "Writer", inverse: nil),
      """
      Note.writer has no inverse in Writer, or more than one. Name the inverse: @Relationship(inverse: \\Writer.…).
      """)
    check(
      SchemaError.missingInverse(entity: "Note", property: "writer", target: "Writer", inverse: "notes"),
      """
      Note.writer names Writer.notes as its inverse, but Writer.notes does not lead back to Note.writer. Correct the \
      inverse.
      """)
    check(
      SchemaError.missingDefault(entity: "Note", property: "mood"),
      """
      Note.mood needs a default value, for objects whose value cannot be read. Give the attribute a default value, or \
      make it optional.
      """)
    check(
      SchemaError.mergeRule(.counter, entity: "Note", property: "title"),
      "Note.title is not a number, so it cannot be a counter. Leave the merge rule out.")
    check(
      SchemaError.mergeRule(.set, entity: "Note", property: "title"),
      """
      Note.title is not a set. The merge rule is for attributes of type Set, and for integers as sets of bits. Leave \
      the merge rule out.
      """)
    check(
      SchemaError.mergeRule(.lastWriter, entity: "Note", property: "stars"),
      "Note.stars cannot have the merge rule lastWriter. Leave the merge rule out.")
    check(
      SchemaError.mergeRule(.text, entity: "Note", property: "stars"),
      "Note.stars is not a text, so its edits cannot be merged word by word. Leave the merge rule out.")
    check(
      SchemaError.invalidRule(entity: "Note", property: "title", reason: "the pattern '(' does not end"),
      "A rule of Note.title is not valid: the pattern '(' does not end. Correct the rule.")
  }

  private func checkIndexes() {
    check(
      SchemaError.unknownColumn(entity: "Note", index: "[stras]", column: "stras"),
      "Note has no property 'stras', which its index [stras] names. Correct the name.")
    check(
      SchemaError.columnNotStored(entity: "Note", index: "[tags]", column: "tags"),
      """
      Note.tags cannot be a column of the index [tags]: an object of Note stores no value for it. Use attributes, or \
      to-one relationships that Note stores.
      """)
    check(
      SchemaError.columnIsBlob(entity: "Note", index: "[stars, image]", column: "image"),
      """
      Note.image cannot be a column of the index [stars, image]: it is a blob, whose digest is too long for an index \
      with several columns. Declare an index over Note.image alone.
      """)
    check(
      SchemaError.repeatedColumn(entity: "Note", index: "[stars, stars]", column: "stars"),
      "The index [stars, stars] of Note has the column 'stars' twice. Name each column once.")
    check(SchemaError.emptyIndex(entity: "Note"), "An index of Note has no columns. Name its properties.")
    check(
      SchemaError.tooManyColumns(entity: "Note", index: "[stars]", limit: 8),
      "The index [stars] of Note has more than 8 columns. Leave some columns out.")
    check(
      SchemaError.unknownLocale(entity: "Note", index: "[title]", locale: "xx"),
      """
      The index [title] of Note needs the order of texts of the locale 'xx', which this program does not have. Correct \
      the locale, or import RepriseLocales, which has the orders of languages, but only on Linux.
      """)
    check(
      SchemaError.notSearchable(entity: "Note", property: "stars"),
      "Note.stars is not a text, so it cannot be searched. Remove its search index.")
  }
}
