// Deletes that take many rows along (docs/reference/schema.md, "Large deletes"), through both APIs, by anonymous clients.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type Team @allow { id: ID! name: String @search members: [Member!]! }
  type Member @allow { id: ID! name: String @unique team: Team! @relation(onDelete: CASCADE) }
  type Other @allow { id: ID! text: String }
`

/** How a client deletes a team by each API: the outcome, and the detail code and message of a refusal. */
const deletes = {
  async rest(service: TestService, id: string, isAsync: boolean) {
    const { status, body, headers } = await service.send('DELETE', `/teams/${id}`, undefined, prefer(isAsync))
    const applied = headers.get('preference-applied')
    const outcome =
      status === 204 ? 'deleted' : status === 202 && applied === 'respond-async' ? 'begun' : String(status)
    return { outcome, code: body.errors?.[0]?.code, message: body.detail, hint: body.hint }
  },
  async graphql(service: TestService, id: string, isAsync: boolean) {
    return deleteByGraphql(service, id, {}, prefer(isAsync))
  },
  async 'graphql with an extension'(service: TestService, id: string, isAsync: boolean) {
    return deleteByGraphql(service, id, isAsync ? { extensions: { respondAsync: true } } : {}, {})
  },
}

const prefer = (isAsync: boolean): Record<string, string> => (isAsync ? { prefer: 'respond-async' } : {})

async function deleteByGraphql(service: TestService, id: string, more: object, headers: Record<string, string>) {
  const query = 'mutation ($id: ID!) { deleteTeam(id: $id) { success message } }'
  const { body } = await service.send('POST', '/graphql', { query, variables: { id }, ...more }, headers)
  const { code, problems, hint } = body.errors?.[0].extensions ?? {}
  const result = body.data?.deleteTeam
  const outcome =
    code === 'CONFLICT' ? '409' : result.success ? (/background/.test(result.message) ? 'begun' : 'deleted') : '404'
  return {
    outcome,
    code: (problems ?? body.errors?.[0].extensions.errors)?.[0].code,
    message: body.errors?.[0].message,
    hint,
  }
}

async function open(t: TestContext, cascade: number): Promise<TestService> {
  return TestService.open(t, sdl, { limits: { ...defaultLimits, cascade } })
}

async function makeTeam(service: TestService, id: string, members: number): Promise<void> {
  await service.succeed('PUT', `/teams/${id}`, { name: `team ${id}` })
  for (let made = 0; made < members; made += 100) {
    const rows = Array.from({ length: Math.min(100, members - made) }, (_, n) => ({
      name: `${id} ${made + n}`,
      team: id,
    }))
    await service.succeed('POST', '/members', rows)
  }
}

const membersOf = async (service: TestService) =>
  Number(
    (await service.send('GET', '/members?limit=1', undefined, { prefer: 'count=exact' })).headers.get('x-total-count'),
  )

for (const [api, remove] of Object.entries(deletes)) {
  test(`by ${api}: up to the limit at once, beyond it 409 with the number, or in the background`, async (t) => {
    const service = await open(t, 10)
    await makeTeam(service, 'small', 10)
    assert.equal((await remove(service, 'small', false)).outcome, 'deleted')
    await makeTeam(service, 'large', 11)
    const refused = await remove(service, 'large', false)
    assert.deepEqual([refused.outcome, refused.code], ['409', 'CASCADE'])
    assert.match(refused.message, /at least 11 other rows/)
    assert.match(refused.hint, /Prefer: respond-async/)
    assert.equal(await membersOf(service), 11)
    assert.equal((await remove(service, 'large', true)).outcome, 'begun')
    assert.equal(await membersOf(service), 0)
    assert.equal((await remove(service, 'large', true)).outcome, '404')
    // A unique value is free when its row is gone.
    const again = () =>
      service
        .send('POST', '/teams', { name: 'new' })
        .then(({ body: { id } }) => service.send('POST', '/members', { name: 'large 0', team: id }))
    assert.equal((await until(again, ({ status }) => status === 201)).status, 201)
  })
}

test('by default 10,000 rows go with a row; more go in the background, while others write', async (t) => {
  const service = await TestService.open(t, sdl)
  await makeTeam(service, 't1', 10_001)
  const refused = await service.send('DELETE', '/teams/t1')
  assert.equal(refused.status, 409)
  assert.match(refused.body.detail, /at least 10,001 other rows .* one request may touch 10,000/)
  assert.equal((await service.send('DELETE', '/teams/t1', undefined, { prefer: 'respond-async' })).status, 202)
  assert.equal((await service.send('GET', '/teams/t1')).status, 404)
  assert.equal(await membersOf(service), 0)
  assert.deepEqual((await service.succeed('GET', '/teams?search=team')) as [], [])
  await service.succeed('POST', '/others', { text: 'x' })
  assert.deepEqual(
    await until(
      () => teamEvents(service),
      (types) => types.length > 1,
    ),
    ['team.created', 'team.deleted'],
  )
})

/** The events of the teams, by all pages of the feed. */
async function teamEvents(service: TestService): Promise<string[]> {
  const types: string[] = []
  for (let after = ''; ; ) {
    const { edges, pageInfo } = await service.succeed('GET', `/changes?first=100&resource=teams${after}`)
    types.push(...edges.map(({ node }: { node: { type: string } }) => node.type))
    if (!pageInfo.hasNextPage) return types
    after = `&after=${encodeURIComponent(pageInfo.endCursor)}`
  }
}
