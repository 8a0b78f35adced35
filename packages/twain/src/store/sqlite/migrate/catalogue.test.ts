import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadModel } from '#model'
import { addFunctions } from '../connect/connect.ts'
import { migrate } from './migrate.ts'

const sdl = `
type Note @allow { id: ID!  title: String @index  words: String @search  tags: [Tag!]! }
type Tag @allow { id: ID!  name: String! }`

function open(setUp: string): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  addFunctions(database)
  database.exec(setUp)
  return database
}

function start(database: DatabaseSync, text = sdl): void {
  migrate(database, loadModel(text, ''), text, { data: '/data', allowBreaking: false })
}

/** The schema, and the rows of the table of somebody else. */
function dump(database: DatabaseSync): unknown[] {
  const schema = database.prepare('SELECT * FROM sqlite_schema ORDER BY name').all()
  return [...schema, ...database.prepare('SELECT * FROM other').all()]
}

const other = `CREATE TABLE other (x, _version); INSERT INTO other VALUES ('kept', 1); CREATE INDEX mine ON other (x);`

test('what Twain did not make in a file refuses the start, with all names at once, and stays as it is', () => {
  const database = open(`${other}
    CREATE TABLE note (id); INSERT INTO note VALUES ('a'); CREATE VIEW Note_tags AS SELECT 1; CREATE TABLE twain_node (x);
    CREATE INDEX "Note(key of title,title,id)" ON other (x); CREATE VIRTUAL TABLE twain_Note_words USING fts5(w)`)
  const before = dump(database)
  assert.throws(
    () => start(database),
    ({ name, message }: Error) => {
      assert.equal(name, 'StartRefused')
      assert.deepEqual(message.split('\n').slice(1, -1).sort(), [
        '  index "Note(key of title,title,id)"',
        '  table "Note"',
        '  table "twain_Note_words"',
        '  table "twain_node"',
        '  view "Note_tags"',
      ])
      return true
    },
  )
  assert.deepEqual(dump(database), before)
})

test('names that an earlier Twain moved or dropped are left alone in a file that it did not make', () => {
  const database = open(`${other} CREATE TABLE twain_delivery (id); CREATE INDEX twain_token_account ON other (x)`)
  start(database)
  start(database)
  const names = `'twain_delivery', 'twain_token_account', 'other', 'mine'`
  assert.equal(database.prepare(`SELECT 1 FROM sqlite_schema WHERE name IN (${names})`).all().length, 4)
})

test('a column of somebody else in a table of Twain refuses a schema that needs its name', () => {
  const database = open(other)
  start(database)
  database.exec('ALTER TABLE Tag ADD COLUMN Colour TEXT')
  start(database)
  const before = dump(database)
  assert.throws(
    () => start(database, sdl.replace('name:', 'colour: String  size: Int  name:')),
    /:\n {2}column "Tag"\."colour"\nNothing was changed\. .*--data/,
  )
  assert.deepEqual(dump(database), before)
})

test('a file of an earlier Twain, which kept no record, is served', () => {
  const database = open(other)
  start(database)
  database.exec('DROP TABLE twain_object; DROP TABLE twain_node')
  start(database)
  start(database, sdl.replace('name:', 'size: Int  name:'))
  assert.equal(database.prepare(`SELECT 1 FROM twain_object WHERE name = 'twain_node'`).all().length, 1)
})

test('an index of somebody else on a table of Twain does not stand in for a unique one', () => {
  const database = open(other)
  const text = sdl.replace('name: String!', 'name: String! @unique')
  start(database, text)
  database.exec('DROP INDEX "Tag(name) unique"; CREATE INDEX "Tag(name) unique" ON Tag (name)')
  assert.throws(() => start(database, text.replace('title:', 'more: Int  title:')), /index "Tag\(name\) unique"/)
})
