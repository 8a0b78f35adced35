// Random requests of several viewers to a pair, until one is answered differently.

import { anonymous, type Viewer } from '../../packages/twain/src/base/index.ts'
import { Random } from '../fuzz/random.ts'
import type { Contract } from '../rules/rule-schemas.ts'
import { Known } from './known-ids.ts'
import { drawCall } from './random-requests.ts'
import type { Pair } from './store-pair.ts'

export interface Tally {
  asked: number
  writes: number
  statuses: Map<string, number>
}

/** Throws at the first difference. */
export async function runCalls(
  pair: Pair,
  contract: Contract,
  seed: number,
  calls: number,
  tally: Tally,
): Promise<void> {
  const random = new Random(seed)
  const known = new Known(pair.model, contract)
  const viewers = viewersOf(contract)
  for (let left = calls; left > 0; left--) {
    const { call, isWrite, hear } = drawCall(random, known)
    const told = await pair.ask(call, random.chance(0.4) ? operator : random.one(viewers))
    hear(told)
    tally.asked++
    if (isWrite) tally.writes++
    const code = /"extensions":\{"code":"(\w+)"/.exec(told.text)?.[1]
    const outcome = call.face === 'rest' || code === undefined ? String(told.status) : `${told.status} ${code}`
    tally.statuses.set(outcome, (tally.statuses.get(outcome) ?? 0) + 1)
  }
}

/** May most. */
const operator: Viewer = { account: null, roles: ['admin', 'editor'], authenticated: true, token: 'operator' }

/** Nobody, an operator with every role, and the accounts of the contract. */
function viewersOf({ rows }: Contract): Viewer[] {
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
