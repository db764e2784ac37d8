import RepriseObjectModel
import RepriseQuery

// Models in many-to-many relationships, written by hand.

package final class Student: PersistentModel {
  package static let entity = Entity(
    Student.self, name: "Student",
    properties: [
      .attribute("name", String.self, indexed: true),
      .toMany("courses", Course.self, inverse: "students"),
      .toMany("helpers", Student.self, inverse: "helped"),
      .toMany("helped", Student.self),
      .toMany("diaries", Diary.self, inverse: "authors", deleteRule: .cascade),
      .toMany("friends", Student.self, inverse: "friends"),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Student.entity)
    self.name = name
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var courses: ToMany<Course> {
    get { ToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
  package var helpers: ToMany<Student> {
    get { ToMany(2, of: self) }
    set { _storage.setToMany(2, newValue, of: self) }
  }
  package var helped: ToMany<Student> {
    get { ToMany(3, of: self) }
    set { _storage.setToMany(3, newValue, of: self) }
  }
  package var diaries: ToMany<Diary> {
    get { ToMany(4, of: self) }
    set { _storage.setToMany(4, newValue, of: self) }
  }
  /// Its own inverse.
  package var friends: ToMany<Student> {
    get { ToMany(5, of: self) }
    set { _storage.setToMany(5, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Student
    package let name: Field<Student, String>
    package let courses: ToManyField<Student, Course>
    package let helpers: ToManyField<Student, Student>
    package let friends: ToManyField<Student, Student>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      courses = ToManyField(path.appending("courses"))
      helpers = ToManyField(path.appending("helpers"))
      friends = ToManyField(path.appending("friends"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let name: String
  }
  package var snapshot: Snapshot { Snapshot(name: name) }
}

package final class Course: PersistentModel {
  package static let entity = Entity(
    Course.self, name: "Course",
    properties: [.attribute("title", String.self), .toMany("students", Student.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ title: String) {
    _storage = ObjectStorage(Course.entity)
    self.title = title
  }

  package var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var students: ToMany<Student> {
    get { ToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Course
    package let title: Field<Course, String>
    package let students: ToManyField<Course, Student>

    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      students = ToManyField(path.appending("students"))
    }
  }

  package struct Snapshot: Hashable, Sendable {
    package let title: String
  }
  package var snapshot: Snapshot { Snapshot(title: title) }
}

/// Goes with any of its authors.
package final class Diary: PersistentModel {
  package static let entity = Entity(
    Diary.self, name: "Diary", properties: [.toMany("authors", Student.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init() { _storage = ObjectStorage(Diary.entity) }

  package var authors: ToMany<Student> {
    get { ToMany(0, of: self) }
    set { _storage.setToMany(0, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Diary
    package init(_ path: FieldPath) {}
  }

  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
