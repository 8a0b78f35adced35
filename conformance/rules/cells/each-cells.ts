// Cells of rows that are created each for itself (R79). The reference composes them of creates, one after another.

import type { Resource } from '../../../packages/twain/src/model/index.ts'
import { createEachName } from '../../../packages/twain/src/model/names/index.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import { ReferenceRules } from '../reference-rules.ts'
import { expectedWrite } from '../reference-writes.ts'
import { type Attempt, attemptsOf, statusOf, type WriteCell } from './write-cells.ts'

/** Each create between two that are refused, so that at most one row is new. */
export function eachCells(reference: ReferenceRules, of: Resource): WriteCell[] {
  const creates = attemptsOf(reference, of).filter(
    ({ action, into, isInvalid }) => action === 'create' && into === undefined && !isInvalid,
  )
  const refused = creates.filter((attempt) => expectedWrite(reference, attempt).status >= 300)
  return creates.map((attempt, at) => {
    const others = [refused[at % refused.length], refused[(at + 1) % refused.length]]
    return eachCell(
      reference,
      of,
      [others[0], attempt, others[1]].filter((one) => one !== undefined),
    )
  })
}

function eachCell(reference: ReferenceRules, of: Resource, attempts: readonly Attempt[]): WriteCell {
  const { viewer, world } = reference
  const statuses: number[] = []
  let after = world
  if (reference.could('CREATE', of)) {
    for (const attempt of attempts) {
      const verdict = expectedWrite(new ReferenceRules(after, viewer), attempt)
      statuses.push(verdict.status)
      after = verdict.after
    }
  }
  const whole = statuses.length > 0 ? 200 : viewer.authenticated ? 403 : 401
  return {
    name: `create each of ${JSON.stringify(attempts.map(({ input }) => input))}`,
    of,
    after,
    expected: () => ({ status: whole, statuses }),
    send: (client, api) => (api === 'rest' ? sendRest(client, of, attempts) : sendGraphql(client, of, attempts)),
  }
}

async function sendRest(client: ApiClient, of: Resource, attempts: readonly Attempt[]): Promise<unknown> {
  const inputs = attempts.map(({ input }) => input)
  const { status, body } = await client.rest('POST', `/${of.path}`, inputs, { prefer: 'handling=lenient' })
  return { status, statuses: status === 200 ? (body as { status: number }[]).map((line) => line.status) : [] }
}

async function sendGraphql(client: ApiClient, of: Resource, attempts: readonly Attempt[]): Promise<unknown> {
  const query = `mutation ($inputs: [Create${of.name}Input!]!) { done: ${createEachName(of)}(inputs: $inputs) { status } }`
  const { data, errors } = await client.graphql(query, { inputs: attempts.map(({ input }) => input) })
  const results = data?.done as { status: number }[] | null | undefined
  if (results === null || results === undefined) return { status: statusOf(errors[0]), statuses: [] }
  return { status: 200, statuses: results.map(({ status }) => status) }
}
