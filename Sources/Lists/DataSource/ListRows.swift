import RepriseObjectModel

/// The rows of a list at one moment, across all sections: ``DataSource/rows``.
///
/// It is a lazy collection: it stores no elements, and reads each one when you access it. Indices count from 0. An
/// index beyond the rows traps, as in an array.
///
/// The rows of a ``FetchedList`` stay as they were when you read the property, even if the list changes. The collection
/// retains the data of that moment. An access costs O(log n), and less in sequential access, because neighbours are
/// read together. The rows of an ``ArraySource`` stay as they were, too, because the collection has a copy of its
/// array. From any other source, the collection is valid until the next batch.
public struct ListRows<Element>: RandomAccessCollection {
  let reader: any RowReader<Element>
  let range: Range<Int>

  init(_ reader: any RowReader<Element>) { self.init(reader, 0..<reader.count) }

  init(_ reader: any RowReader<Element>, _ range: Range<Int>) {
    self.reader = reader
    self.range = range
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { range.count }

  /// The element of a row.
  ///
  /// Traps if the row does not exist.
  public subscript(index: Int) -> Element {
    precondition(
      range.indices.contains(range.lowerBound + index),
      "There is no row \(index): the list or section has \(range.count) rows.")
    return reader.element(at: range.lowerBound + index)
  }
}

/// The sections of a list at one moment, each a collection of its rows: ``DataSource/sections``.
///
/// ```swift
/// for section in list.sections {
///   print(section.name ?? "", section.map(\.name))
/// }
/// ```
///
/// Like ``ListRows``, it stores no elements.
public struct ListSections<Element>: RandomAccessCollection {
  private let rows: ListRows<Element>
  private let snapshot: ListSnapshot

  init(_ rows: ListRows<Element>, _ snapshot: ListSnapshot) {
    self.rows = rows
    self.snapshot = snapshot
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { snapshot.sections.count }

  /// A section.
  ///
  /// Traps if the section does not exist.
  ///
  /// - Complexity: O(1)
  public subscript(index: Int) -> ListSection<Element> {
    precondition(
      snapshot.sections.indices.contains(index),
      "There is no section \(index): the list has \(snapshot.sections.count) sections.")
    return ListSection(
      name: snapshot.sections[index].name, rows: ListRows(rows.reader, snapshot.rows(inSection: index)))
  }
}

/// A section of a list at one moment: a collection of its rows, with the section's name.
public struct ListSection<Element>: RandomAccessCollection {
  /// The section's name, or `nil` in a list without sections.
  public let name: String?
  private let rows: ListRows<Element>

  init(name: String?, rows: ListRows<Element>) {
    self.name = name
    self.rows = rows
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { rows.endIndex }

  /// The element of a row of this section, as in ``ListRows``.
  ///
  /// Traps if the row does not exist.
  public subscript(index: Int) -> Element { rows[index] }
}

/// Reads the rows of a list for its collections.
protocol RowReader<Element> {
  associatedtype Element
  /// The number of rows in all sections.
  var count: Int { get }
  /// The element of the row with this index across all sections, which exists.
  func element(at index: Int) -> Element
}

/// Reads the present rows of any data source.
final class SourceReader<Source: DataSource>: RowReader {
  private let source: Source
  private let snapshot: ListSnapshot

  init(_ source: Source) {
    self.source = source
    snapshot = source.snapshot
  }

  var count: Int { snapshot.count }

  func element(at index: Int) -> Source.Element { source.element(at: snapshot.existingPath(at: index)) }
}

extension ListSnapshot {
  /// The place of a row that exists.
  func existingPath(at index: Int) -> RowPath {
    guard let path = path(at: index) else {
      // invariant: the collections check their bounds.
      preconditionFailure()
    }
    return path
  }
}
