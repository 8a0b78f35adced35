// Cells of upserts (R66). The reference composes one of a create, or of an update of the row that has the key: a row that the viewer
// can't find by it is the conflict of a create.

import { type Resource, type UniqueKey, uniqueKeysOf } from '../../packages/twain/src/model/index.ts'
import { upsertName } from '../../packages/twain/src/model/names/index.ts'
import type { ApiClient } from '../harness/open-apis.ts'
import type { ReferenceRules } from './reference-rules.ts'
import { type ExpectedWrite, expectedWrite, refersToReadable, rulesAfter } from './reference-writes.ts'
import type { PlacedRow, Row } from './rows-in-memory.ts'
import { graphqlRow, graphqlSelection, readable, restRow } from './visible-rows.ts'
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
      .flatMap((input) => [false, true].flatMap((isLeft) => upsertCell(reference, { of, key, input, isLeft }))),
  )
}

function keyValues({ fields }: UniqueKey, row: Row): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name]]))
}

function upsertCell(reference: ReferenceRules, upsert: Upsert): WriteCell[] {
  const { of, key, input, isLeft } = upsert
  const verdict = expectedUpsert(reference, upsert)
  // Which of two refusals comes first is not promised.
  if (verdict.status === 403 && !(reference.could('CREATE', of) && refersToReadable(reference, { of, input })))
    return []
  const cell: WriteCell = {
    name: `upsert of a ${of.name} by ${key.name}${isLeft ? ' that leaves it' : ''} ${JSON.stringify(input)}`,
    of,
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
  return [cell]
}

function expectedUpsert(reference: ReferenceRules, { of, key, input, isLeft }: Upsert): ExpectedWrite {
  const { world, viewer } = reference
  const refused = (status: number): ExpectedWrite => ({ status, after: world, written: null })
  const could = reference.could('CREATE', of) || reference.could('UPDATE', of) || reference.couldTransition(of)
  if (!viewer.authenticated && !could) return refused(401)
  if (key.fields.some((field) => !reference.couldField('READ', field))) return refused(400)
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
  const values = keyValues(key, input as Row)
  const named = { [key.name]: key.fields.length === 1 ? values[key.fields[0]!.name] : values }
  const { data, errors } = await client.graphql(query, { key: named, create: input, ...(isLeft && { update: {} }) })
  const row = data?.done ?? null
  if (row === null) return { status: statusOf(errors[0]), row, errors: [] }
  const codes = errors.map(({ path, extensions }) => `${extensions?.code} ${path?.join('.')}`)
  return { status: 200, row, errors: codes.toSorted() }
}
