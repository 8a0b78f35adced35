// Checks the table of limits: a request that goes one beyond a limit gets what its notes say. A limit without a check is reported too.

import { answersToQuota, answerToSlowRequest } from './check-times.ts'
import type { Reply } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { type Elsewhere, missingTests } from './elsewhere.ts'
import { restLines } from './printed-contract.ts'

/** Sends a request that goes beyond the limit. Null: no request to this schema can. */
type Exceed = (service: ContractService, limit: number) => Promise<Reply> | null

const provoked = (mentions: string): Elsewhere => ({ file: 'conformance/contract/provocations.ts', mentions })

const strict = { accept: 'application/graphql-response+json' }
const plain = { 'content-type': 'text/plain' }
const typename = { query: '{ __typename }' }

const checks: Record<string, Exceed | Elsewhere> = {
  'limits.depth': provoked('QUERY_TOO_DEEP'),
  'limits.cost': provoked('QUERY_TOO_COSTLY'),
  'limits.page': ({ send, accounts }, limit) => send('GET', `${accounts}?limit=${limit + 1}`),
  'limits.bodyBytes': ({ send, accounts }, limit) => send('POST', accounts, { body: `"${'x'.repeat(limit)}"` }),
  'limits.uploadBytes': ({ send, contract }, limit) =>
    restLines(contract).some(({ path }) => path === '/files')
      ? send('POST', '/files?name=a.txt', { viewer: 'operator', body: 'x'.repeat(limit + 1), headers: plain })
      : null,
  'limits.importBytes': { file: 'conformance/http/lenient-bodies.test.ts', mentions: 'importBytes' },
  'limits.batch': ({ send }, limit) => send('POST', '/graphql', { body: Array(limit + 1).fill(typename) }),
  'limits.transaction': ({ send, accounts }, limit) => send('POST', accounts, { body: Array(limit + 1).fill({}) }),
  'limits.cascade': provoked('CASCADE'),
  'limits.documentTokens': ({ send }, limit) =>
    send('POST', '/graphql', { body: { query: `{ ${'__typename '.repeat(limit)} }` }, headers: strict }),
  'limits.timeSeconds': ({ further }) => (further === undefined ? null : answerToSlowRequest(further)),
  'limits.codeSeconds': provoked('unit=endless'),
  'limits.requestsPerMinute': ({ further }) =>
    further === undefined ? null : answersToQuota(further).then((replies) => replies.at(-1)!),
  'limits.urlBytes': ({ send }, limit) => send('GET', `/${'x'.repeat(limit)}`),
  'limits.headerBytes': ({ send }, limit) => send('GET', '/', { headers: { 'x-long': 'x'.repeat(limit) } }),
}

export async function checkLimits(service: ContractService): Promise<string[]> {
  const wrong: string[] = []
  for (const [name = '', value = '', notes = ''] of service.contract.table('Limit', 'Value', 'Notes')) {
    const [, setting] = /\(`(limits\.\w+)`\)/.exec(name) ?? []
    if (setting === undefined) continue
    const check = checks[setting]
    if (check === undefined) wrong.push(`no check for ${setting}`)
    else if (typeof check === 'object') wrong.push(...missingTests([check]))
    else {
      const reply = await check(service, Number.parseInt(value, 10))
      if (reply !== null) wrong.push(...differences(setting, notes, reply))
    }
  }
  return wrong
}

function differences(setting: string, notes: string, { status, headers, body }: Reply): string[] {
  const [printedStatus] = /\b[45]\d\d\b/.exec(notes) ?? []
  const [, printedCode] = /`([A-Z_]+)`/.exec(notes) ?? []
  const [, printedHeader] = /\b[45]\d\d with `([A-Za-z-]+)`/.exec(notes) ?? []
  const code = body?.code ?? body?.errors?.[0]?.extensions?.code
  return [
    ...(printedStatus === undefined || printedStatus === String(status)
      ? []
      : [`${setting}: ${status}, not ${printedStatus}`]),
    ...(printedCode === undefined || printedCode === code ? [] : [`${setting}: ${code}, not ${printedCode}`]),
    ...(printedHeader === undefined || headers.has(printedHeader) ? [] : [`${setting}: no ${printedHeader}`]),
  ]
}
