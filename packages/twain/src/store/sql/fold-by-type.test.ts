import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { Where } from '#plan'
import { guardOf, resourceOf } from '../plan.fixture.ts'
import { layOut } from '../tables/layout.ts'
import { foldByType } from './fold-by-type.ts'

const model = loadModel(
  'type User @account { id: ID! email: String! @unique } type Post { id: ID! n: Int }',
  'test.graphql',
)
const { layout } = layOut(model, null)
const [user, post] = [resourceOf(model, 'User'), resourceOf(model, 'Post')]
const ofPost: Where = { kind: 'type', of: post }
const ofUser: Where = { kind: 'type', of: user }
const rule = guardOf(model, 'Post', { n: { gt: 1 } })

const and = (...of: Where[]): Where => ({ kind: 'and', of })
const or = (...of: Where[]): Where => ({ kind: 'or', of })
const not = (of: Where): Where => ({ kind: 'not', of })

test('a type condition is decided by the row’s type, and only an account can be the viewer', () => {
  const cases: [where: Where, post: boolean | null, user: boolean | null][] = [
    [ofPost, true, false],
    [not(ofPost), false, true],
    [{ kind: 'viewer' }, false, null],
    [rule, null, null],
    [and(ofPost, rule), null, false],
    [and(ofPost, ofUser), false, false],
    [or(ofPost, rule), true, null],
    [or(and(ofPost, rule), ofUser), null, true],
    [not(and(ofPost, rule)), null, true],
    [or(ofPost, ofUser), true, true],
    [and(or(ofPost, ofUser), rule), null, null],
    [and(), null, null],
  ]
  for (const [where, ofAPost, ofAUser] of cases) {
    assert.equal(foldByType(where, post, layout), ofAPost)
    assert.equal(foldByType(where, user, layout), ofAUser)
  }
})
