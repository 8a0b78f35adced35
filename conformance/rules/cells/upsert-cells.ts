// Cells of upserts (R66). The reference composes one of a create, or of an update of the row that has the key: a row that the viewer
// can't find by it is the conflict of a create.

import type { Context, ServiceCode } from '../../../packages/twain/src/code/define-service.ts'
import { type Resource, type UniqueKey, uniqueKeysOf } from '../../../packages/twain/src/model/index.ts'
import { upsertName } from '../../../packages/twain/src/model/names/index.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import { type ExpectedWrite, expectedWrite, refersToReadable, rulesAfter } from '../reference-writes.ts'
import type { PlacedRow, Row } from '../rows-in-memory.ts'
import { graphqlRow, graphqlSelection, readable, restRow } from '../visible-rows.ts'
import { attemptsOf, statusOf, type WriteCell } from './write-cells.ts'

interface Upsert {
  of: Resource
  key: UniqueKey
  input: Record<string, unknown>
  /** Leave a row that is there as it is. */
  isLeft: boolean
}

export function upsertCells(reference: ReferenceRules, of: Resource): WriteCell[] {
  const creates = attemptsOf(reference, of).filter(({ action, into }) => action === 'create' && into === undefined)
  const rows = reference.world.spots(of).map(({ row }) => row)
  return uniqueKeysOf(of).flatMap((key) =>
    creates
      .filter(({ isInvalid, input }) => !isInvalid && key.fields.every(({ name }) => (input[name] ?? null) !== null))
      .flatMap(({ input }) => [input, ...rows.map((row) => ({ ...input, ...keyValues(key, row) }))])
      .filter((input) => key.fields.every(({ name }) => input[name] !== null))
      .flatMap((input) => [false, true].flatMap((isLeft) => cellsOf(reference, { of, key, input, isLeft }))),
  )
}

function keyValues({ fields }: UniqueKey, row: Row): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name]]))
}

function cellsOf(reference: ReferenceRules, upsert: Upsert): WriteCell[] {
  const { of, key, input, isLeft } = upsert
  const verdict = expectedUpsert(reference, upsert)
  // Which of two refusals comes first is not promised.
  if (verdict.status === 403 && !(reference.could('CREATE', of) && refersToReadable(reference, { of, input })))
    return []
  const name = `upsert of a ${of.name} by ${key.name}${isLeft ? ' that leaves it' : ''} ${JSON.stringify(input)}`
  const inCode: WriteCell = {
    name: `${name} in custom code`,
    of,
    after: verdict.after,
    // The operation does not say whether it created the row.
    expected: () => ({ status: verdict.status === 201 ? 200 : verdict.status }),
    send: (client, api) => sendToCode(client, upsert, api),
  }
  const viaApi = upsertCell(reference, upsert, verdict, name)
  // To custom code a key that the viewer never reads is unknown, before anybody asks who the viewer is.
  return verdict.status === 401 && isHidden(reference, key) ? [viaApi] : [viaApi, inCode]
}

function isHidden(reference: ReferenceRules, { fields }: UniqueKey): boolean {
  return fields.some((field) => !reference.couldField('READ', field))
}

function upsertCell(reference: ReferenceRules, upsert: Upsert, verdict: ExpectedWrite, name: string): WriteCell {
  return {
    name,
    of: upsert.of,
    after: verdict.after,
    expected(api) {
      const { status, written } = verdict
      const after = rulesAfter(reference, verdict)
      if (api === 'rest') return { status, row: written === null ? null : restRow(after, written) }
      const errors: string[] = []
      const row = written === null ? null : graphqlRow(after, written, 'done', errors)
      // GraphQL does not say whether it created the row.
      return { status: status === 201 ? 200 : status, row, errors: errors.toSorted() }
    },
    send: (client, api) => (api === 'rest' ? sendRest(client, upsert) : sendGraphql(client, upsert)),
  }
}

function expectedUpsert(reference: ReferenceRules, { of, key, input, isLeft }: Upsert): ExpectedWrite {
  const { world, viewer } = reference
  const refused = (status: number): ExpectedWrite => ({ status, after: world, written: null })
  const could = reference.could('CREATE', of) || reference.could('UPDATE', of) || reference.couldTransition(of)
  if (!viewer.authenticated && !could) return refused(401)
  if (isHidden(reference, key)) return refused(400)
  const there = world.spots(of).find(({ row }) => key.fields.every(({ name }) => row[name] === input[name]))
  const attempt = { name: '', of, input }
  if (there === undefined || !isFound(reference, key, there))
    return expectedWrite(reference, { ...attempt, action: 'create', id: null })
  const { password: _, ...rest } = input
  const change = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !key.fields.some((field) => field.name === name)),
  )
  // A row that is left as it is needs READ only.
  if (isLeft || Object.keys(change).length === 0) return { status: 200, after: world, written: there }
  return expectedWrite(reference, { ...attempt, input: change, action: 'update', id: there.row.id })
}

/** The viewer reads the row, the fields of the key, and the rows that they refer to. */
function isFound(reference: ReferenceRules, { fields }: UniqueKey, there: PlacedRow): boolean {
  if (!reference.may('READ', there)) return false
  return fields.every((field) => {
    if (!reference.shows(field, there)) return false
    return field.kind === 'stored' || readable(reference, reference.world.follow(field, there.row)).length > 0
  })
}

async function sendRest(client: ApiClient, { of, key, input, isLeft }: Upsert): Promise<unknown> {
  const path = `/${of.path}?onConflict=${key.fields.map(({ name }) => name).join(',')}`
  const headers = isLeft ? { prefer: 'resolution=ignore-duplicates' } : undefined
  const { status, body } = await client.rest('POST', path, input, headers)
  return { status, row: status < 300 ? body : null }
}

async function sendGraphql(client: ApiClient, { of, key, input, isLeft }: Upsert): Promise<unknown> {
  const query = `mutation ($key: ${of.name}Key!, $create: Create${of.name}Input!, $update: Update${of.name}Input) {
    done: ${upsertName(of)}(key: $key, create: $create, update: $update) { ${graphqlSelection(of)} } }`
  const { data, errors } = await client.graphql(query, argumentsOf({ of, key, input, isLeft }))
  const row = data?.done ?? null
  if (row === null) return { status: statusOf(errors[0]), row, errors: [] }
  const codes = errors.map(({ path, extensions }) => `${extensions?.code} ${path?.join('.')}`)
  return { status: 200, row, errors: codes.toSorted() }
}

/** An operation of custom code that upserts under the rules of its viewer. */
export const upsertOperation = 'extend type Mutation { upsertRow(type: String!, of: JSON!): Boolean! @allow }'

export const upsertService: ServiceCode = {
  resolvers: {
    Mutation: {
      upsertRow: async ({ type, of }, { write }: Context) => {
        const { key, create, update } = of as UpsertArguments
        await write[type as string]!.upsert(key, create, update)
        return true
      },
    },
  },
}

interface UpsertArguments {
  key: Record<string, unknown>
  create: Record<string, unknown>
  update?: Record<string, unknown>
}

function argumentsOf({ key, input, isLeft }: Upsert): UpsertArguments {
  const values = keyValues(key, input as Row)
  const named = { [key.name]: key.fields.length === 1 ? values[key.fields[0]!.name] : values }
  return { key: named, create: input, ...(isLeft && { update: {} }) }
}

async function sendToCode(client: ApiClient, upsert: Upsert, api: 'rest' | 'graphql'): Promise<unknown> {
  const sent = { type: upsert.of.name, of: argumentsOf(upsert) }
  if (api === 'rest') return { status: (await client.rest('POST', '/upsert-row-requests', sent)).status }
  const query = 'mutation ($type: String!, $of: JSON!) { done: upsertRow(type: $type, of: $of) }'
  const { errors } = await client.graphql(query, sent)
  return { status: errors.length === 0 ? 200 : statusOf(errors[0]) }
}
