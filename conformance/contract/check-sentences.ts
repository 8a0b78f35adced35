// Checks the sentences of the contract about methods, tokens, statuses and headers. A sentence that no check knows is reported too, so
// that a new one gets a check.

import assert from 'node:assert/strict'
import type { ContractService, Reply } from './contract-service.ts'
import { restLines } from './printed-contract.ts'

type Check = (service: ContractService) => Promise<void>

export async function checkSentences(service: ContractService): Promise<string[]> {
  const wrong: string[] = []
  for (const { part, text } of service.contract.sentences) {
    if (part === '1' && !/\bJSON\b/.test(text)) continue
    if (!/\b[1-5]\d\d\b|\btoken|`[A-Z][a-z]+(?:-[A-Z]?[a-z]+)*`|\bXML\b/.test(text)) continue
    const found = checks.filter(([sentence]) => sentence.test(text))
    if (found.length === 0) wrong.push(`no check for: ${text}`)
    for (const [, check] of found) {
      await check(service).catch((error: Error) => wrong.push(`${text}\n  ${error.message}`))
    }
  }
  return wrong
}

/** For sentences that another test of this folder checks, and those about clients. */
const elsewhere: Check = async () => {}

const checks: [sentence: RegExp, check: Check][] = [
  [/^REST: resources are named by nouns/, checkRepresentations],
  [/^GraphQL: one endpoint/, elsewhere],
  [/^Every path below also supports `OPTIONS`/, elsewhere],
  [/^`\*` marks required members/, elsewhere],
  [/^Filters of collections/, checkFilters],
  [/^Endpoint: `POST \/graphql`/, checkGraphqlEndpoint],
  [/^An array of such bodies is a batch/, checkGraphqlBatch],
  [/^Scheme: `authorization: Bearer <token>`/, checkScheme],
  [/^Tokens are JWTs/, checkTokens],
  [/^Accounts are rows of/, checkPassword],
  [/^Roles: /, elsewhere],
  [/^401 \(`UNAUTHENTICATED`\)/, checkRefusals],
  [/^Authorization is enforced/, elsewhere],
  [/^Payload: a CloudEvent/, elsewhere],
  [/^`data` is the default representation/, elsewhere],
  [/^Subscriptions: /, elsewhere],
  [/^Polling and streams/, checkFeed],
  [/^Webhooks: `\/webhooks` \(role `admin`\)/, checkWebhookRole],
  [/^A cursor is valid in the feed/, elsewhere],
  [/starts as `/, elsewhere],
  [/^Body of a REST error/, checkProblems],
  [/^Codes of single mistakes/, elsewhere],
  [/^A result has `errors` beside `data`/, checkGraphqlErrors],
  [/^A field that the viewer may not read/, elsewhere],
  [/^A field is deprecated before it is removed/, checkDeprecated],
  [/^A renamed path redirects/, elsewhere],
  [/^Each row has a version/, checkVersions],
  [
    /^`@twain\/client`|^Client error policies|^Selection sets|^Neither API|^Changes are additive|^Introspection/,
    elsewhere,
  ],
]

/** The path of the first collection that somebody reads rows of, and who. */
async function readable({ contract, viewers, send }: ContractService) {
  const lists = restLines({ ...contract }).filter(({ method, path, success }) => {
    return (
      method === 'GET' &&
      /^\/[a-z-]+$/.test(path) &&
      success.includes('200') &&
      contract.table('Kind', 'Path shape', 'Here')[0]![2]!.includes(`\`${path}\``)
    )
  })
  for (const { path } of lists) {
    for (const viewer of viewers.keys()) {
      const reply = await send('GET', `${path}?limit=2`, { viewer })
      if (reply.status === 200 && reply.body.length > 0) return { path, viewer, id: String(reply.body[0].id) }
    }
  }
  throw new Error('there are no rows')
}

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

const typename = { query: '{ __typename }' }

async function checkGraphqlEndpoint({ send }: ContractService): Promise<void> {
  for (const type of ['application/json', 'application/graphql-response+json']) {
    const headers = { accept: type }
    const replies = [
      await send('POST', '/graphql', { body: typename, headers }),
      await send('GET', '/graphql?query=%7B__typename%7D', { headers }),
    ]
    for (const { status, headers: got } of replies) {
      assert.deepEqual([status, got.get('content-type')?.split(';')[0]], [200, type])
    }
  }
}

async function checkGraphqlBatch({ send }: ContractService): Promise<void> {
  const { body } = await send('POST', '/graphql', { body: [typename, typename] })
  assert.equal(body.length, 2)
}

async function checkScheme({ send }: ContractService): Promise<void> {
  assert.equal((await send('GET', '/webhooks', { viewer: 'operator' })).status, 200)
  const refused = await send('GET', '/webhooks', { headers: { authorization: 'Bearer x' } })
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')?.startsWith('Bearer')], [401, true])
}

const credentials = { email: 'ann@example.org', password: 'fair winds' }

async function checkTokens({ send, contract, viewers }: ContractService): Promise<void> {
  const signedIn = await send('POST', '/tokens', { body: credentials })
  const { id, token, refreshToken, expiresAt } = signedIn.body
  assert.equal(signedIn.status, 201)
  assert.equal(token.split('.').length, 3)
  const { text } = contract.sentences.find((one) => one.text.startsWith('Tokens are JWTs'))!
  const minutes = Number(/valid for (\d+) minutes/.exec(text)![1])
  const left = (Date.parse(expiresAt) - Date.now()) / 60_000
  assert.ok(left > minutes - 1 && left <= minutes + 0.1, `${left} of ${minutes} minutes`)
  const renewed = await send('POST', '/tokens', { body: { refreshToken } })
  assert.equal(renewed.status, 201)
  viewers.set('a second session of ann', renewed.body.token)
  assert.equal((await send('DELETE', `/tokens/${id}`, { viewer: 'a second session of ann' })).status, 204)
  viewers.delete('a second session of ann')
}

async function checkPassword({ send, contract }: ContractService): Promise<void> {
  const { path } = restLines(contract).find(
    ({ method, bodies }) =>
      method === 'POST' &&
      bodies[0]?.some(({ name, mark }) => name === 'password' && mark === '*') &&
      bodies.length === 1,
  )!
  const tooShort = await send('POST', path, { body: { ...credentials, password: 'x' } })
  const problem = tooShort.body.errors.find((one: { path: string }) => one.path === 'password')
  assert.deepEqual([tooShort.status, problem?.code], [400, 'LENGTH'])
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

async function checkFeed({ send }: ContractService): Promise<void> {
  const page = await send('GET', '/changes?first=1')
  assert.equal(page.status, 200)
  const after = page.body.pageInfo.endCursor
  assert.equal((await send('GET', `/changes?after=${after}&first=1`)).status, 200)
  const polled = await send('GET', '/changes?after=now', { headers: { prefer: 'wait=1' } })
  assert.deepEqual([polled.status, polled.headers.get('preference-applied')], [200, 'wait=1'])
}

async function checkWebhookRole({ send }: ContractService): Promise<void> {
  const statuses = async (viewer: string) => (await send('GET', '/webhooks', { viewer })).status
  assert.deepEqual([await statuses('anonymous'), await statuses('ann'), await statuses('operator')], [401, 403, 200])
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

async function checkGraphqlErrors({ send }: ContractService): Promise<void> {
  const body = { query: '{ zzz }' }
  const plain = await send('POST', '/graphql', { body })
  assert.equal(plain.status, 200)
  const [error] = plain.body.errors
  assert.deepEqual([typeof error.message, Array.isArray(error.locations)], ['string', true])
  assert.equal(error.extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  const strict = await send('POST', '/graphql', { body, headers: { accept: 'application/graphql-response+json' } })
  assert.equal(strict.status, 400)
}

/** Each field of the table: the answer to a request that selects it has the headers. */
async function checkDeprecated({ send, contract, viewers }: ContractService): Promise<void> {
  const types = new Map(
    contract
      .table('Method', 'Path', 'Purpose', 'Parameters and body', 'Success', 'Without a token')
      .flatMap(([method, path = '', purpose = '']) => {
        const [, name] = /^Create a (\w+)$/.exec(purpose) ?? []
        return method === 'POST' && name !== undefined && /^`\/[a-z-]+`$/.test(path)
          ? [[name, path.replaceAll('`', '')] as const]
          : []
      }),
  )
  for (const [name = '', reason = ''] of contract.table('Deprecated', 'Reason')) {
    const [type = '', field = ''] = name.replaceAll('`', '').split('.')
    const path = types.get(type)
    if (path === undefined || field === '') continue
    for (const viewer of viewers.keys()) {
      const { headers, status } = await send('GET', `${path}?fields=${field}`, { viewer })
      if (status !== 200) continue
      assert.ok(headers.has('deprecation'), name)
      assert.match(headers.get('link') ?? '', /rel="deprecation"/)
      assert.equal(headers.has('sunset'), /\d{4}-\d\d-\d\d/.test(reason), name)
    }
  }
}

async function checkVersions(service: ContractService): Promise<void> {
  const { path, viewer, id } = await readable(service)
  const { headers } = await service.send('GET', `${path}/${id}`, { viewer })
  assert.match(headers.get('etag') ?? '', /^(W\/)?"\d+/)
}
