// Sends random requests of several viewers to both stores, until the answers differ.

import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { Random } from '../fuzz/random.ts'
import type { RuleSchema } from '../rules/rule-schemas.ts'
import { KnownIds } from './known-ids.ts'
import { drawRequest } from './random-requests.ts'
import type { StorePair } from './store-pair.ts'

export interface RequestCounts {
  sent: number
  writes: number
  statuses: Map<string, number>
}

/** Throws at the first difference. */
export async function compareRandomRequests(
  pair: StorePair,
  schema: RuleSchema,
  seed: number,
  calls: number,
  tally: RequestCounts,
): Promise<void> {
  const random = new Random(seed)
  const known = new KnownIds(pair.model, schema)
  const viewers = viewersOf(schema)
  for (let left = calls; left > 0; left--) {
    const { call, isWrite, learn } = drawRequest(random, known)
    const answer = await pair.ask(call, random.chance(0.4) ? operator : random.one(viewers))
    learn(answer)
    tally.sent++
    if (isWrite) tally.writes++
    const code = /"extensions":\{"code":"(\w+)"/.exec(answer.text)?.[1]
    const outcome = call.api === 'rest' || code === undefined ? String(answer.status) : `${answer.status} ${code}`
    tally.statuses.set(outcome, (tally.statuses.get(outcome) ?? 0) + 1)
  }
}

/** A viewer who may do most. */
const operator: Viewer = { account: null, roles: ['admin', 'editor'], authenticated: true, token: 'operator' }

/** An anonymous viewer, an operator with every role, and the accounts of the schema. */
function viewersOf({ rows }: RuleSchema): Viewer[] {
  const accounts = rows.filter(([type]) => ['User', 'Member', 'Human'].includes(type))
  return [
    anonymous,
    operator,
    ...accounts.map(([, { id, roles }]) => ({
      account: id,
      roles: (roles as string[] | null | undefined) ?? [],
      authenticated: true,
      token: `token-of-${id}`,
    })),
  ]
}
