// The XML writer against the XML reader.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { loadModel, type Resource } from '#model'
import { readXml } from '../request/read-xml.ts'
import { listXml, rowXml } from './write-xml.ts'

const model = loadModel(
  `type Post { id: ID! title: String n: Int f: Float b: Boolean day: Date big: BigInt kind: Kind any: JSON own: Own
     labels: [String] grid: [[Int!]!] place: Place places: [Place!] author: User tags: [Tag!]! }
   type User { id: ID! posts: [Post!]! } type Tag { id: ID! posts: [Post!]! }
   type Place { city: String inner: Place } enum Kind { A B } scalar Own`,
  'x.graphql',
)
const post = model.types.get('Post') as Resource

test('R52, R54: XML can represent every JSON value, and reads back the same', () => {
  for (const row of [
    { title: 'a', n: 5, f: -1.5e300, b: false, day: '2026-01-01', big: '12345678901234567890', kind: 'A' },
    { title: '', any: { 'a b': [1, null, '<'] }, own: 'x', labels: ['', null, ' x '], grid: [[1, 2], []] },
    { title: '\u0000\r\n\t"&<>]]>\ufffe', place: { city: null, inner: { city: '1' } }, places: [], author: 'u1' },
    { title: null, any: null, labels: [], places: [{ city: 'x' }] },
  ]) {
    assert.deepEqual(readXml(rowXml(row, post), post), row)
    assert.deepEqual(readXml(listXml([row, row], post), post), [row, row])
  }
})

test('R54: links are items, an unknown name is passed on, and __proto__ is a name', () => {
  const xml = '<post><tags><item>t1</item></tags><titel>x</titel><__proto__>y</__proto__></post>'
  const row = readXml(xml, post) as Record<string, unknown>
  assert.deepEqual(Object.entries(row), [
    ['tags', ['t1']],
    ['titel', 'x'],
    ['__proto__', 'y'],
  ])
})

test('R54: every mistake is reported with its path', () => {
  const xml = `<post><title>a</title><title>b</title><n x="1">1</n><labels>x<!-- --></labels><grid><row/></grid>
    <any>{</any><place>x</place><b nil="yes"/><day encoding="hex">00</day><author><id/></author></post>`
  assert.throws(
    () => readXml(xml, post),
    (error) => {
      assert.ok(error instanceof ApiError)
      const found = error.problems.map(({ path, code }) => `${path} ${code}`)
      assert.deepEqual(found, [
        'title UNKNOWN',
        'n UNKNOWN',
        'labels TYPE',
        'grid.0 UNKNOWN',
        'any TYPE',
        'place TYPE',
        'b TYPE',
        'day UNKNOWN',
        'author TYPE',
      ])
      return true
    },
  )
  for (const [xml, path] of [
    ['<post nil="true"/>', ''],
    ['<post xmlns="urn:x"><title>a</title></post>', ''],
    ['<posts a="1"><post/></posts>', ''],
    ['<posts><post/><post encoding="base64"/></posts>', '1'],
    ['<post><place encoding="base64"><city>x</city></place></post>', 'place'],
    ['<post><labels encoding="base64"><item>x</item></labels></post>', 'labels'],
  ] as const) {
    assert.throws(
      () => readXml(xml, post),
      (error) => error instanceof ApiError && error.problems[0]?.code === 'UNKNOWN' && error.problems[0].path === path,
      xml,
    )
  }
  assert.throws(() => readXml('<tag/>', post), { code: 'VALIDATION_FAILED' })
  assert.throws(() => readXml('<posts><tag/></posts>', post), { code: 'VALIDATION_FAILED' })
  assert.throws(() => readXml('<post>', post), { code: 'BAD_REQUEST' })
})
