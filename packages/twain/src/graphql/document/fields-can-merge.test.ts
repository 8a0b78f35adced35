import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema } from '../schema/build-schema.ts'
import { FieldsCanMergeRule } from './fields-can-merge.ts'

const { schema } = buildApiSchema(blog)
const mistakes = (text: string) => validate(schema, parse(text), [FieldsCanMergeRule]).map(({ message }) => message)
const conflict = (key: string, why: string) =>
  `Fields "${key}" conflict because ${why}. Use different aliases on the fields to fetch both if this was intentional.`

test('one response key is one field with the same arguments in any order', () => {
  const same = '{ a: posts(limit: 1, where: {title: {eq: "x", ne: "y"}}) { id } '
  assert.deepEqual(mistakes(`${same} a: posts(where: {title: {ne: "y", eq: "x"}}, limit: 1) { title } }`), [])
  assert.deepEqual(mistakes(`${same} a: posts(limit: 2) { title } }`), [conflict('a', 'they have differing arguments')])
  assert.deepEqual(mistakes('{ posts { a: id a: title } }'), [
    conflict('a', 'they return conflicting types "ID!" and "String!"'),
    conflict('a', '"id" and "title" are different fields'),
  ])
})

test('fields of two object types may differ under one key if they have the same shape', () => {
  assert.deepEqual(mistakes('{ nameds { ... on User { x: name } ... on Tag { x: name } } }').length, 1) // String! and String
  assert.deepEqual(mistakes('{ founds { ... on User { x: name } ... on Post { x: title } } }'), [])
  assert.equal(mistakes('{ nameds { x: name ... on Tag { x: id } } }').length, 2)
})

test('the rule agrees with graphql-js on random fragments, aliases and types', () => {
  // Few keys, so that fields conflict; a fragment spreads only later ones, so that there are no cycles.
  const types: Record<string, { leaves: string[]; inner: [string, string][]; fragments: string[] }> = {
    Post: {
      leaves: ['id', 'title', 'pinned', 'labels', '__typename'],
      inner: [
        ['author', 'User'],
        ['comments(limit: 1)', 'Comment'],
        ['comments(limit: 2)', 'Comment'],
        ['tags', 'Tag'],
      ],
      fragments: ['Post', 'Found'],
    },
    User: {
      leaves: ['id', 'name', 'age'],
      inner: [
        ['posts', 'Post'],
        ['posts(offset: 1)', 'Post'],
        ['address', 'Address'],
      ],
      fragments: ['User', 'Named', 'Found'],
    },
    Tag: { leaves: ['id', 'name'], inner: [['posts', 'Post']], fragments: ['Tag', 'Named'] },
    Comment: {
      leaves: ['id', 'body'],
      inner: [
        ['post', 'Post'],
        ['about', 'Named'],
      ],
      fragments: ['Comment'],
    },
    Address: { leaves: ['city'], inner: [['former', 'Address']], fragments: ['Address'] },
    Named: { leaves: ['id', 'name'], inner: [], fragments: ['User', 'Tag', 'Named'] },
    Found: { leaves: ['__typename'], inner: [], fragments: ['Post', 'User'] },
  }
  const last = 3
  const fragmentTypes = ['Post', 'User', 'Named', 'Tag']
  const key = fc.constantFrom('', '', '', '', '', '', 'a: ')
  const setOf = (type: string, depth: number, fragment: number): fc.Arbitrary<string> => {
    const { leaves: requestValues, inner, fragments } = types[type]!
    const parts = [fc.tuple(key, fc.constantFrom(...requestValues)).map(([alias, leaf]) => `${alias}${leaf}`)]
    if (depth > 0) {
      for (const [field, to] of inner) {
        parts.push(fc.tuple(key, setOf(to, depth - 1, fragment)).map(([alias, set]) => `${alias}${field} ${set}`))
      }
      for (const on of fragments) parts.push(setOf(on, depth - 1, fragment).map((set) => `... on ${on} ${set}`))
      for (let next = fragment; next <= last; next++) {
        if (fragments.includes(fragmentTypes[next]!)) parts.push(fc.constant(`...f${next}`))
      }
    }
    return fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 2 }).map((made) => `{ ${made.join(' ')} }`)
  }
  const documents = fc
    .tuple(
      setOf('Post', 3, 0),
      setOf('Named', 3, 0),
      setOf('Found', 3, 0),
      ...fragmentTypes.map((type, index) => setOf(type, 2, index + 1)),
    )
    .map(([posts, nameds, founds, ...fragments]) => {
      const spread = fragments.map((set, index) => `fragment f${index} on ${fragmentTypes[index]} ${set}`)
      const all = 'x: posts { ...f0 } y: nameds { ...f1 ...f2 ...f3 }' // fragments without a spread are checked by graphql-js only
      return `{ posts ${posts} nameds ${nameds} founds ${founds} ${all} } ${spread.join(' ')}`
    })
  let rejected = 0
  fc.assert(
    fc.property(documents, (text) => {
      const document = parse(text)
      const theirs = validate(schema, document, [OverlappingFieldsCanBeMergedRule])
      const ours = validate(schema, document, [FieldsCanMergeRule])
      assert.equal(ours.length > 0, theirs.length > 0, text)
      if (ours.length > 0) rejected++
    }),
    { numRuns: 2000, seed: 1 },
  )
  assert.ok(rejected > 400 && rejected < 1600, `${rejected} of 2000 were rejected`)
})
