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
import { checkErrorPolicies, checkFetchPolicies } from './check-client.ts'
import { checkCursor, checkFeed, checkPayload } from './check-events.ts'
import {
  checkGraphqlBatch,
  checkGraphqlEndpoint,
  checkGraphqlErrors,
  checkLanguage,
  checkTransactions,
  checkUpload,
} from './check-graphql-protocol.ts'
import { checkMethods } from './check-pages.ts'
import { checkReauthentication, checkRetention, checkTokenTimes } from './check-times.ts'
import {
  checkAdditive,
  checkDeprecated,
  checkDescriptions,
  checkNoVersions,
  checkRenamed,
  checkVersions,
} from './check-versioning.ts'
import { checkDeliveries, checkWebhookRole } from './check-webhooks.ts'
import type { Reply } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { type Elsewhere, missingTests } from './elsewhere.ts'
import { readable } from './readable.ts'

type Check = (service: ContractService) => Promise<void>

export async function checkSentences(service: ContractService): Promise<string[]> {
  const wrong: string[] = []
  const used = new Set<RegExp>()
  for (const { part, text } of service.contract.sentences) {
    const found = checks.filter(([sentence]) => sentence.test(text))
    if (found.length === 0 && part !== '1' && subjects.test(text)) wrong.push(`no check for: ${text}`)
    for (const [sentence, check] of found) {
      used.add(sentence)
      if (typeof check === 'object') wrong.push(...missingTests([check]))
      else await check(service).catch((error: Error) => wrong.push(`${text}\n  ${error.stack}`))
    }
  }
  // The contract of the orchestra has every sentence.
  const unused = service.further === undefined ? [] : checks.filter(([sentence]) => !used.has(sentence))
  return [...wrong, ...unused.map(([sentence]) => `no sentence for the check ${sentence}`)]
}

/** Methods, tokens, required members, statuses, headers and media types. */
const subjects =
  /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b|\btoken|\brequire|\b[1-5]\d\d\b|`[A-Z][a-z]+(?:-[A-Z]?[a-z]+)*`|\bXML\b/

const checks: [sentence: RegExp, check: Check | Elsewhere][] = [
  [/^REST: resources are named by nouns/, checkRepresentations],
  [/^GraphQL: one endpoint/, checkGraphqlEndpoint],
  [/^Every path below also supports `OPTIONS`/, checkMethods],
  [/^`\*` marks required members/, { file: 'conformance/contract/check-rest-lines.ts', mentions: '#requiredMembers' }],
  [/^Filters of collections/, checkFilters],
  [/^Endpoint: `POST \/graphql`/, checkGraphqlEndpoint],
  [/^An array of such bodies is a batch/, checkGraphqlBatch],
  [/Files are uploaded by a multipart request/, checkUpload],
  [/^`mutation @transaction/, checkTransactions],
  [/^Selection sets/, checkLanguage],
  [/^Scheme: `authorization: Bearer <token>`/, checkScheme],
  [/^Tokens are JWTs/, checkTokens],
  [/^Tokens are JWTs/, checkTokenTimes],
  [/^Accounts are rows of/, checkPassword],
  [/^Accounts are rows of/, checkReauthentication],
  [/^Roles: /, checkRoles],
  [/^401 \(`UNAUTHENTICATED`\)/, checkRefusals],
  [/^Authorization is enforced/, checkUnreadable],
  [/^Payload: a CloudEvent/, checkPayload],
  [/^`data` is the default representation/, checkPayload],
  [/^Subscriptions: /, checkCursor],
  [/^Polling and streams/, checkFeed],
  [/^Webhooks: `\/webhooks` \(role `admin`\)/, checkWebhookRole],
  [/^Webhooks: `\/webhooks` \(role `admin`\)/, checkDeliveries],
  [/^A cursor is valid in the feed/, checkCursor],
  [/^A cursor is valid in the feed/, checkRetention],
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
  [/^Changes are additive/, checkAdditive],
  [/^`@twain\/client`/, checkFetchPolicies],
  [/^Client error policies/, checkErrorPolicies],
]

async function checkRepresentations(service: ContractService): Promise<void> {
  const { path, viewer } = await readable(service)
  for (const type of ['application/json', 'application/xml', 'application/x-ndjson', 'text/csv']) {
    const reply = await service.send('GET', path, { viewer, headers: { accept: type } })
    assert.deepEqual([reply.status, reply.headers.get('content-type')?.split(';')[0]], [200, type])
    assert.ok(reply.headers.has('cache-control'), type)
  }
  const sentence = service.contract.sentences.find(({ text }) => text.startsWith('REST: resources'))
  const [, jsonOnly = ''] = sentence!.text.split('NDJSON and CSV;')
  for (const [, word, one = ''] of jsonOnly.matchAll(/`(POST )?(\/[a-z-]+)`/g)) {
    const method = word !== undefined || one === '/batch' ? 'POST' : 'GET'
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
