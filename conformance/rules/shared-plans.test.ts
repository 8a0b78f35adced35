// Viewers with the same roles share plans and prepared statements: only the bound account differs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { AuthorizedPlan } from '../../packages/twain/src/plan/index.ts'
import { ReadPool } from '../../packages/twain/src/store/postgres/read/read-pool.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import type { ApiClient } from '../harness/open-apis.ts'
import { openBlog } from '../harness/open-blog.ts'

const nested = `{ posts(limit: 5, where: {author: {bio: {isNull: false}}}, orderBy: [{rating: DESC}]) {
  title remarks author { name email } comments(limit: 2) { body author { born } } } }`

test('a hundred viewers share one plan and one statement; editors have another', async (t) => {
  const { as, plans, prepared } = await blog(t)
  const read = async (viewer: Viewer) => {
    const { status } = await as(viewer).graphql(nested)
    assert.equal(status, 200)
    assert.equal((await as(viewer).rest('GET', '/posts?fields=title,author.name&limit=3')).status, 200)
  }
  await read(someone(0))
  const before = { plans: new Set(plans).size, prepared: prepared() }
  for (let index = 1; index <= 100; index++) await read(someone(index))
  assert.deepEqual({ plans: new Set(plans).size, prepared: prepared() }, before)

  await read(someone(101, 'EDITOR'))
  const editing = { plans: new Set(plans).size, prepared: prepared() }
  assert.ok(editing.plans > before.plans && editing.prepared > before.prepared)
  for (let index = 102; index < 110; index++) await read(someone(index, 'EDITOR'))
  assert.deepEqual({ plans: new Set(plans).size, prepared: prepared() }, editing)
})

test('writes of one kind share one row check, whoever writes', async (t) => {
  const { as, plans } = await blog(t)
  plans.length = 0
  for (let index = 0; index < 20; index++) {
    const { status } = await as(someone(index)).rest('PATCH', '/posts/none', { title: `Title ${index}` })
    assert.equal(status, 404)
  }
  const checks = plans.map((plan) => (plan.kind === 'write' ? plan.checks : null))
  const answers = plans.map((plan) => (plan.kind === 'write' ? plan.answer : null))
  assert.deepEqual([checks.length, new Set(checks).size, new Set(answers).size], [20, 1, 1])
})

/** The reads of requests make JSON. The store asks for itself too, at any time: about its system tables, search words, the catalog. */
const isOfRequest = (text: string): boolean => /json/.test(text) && !/twain_|_worded|_words|pg_/.test(text)

/** Roles that no rule names do not separate viewers. */
function someone(index: number, ...roles: string[]): Viewer {
  return { account: `account-${index}`, roles: [...roles, `of-no-rule-${index}`], authenticated: true, token: null }
}

async function blog(t: TestContext) {
  const plans: AuthorizedPlan[] = []
  const prepare =
    testedStore === 'postgres'
      ? t.mock.method(ReadPool.prototype, 'query')
      : t.mock.method(DatabaseSync.prototype, 'prepare')
  const apis = await openBlog((plan) => {
    plans.push(plan)
    return plan
  })
  t.after(() => apis.close())
  const made = await apis
    .as(system)
    .rest('POST', '/users', { handle: 'ann', name: 'Ann', email: 'ann@harbour.example' })
  const { id } = made.body as { id: string }
  const post = { slug: 'one', title: 'One', body: '', status: 'PUBLISHED', author: id, remarks: 'Good.' }
  assert.equal((await apis.as(system).rest('POST', '/posts', post)).status, 201)
  const as = (viewer: Viewer): ApiClient => apis.as(viewer)
  const texts = () => prepare.mock.calls.map((call) => String(call.arguments[0])).filter(isOfRequest)
  return { as, plans, prepared: () => new Set(texts()).size }
}
