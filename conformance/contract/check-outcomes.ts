// Every status, code and code of a single mistake that the contract lists is an answer of the running orchestra, and no answer has another.

import { once } from 'node:events'
import { request } from 'node:http'
import { answersToQuota, answerToSlowBody } from './check-times.ts'
import type { Reply } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { type Provocation, provocations } from './provocations.ts'

export async function checkOutcomes(service: ContractService): Promise<string[]> {
  const wrong: string[] = []
  const seen = {
    statuses: new Set(await statusesOfExpect(service)),
    codes: new Set<string>(),
    mistakes: new Set<string>(),
  }
  const note = ({ status, body }: Reply) => {
    seen.statuses.add(String(status))
    const { code, mistakes } = codesIn(body)
    if (code !== undefined) seen.codes.add(code)
    for (const one of mistakes) seen.mistakes.add(one)
  }
  for (const one of [...provocations, ...(await provocationsOfAnn(service))]) {
    const [method = '', path = ''] = one.request.split(' ')
    const reply = await service.send(method, path, one)
    note(reply)
    wrong.push(...differences(one, reply).map((text) => `${one.request.slice(0, 60)}: ${text}`))
  }
  for (const reply of await rangesOfFile(service)) note(reply)
  note(await answerToSlowBody(service.further!))
  for (const reply of await answersToQuota(service.further!)) {
    note(reply)
    if (!reply.headers.has('ratelimit')) wrong.push(`no RateLimit with ${reply.status}`)
    if (reply.status === 429 && !reply.headers.has('retry-after')) wrong.push('no Retry-After with 429')
  }
  return [...wrong, ...compareLists(service, seen)]
}

function differences({ status, code, mistake, has = [], lacks = [] }: Provocation, reply: Reply): string[] {
  const got = codesIn(reply.body)
  return [
    ...(reply.status === status ? [] : [`${reply.status}, not ${status}: ${reply.text.slice(0, 300)}`]),
    ...(code === undefined || got.code === code ? [] : [`${got.code}, not ${code}`]),
    ...(mistake === undefined || got.mistakes.includes(mistake) ? [] : [`${got.mistakes}, not ${mistake}`]),
    ...has.filter((name) => !reply.headers.has(name)).map((name) => `no ${name}`),
    ...lacks.filter((name) => reply.headers.has(name)).map((name) => `${name}: ${reply.headers.get(name)}`),
  ]
}

/** Of a REST error and of the first GraphQL error. */
function codesIn(body: Reply['body']): { code: string | undefined; mistakes: string[] } {
  const problem = body?.errors?.[0]?.extensions ?? body
  const mistakes: { code: string }[] = problem?.errors ?? []
  return { code: problem?.code, mistakes: mistakes.map(({ code }) => code) }
}

/** What Ann may not change in her own row. */
async function provocationsOfAnn({ send }: ContractService): Promise<Provocation[]> {
  const { body } = await send('GET', '/musicians?email=ann@example.org', { viewer: 'ann' })
  const row = { request: `PATCH /musicians/${body[0].id}`, viewer: 'ann', status: 403 }
  const password = { password: 'fair winds', currentPassword: 'foul winds' }
  return [
    { ...row, body: { roles: ['admin'] }, code: 'FORBIDDEN', mistake: 'READONLY' },
    { ...row, body: password, code: 'REAUTHENTICATION_REQUIRED', mistake: 'WRONG' },
  ]
}

/** Ranges of a file, and a document that has not changed. */
async function rangesOfFile({ send }: ContractService): Promise<Reply[]> {
  const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' }
  const { body } = await send('POST', '/files', { viewer: 'operator', body: 'hello', headers })
  return [
    await send('GET', body.url, { headers: { range: 'bytes=1-2' } }),
    await send('GET', body.url, { headers: { range: 'bytes=9-' } }),
    await send('GET', '/openapi.json', {
      headers: { 'if-none-match': (await send('GET', '/openapi.json')).headers.get('etag')! },
    }),
  ]
}

/** Statuses that `fetch` hides. */
async function statusesOfExpect({ address }: ContractService): Promise<string[]> {
  return [...(await statusesWithExpect(address, '100-continue')), ...(await statusesWithExpect(address, 'zzz'))]
}

async function statusesWithExpect(address: string, expect: string): Promise<string[]> {
  const body = '{"query": "{ __typename }"}'
  const headers = { expect, 'content-type': 'application/json', 'content-length': body.length }
  const sent = request(`${address}/graphql`, { method: 'POST', headers })
  const statuses: string[] = []
  sent.on('continue', () => {
    statuses.push('100')
    sent.end(body)
  })
  sent.flushHeaders()
  const [reply] = await once(sent, 'response')
  statuses.push(String(reply.statusCode))
  reply.resume()
  sent.destroy()
  return statuses
}

function compareLists(
  { contract }: ContractService,
  seen: Record<'statuses' | 'codes' | 'mistakes', Set<string>>,
): string[] {
  const table = contract.table('Code', 'Meaning')
  const sentence = contract.sentences.find(({ text }) => text.startsWith('Codes of single mistakes'))!
  const printed = {
    statuses: table.map(([status]) => status!),
    codes: table.flatMap(([, meaning]) => [...meaning!.matchAll(/`([A-Z]+_?[A-Z_]+)`/g)].map(([, code]) => code!)),
    mistakes: /: `([^`]+)`\.$/.exec(sentence.text)![1]!.split(' '),
  }
  return (['statuses', 'codes', 'mistakes'] as const).flatMap((list) => [
    ...printed[list].filter((one) => !seen[list].has(one)).map((one) => `no answer with ${one}`),
    ...[...seen[list]].filter((one) => !printed[list].includes(one)).map((one) => `the ${list} lack ${one}`),
  ])
}
