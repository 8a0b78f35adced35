// The table of statuses, and which answers have `RateLimit`.

import type { SendOptions } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { restLines } from './printed-contract.ts'

type Request = [method: string, path: string, options?: SendOptions]

export async function checkStatuses({ contract, send }: ContractService): Promise<string[]> {
  const [first] = restLines(contract)
  const list = first!.path
  const { headers } = await send('GET', '/openapi.json')
  const requests: Record<string, Request> = {
    200: ['GET', list],
    201: ['POST', '/tokens', { body: { email: 'ann@example.org', password: 'fair winds' } }],
    204: ['OPTIONS', list],
    304: ['GET', '/openapi.json', { headers: { 'if-none-match': headers.get('etag')! } }],
    400: ['GET', `${list}?zzz=1`],
    401: ['GET', '/webhooks'],
    403: ['GET', '/webhooks', { viewer: 'ann' }],
    404: ['GET', '/somewhere'],
    405: ['PUT', list],
    406: ['GET', '/changes', { headers: { accept: 'text/csv' } }],
    413: ['POST', '/tokens', { body: `"${'x'.repeat(2_000_000)}"` }],
    414: ['GET', `${list}?${'x'.repeat(9000)}`],
    415: ['POST', '/tokens', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    431: ['GET', list, { headers: { 'x-long': 'x'.repeat(60_000) } }],
    501: ['BREW', list],
  }
  const wrong: string[] = []
  for (const [status = '', meaning = ''] of contract.table('Code', 'Meaning')) {
    const request = requests[status]
    // The others need rows or custom code; `check-outcomes.ts` sees that the orchestra answers with every status.
    if (request === undefined) continue
    const reply = await send(...request)
    if (String(reply.status) !== status)
      wrong.push(`${request[0]} ${request[1].slice(0, 40)}: ${reply.status}, not ${status}`)
    const codes = [...meaning.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code)
    const { code } = reply.body ?? {}
    if (codes.length > 0 && !codes.includes(code)) wrong.push(`${status}: ${code} is not listed`)
  }
  return wrong
}

/** `RateLimit` is on every answer but those that the contract names. */
export async function checkRateLimit({ contract, send }: ContractService): Promise<string[]> {
  const limit = contract.table('Limit', 'Value', 'Notes').find(([name]) => name!.includes('limits.requestsPerMinute'))
  const [, exceptions = ''] = /on every response but those of (.*)$/.exec(limit?.[2] ?? '') ?? []
  const without = [...exceptions.matchAll(/`([^`]+)`/g)].map(([, path]) => path!)
  const paths = new Set([...restLines(contract).map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x')), ...without])
  const wrong: string[] = []
  for (const path of paths) {
    const { headers } = await send('GET', path)
    if (headers.has('ratelimit') === without.includes(path))
      wrong.push(`${path}: RateLimit ${headers.get('ratelimit')}`)
  }
  return wrong
}
