// Writes the row of an account whose address is proven: `_verifiedAt`, and whatever else the proof does, are one transaction.

import { system } from '#base/http'
import type { Engine } from '#engine'
import type { AccountProof, WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'

/** Returns `_verifiedAt`. */
export async function proveAccount(account: string, proof: AccountProof, engine: Engine): Promise<string> {
  const { resource: of, login, verifiedAt } = engine.model.account!
  const builder = new PlanBuilder()
  const id = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, account, 'id')
  const changes = proof.kind === 'change' || proof.kind === 'undo'
  const set = changes ? planInput({ [login.name]: proof.address }, of, 'update', builder, '', false) : []
  builder.finish(engine.limits)
  const plan: WritePlan = {
    kind: 'write',
    action: 'update',
    of,
    id,
    set,
    ifVersion: null,
    proof,
    answer: [{ kind: 'field', key: 'verifiedAt', field: verifiedAt! }],
  }
  const answer = await engine.execute({ plan, values: builder.values(), places: builder.places }, system)
  if (answer.kind !== 'written') throw new Error(`an update answered with ${answer.kind}`)
  return (JSON.parse(answer.text) as { verifiedAt: string }).verifiedAt
}
