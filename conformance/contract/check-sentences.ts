// Checks the sentences of the contract about methods, tokens, statuses and headers. A sentence that no check knows is reported too, so
// that a new one gets a check.

import assert from 'node:assert/strict'
import {
  checkInternalError,
  checkPassword,
  checkRoles,
  checkScheme,
  checkTokens,
  checkUnreadable,
} from './check-access.ts'
import { checkCursor, checkFeed, checkPayload, checkWebhookRole } from './check-events.ts'
import { checkGraphqlBatch, checkGraphqlEndpoint, checkGraphqlErrors, checkLanguage } from './check-graphql-protocol.ts'
import { checkMethods } from './check-pages.ts'
import { checkDeprecated, checkDescriptions, checkNoVersions, checkRenamed, checkVersions } from './check-versioning.ts'
import type { ContractService, Reply } from './contract-service.ts'
import { type Elsewhere, missingTests, statusesElsewhere } from './elsewhere.ts'
import { readable } from './readable.ts'

type Check = (service: ContractService) => Promise<void>

export async function checkSentences(service: ContractService): Promise<string[]> {
  const wrong: string[] = []
  for (const { part, text } of service.contract.sentences) {
    if (part === '1' && !/\bJSON\b/.test(text)) continue
    if (!/\b[1-5]\d\d\b|\btoken|`[A-Z][a-z]+(?:-[A-Z]?[a-z]+)*`|\bXML\b/.test(text)) continue
    const found = checks.filter(([sentence]) => sentence.test(text))
    if (found.length === 0) wrong.push(`no check for: ${text}`)
    for (const [, check] of found) {
      if (typeof check === 'object') wrong.push(...missingTests([check]))
      else await check(service).catch((error: Error) => wrong.push(`${text}\n  ${error.stack}`))
    }
  }
  return [...wrong, ...missingTests(Object.values(statusesElsewhere))]
}

const checks: [sentence: RegExp, check: Check | Elsewhere][] = [
  [/^REST: resources are named by nouns/, checkRepresentations],
  [/^GraphQL: one endpoint/, checkGraphqlEndpoint],
  [/^Every path below also supports `OPTIONS`/, checkMethods],
  [/^`\*` marks required members/, { file: 'conformance/contract/check-rest-lines.ts', mentions: '#requiredMembers' }],
  [/^Filters of collections/, checkFilters],
  [/^Endpoint: `POST \/graphql`/, checkGraphqlEndpoint],
  [/^An array of such bodies is a batch/, checkGraphqlBatch],
  [/^Selection sets/, checkLanguage],
  [/^Scheme: `authorization: Bearer <token>`/, checkScheme],
  [/^Tokens are JWTs/, checkTokens],
  [/^Accounts are rows of/, checkPassword],
  [/^Roles: /, checkRoles],
  [/^401 \(`UNAUTHENTICATED`\)/, checkRefusals],
  [/^Authorization is enforced/, checkUnreadable],
  [/^Payload: a CloudEvent/, checkPayload],
  [/^`data` is the default representation/, checkPayload],
  [/^Subscriptions: /, checkCursor],
  [/^Polling and streams/, checkFeed],
  [/^Webhooks: `\/webhooks` \(role `admin`\)/, checkWebhookRole],
  [/^A cursor is valid in the feed/, checkCursor],
  [/^A cursor is valid in the feed/, { file: 'conformance/events/cursors.test.ts', mentions: '410' }],
  [/starts as `/, { file: 'conformance/contract/provocations.ts', mentions: "mistake: 'STATE'" }],
  [/^Body of a REST error/, checkProblems],
  [
    /^Codes of single mistakes/,
    { file: 'conformance/contract/check-outcomes.ts', mentions: 'Codes of single mistakes' },
  ],
  [/^A result has `errors` beside `data`/, checkGraphqlErrors],
  [/^A field that the viewer may not read/, checkUnreadable],
  [/^A field that the viewer may not read/, checkInternalError],
  [/^A field is deprecated before it is removed/, checkDeprecated],
  [/^A renamed path redirects/, checkRenamed],
  [/^Each row has a version/, checkVersions],
  [/^Introspection/, checkDescriptions],
  [/^Neither API/, checkNoVersions],
  [/^Changes are additive/, { file: 'conformance/versions/breaking-changes.test.ts', mentions: 'breaking' }],
  [/^`@twain\/client`/, { file: 'conformance/client/client.test.ts', mentions: 'cache-and-network' }],
  [/^Client error policies/, { file: 'conformance/client/client.test.ts', mentions: 'errorPolicy' }],
]

async function checkRepresentations(service: ContractService): Promise<void> {
  const { path, viewer } = await readable(service)
  for (const type of ['application/json', 'application/xml', 'application/x-ndjson', 'text/csv']) {
    const reply = await service.send('GET', path, { viewer, headers: { accept: type } })
    assert.deepEqual([reply.status, reply.headers.get('content-type')?.split(';')[0]], [200, type])
    assert.ok(reply.headers.has('cache-control'), type)
  }
  const sentence = service.contract.sentences.find(({ text }) => text.startsWith('REST: resources'))
  const jsonOnly = [...sentence!.text.split('NDJSON and CSV;')[1]!.matchAll(/`(\/[a-z-]+)`/g)].map(([, one]) => one!)
  for (const one of jsonOnly) {
    const method = one === '/batch' || one === '/files' ? 'POST' : 'GET'
    const body = method === 'POST' ? { body: [] } : {}
    const viewers = one === '/tokens' ? ['ann'] : ['operator']
    for (const who of viewers) {
      const reply = await service.send(method, one, { viewer: who, headers: { accept: 'application/xml' }, ...body })
      assert.equal(reply.status, 406, `${one}: ${reply.text}`)
    }
  }
}

async function checkFilters(service: ContractService): Promise<void> {
  const { path, viewer, id } = await readable(service)
  const send = (query: string) => service.send('GET', `${path}?${query}`, { viewer })
  const where = encodeURIComponent(JSON.stringify({ id: { eq: id } }))
  for (const query of [`id=${id}`, `id[in]=${id}`, `where=${where}`, 'sort=-id', 'fields=id']) {
    assert.equal((await send(query)).status, 200, query)
  }
  const unknown = await send('zzz=1')
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [400, 'zzz'])
}

async function checkRefusals(service: ContractService): Promise<void> {
  const { send } = service
  const unauthenticated = await send('GET', '/webhooks')
  assert.deepEqual([unauthenticated.status, unauthenticated.body.code], [401, 'UNAUTHENTICATED'])
  const forbidden = await send('GET', '/webhooks', { viewer: 'ann' })
  assert.deepEqual([forbidden.status, forbidden.body.code], [403, 'FORBIDDEN'])
  const { path } = await readable(service)
  assert.equal((await send('GET', `${path}/none`)).status, 404)
}

async function checkProblems(service: ContractService): Promise<void> {
  const { path } = await readable(service)
  const typeOf = ({ headers }: Reply) => headers.get('content-type')?.split(';')[0]
  const json = await service.send('GET', `${path}?zzz=1`)
  assert.equal(typeOf(json), 'application/problem+json')
  const members = ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors']
  for (const name of members) assert.ok(name in json.body, name)
  const xml = await service.send('GET', `${path}?zzz=1`, { headers: { accept: 'application/xml' } })
  assert.equal(typeOf(xml), 'application/problem+xml')
}
