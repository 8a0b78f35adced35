// `redeliver(webhook, delivery)` and `POST /webhooks/{id}/deliveries`: an update that makes the state of a delivery pending again.
// It also names the webhook, which the writer compares.

import { isRecord } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import type { Selection, SetMember, WritePlan } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** `input` has the id of the delivery. `of` is the type of deliveries. */
export function planRedelivery(
  webhook: unknown,
  input: unknown,
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
): WritePlan {
  const { delivery, ...others } = isRecord(input) ? input : {}
  if (!isRecord(input)) builder.problem('', 'TYPE', 'must be an object with the id of a delivery.')
  else if (delivery === undefined) builder.problem('delivery', 'REQUIRED', 'must be the id of a delivery.')
  for (const name of Object.keys(others)) builder.problem(name, 'UNKNOWN', 'is not a member; there is delivery.')
  const id = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, delivery ?? '', 'delivery')
  const set = (name: string, leaf: unknown): SetMember => {
    const field = of.fields.get(name) as StoredField | ReferenceField
    return { field, parameter: builder.parameter({ kind: 'field', field, merge: false }, leaf, name) }
  }
  const sets = [set('state', 'pending'), set('webhook', webhook)]
  return { kind: 'write', action: 'update', of, id, set: sets, ifVersion: null, answer }
}
