// The same request through REST and through GraphQL becomes the same plan with the same values, and gets the same answer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { seed } from '../../examples/blog/seed.ts'
import { system } from '../../packages/twain/src/base/http/index.ts'
import type { AuthorizedPlan, PageRead, Plan, ReadPlan } from '../../packages/twain/src/plan/index.ts'
import { compileRead } from '../../packages/twain/src/store/sql/read.ts'
import { sqlite } from '../../packages/twain/src/store/sqlite/dialect.ts'
import { layOut } from '../../packages/twain/src/store/tables/layout.ts'
import { type TestApis, uploadFile } from '../harness/open-apis.ts'
import { openBlog } from '../harness/open-blog.ts'
import { countedReads, fileReads, type Graphql, type Rest, reads, refusals, writes } from './equivalent-requests.ts'

describe('equivalent requests', () => {
  let apis: TestApis
  let names: Record<string, string>

  before(async () => {
    const opened = await openBlog()
    apis = { ...opened, ...opened.as(system) } // other viewers are tested in conformance/rules
    const path = (resource: string) => apis.model.resources.find(({ name }) => name === resource)!.path
    await seed(async (resource, input) => {
      if (resource === 'File') return { id: await uploadFile(apis, (input as { bytes: Uint8Array }).bytes, system) }
      const answer = await apis.rest('POST', `/${path(resource)}`, input)
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
      return answer.body as { id: string }
    })
    names = await idsOfTheSeed(apis)
  })
  after(() => apis.close())

  for (const [rest, graphql] of [...reads, ...fileReads]) {
    test(`${rest.join(' ')} is ${graphql[0]}`, async () => {
      const [left, right] = await sendBoth(apis, fillIn([rest, graphql], names))
      expectSamePlan(left, right)
      const root = left.body === null || left.status === 404 ? null : left.body
      assert.deepEqual(root, Object.values(right.data!)[0])
    })
  }

  for (const [path, graphql] of countedReads) {
    test(`GET ${path} with a total is ${graphql[0]}`, async () => {
      const rest: Rest = ['GET', path, undefined, { prefer: 'count=exact' }]
      const [left, right] = await sendBoth(apis, fillIn([rest, graphql], names))
      expectSamePlan(left, right)
      const { totalCount, ...page } = Object.values(right.data!)[0] as { totalCount: number }
      assert.deepEqual(left.body, page)
      assert.equal(left.headers['x-total-count'], String(totalCount))
      assert.ok(totalCount > 2)
      const { plan } = left.questions[0]!
      assert.equal(statementOf(plan, apis), statementOf(right.questions[0]!.plan, apis))
    })
  }

  test('Prefer: count=estimated is totalCount(estimate: true)', async () => {
    const [left, right] = await sendBoth(apis, [
      ['GET', '/tags?first=2&fields=id', undefined, { prefer: 'count=estimated' }],
      [
        'query ($e: Boolean!) { tagsConnection(first: 2) { totalCount(estimate: $e) edges { node { id } cursor } pageInfo { hasNextPage endCursor } } }',
        { e: true },
      ],
    ])
    expectSamePlan(left, right)
    const { totalCount } = right.data!.tagsConnection as { totalCount: number }
    assert.equal(left.headers['x-total-count'], String(totalCount))
    assert.equal(left.headers['preference-applied'], 'count=estimated')
  })

  test('a total of a page by offset is part of its plan too', async () => {
    const [left, right] = await sendBoth(apis, [
      ['GET', '/tags?limit=2&fields=name', undefined, { prefer: 'count=exact' }],
      ['{ tags(limit: 2) { name } }'],
    ])
    const plan = right.questions[0]!.plan as PageRead
    assert.deepEqual(left.questions[0]!.plan, { ...plan, shape: { ...plan.shape, total: true } })
    assert.ok(Number(left.headers['x-total-count']) > 2)
    assert.deepEqual(left.body, right.data!.tags)
  })

  for (const [rest, graphql] of writes) {
    test(`${rest[0]} ${rest[1]} is ${graphql[0]}`, async () => {
      const [left, right] = await sendBoth(apis, fillIn([rest, graphql], names))
      expectSamePlan(left, right)
      if (left.status === 404) assert.deepEqual(right.data, { deleteTag: { success: false } })
      else assert.deepEqual(left.body, Object.values(right.data!)[0])
    })
  }

  for (const [rest, graphql] of refusals) {
    test(`${rest[0]} ${rest[1]} ${JSON.stringify(rest[2])} is refused as ${graphql[0]}`, async () => {
      const [left, right] = await sendBoth(apis, fillIn([rest, graphql], names))
      const problem = left.body as {
        status: number
        code: string
        errors: { path: string; code: string; message: string }[]
      }
      const extensions = right.errors[0]?.extensions
      assert.ok(left.status >= 400 && left.status < 500, JSON.stringify(problem))
      assert.equal(extensions?.code, problem.code)
      // REST also names a place of the body as a JSON pointer.
      const places = (problem.errors ?? []).map(({ path, code, message }) => ({ path, code, message }))
      assert.deepEqual(extensions?.errors ?? [], places)
    })
  }
})

/** The statement that a store runs for the plan of an adapter. */
function statementOf(plan: Plan, { model }: TestApis): string {
  return compileRead(plan as AuthorizedPlan<ReadPlan>, layOut(model, null).layout, false, sqlite).sql
}

interface ExecutedPlans {
  questions: TestApis['executed']
}

async function sendBoth(apis: TestApis, [rest, graphql]: [Rest, Graphql]) {
  apis.executed.length = 0
  const left = await apis.rest(...rest)
  const restQuestions = apis.executed.splice(0)
  const right = await apis.graphql(...graphql)
  const graphqlQuestions = apis.executed.splice(0)
  return [
    { ...left, questions: restQuestions },
    { ...right, questions: graphqlQuestions },
  ] as const
}

function expectSamePlan(left: ExecutedPlans & { body: unknown }, right: ExecutedPlans & { errors: unknown[] }): void {
  assert.deepEqual(right.errors, [])
  assert.equal(left.questions.length, 1, JSON.stringify(left.body))
  assert.equal(right.questions.length, 1)
  assert.deepEqual(withoutKept(left.questions[0]!.plan), withoutKept(right.questions[0]!.plan))
  assert.deepEqual(left.questions[0]!.values, right.questions[0]!.values)
}

/** Whether later requests use the plan is no part of what it does: REST does not keep that of a create with a query. */
function withoutKept<P extends object>(plan: P): P {
  const { isKept: _, ...does } = plan as P & { isKept?: true }
  return does as P
}

async function idsOfTheSeed(apis: TestApis): Promise<Record<string, string>> {
  const { data } = await apis.graphql(`{
    posts(where: {comments: {some: {body: {contains: "ferry"}}}, seo: {isNull: false}}, limit: 1) { id author { id } tags(limit: 1) { id } }
    postsConnection(first: 5, orderBy: [{rating: DESC}]) { pageInfo { endCursor } }
  }`)
  const { posts, postsConnection } = data as {
    posts: { id: string; author: { id: string }; tags: { id: string }[] }[]
    postsConnection: { pageInfo: { endCursor: string } }
  }
  const [post] = posts
  return {
    $post: post!.id,
    $user: post!.author.id,
    $tag: post!.tags[0]!.id,
    $cursor: postsConnection.pageInfo.endCursor,
  }
}

function fillIn<T>(value: T, names: Record<string, string>): T {
  const text = JSON.stringify(value).replace(/\$(post|user|tag|cursor)/g, (name) => names[name]!)
  return JSON.parse(text) as T
}
