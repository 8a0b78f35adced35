// Cells that write, for one viewer and one type: create, replace, update, delete, link; denied ones change nothing.

import {
  countableFields,
  type Field,
  type LinksField,
  type ReferenceField,
  type Resource,
  type StoredField,
  type ToManyField,
} from '../../../packages/twain/src/model/index.ts'
import { isAccountTime } from '../../../packages/twain/src/model/values/operators.ts'
import type { ApiClient, GraphqlError } from '../../harness/open-apis.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import { keyInputOf, keyPath, type RowKey } from '../row-keys.ts'
import type { Row, RowsInMemory } from '../rows-in-memory.ts'
import { restRow } from '../visible-rows.ts'

export interface Attempt {
  name: string
  action: 'create' | 'replace' | 'update' | 'delete'
  of: Resource
  /** The id of the row; null for a create. */
  id: string | null
  /** The input, with ids for references. */
  input: Record<string, unknown>
  /** Whether the input has a value of the wrong type. */
  isInvalid?: true
  /** The key that names the row in the place of its id. */
  by?: RowKey
  /** The list of a row below which the new row is created, which only REST can. */
  into?: { field: ToManyField; id: string }
}

/** A write of one viewer through either API, the expected answer, and the expected rows after it. */
export interface WriteCell {
  name: string
  of: Resource
  after: RowsInMemory
  /** GraphQL has no such write. */
  isOnlyRest?: true
  send(client: ApiClient, api: 'rest' | 'graphql'): Promise<unknown>
  expected(api: 'rest' | 'graphql'): unknown
}

export interface WriteAnswer {
  /** The HTTP status, or that of the code in GraphQL; a delete of a missing row is a 404 in both. */
  status: number
  /** The row in the answer; null where there is none. */
  row: unknown
}

export type Writable = StoredField | ReferenceField | LinksField

export function writableFields(of: Resource): Writable[] {
  return [...of.fields.values()].filter(
    (field): field is Writable =>
      field.name !== 'id' &&
      !(field.kind === 'stored' && isAccountTime(field.auto)) &&
      (field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'),
  )
}

export function attemptsOf(reference: ReferenceRules, of: Resource): Attempt[] {
  const rows = reference.world.spots(of).map(({ row }) => row)
  return [
    ...rows.flatMap((row) => [
      { name: `delete ${row.id}`, action: 'delete' as const, of, id: row.id, input: {} },
      ...updatesOf(reference.world, of, row),
      ...replacesOf(reference, of, row),
    ]),
    { name: 'delete nothing', action: 'delete', of, id: 'nothing', input: {} },
    ...invalidsOf(of, rows[0]!.id),
    ...rows.flatMap((row, at) => createsOf(reference, of, row, at)),
  ]
}

function updatesOf(world: RowsInMemory, of: Resource, row: Row): Attempt[] {
  const changes = writableFields(of)
    .filter((field) => field.kind === 'links' || (!field.immutable && field.auto === null))
    .flatMap((field) => otherValues(world, field, row).flatMap((value) => inputsWith(field, value, of)))
  const increments = countableFields(of).map(({ name }) => ({ _increment: { [name]: 1 } }))
  return [...changes, ...increments].map((input) => ({
    name: `update ${row.id} ${JSON.stringify(input)}`,
    action: 'update' as const,
    of,
    id: row.id,
    input,
  }))
}

/** A state is written alone, and together with a text. */
function inputsWith(field: Writable, value: unknown, of: Resource): Record<string, unknown>[] {
  const alone = { [field.name]: value }
  const word = writableFields(of).find(isWord)
  const isState = field.kind === 'stored' && field.stateMachine !== undefined
  return isState && word !== undefined ? [alone, { ...alone, [word.name]: 'along' }] : [alone]
}

/** Invalid inputs: a viewer who could not write at all gets only the denial. */
function invalidsOf(of: Resource, id: string): Attempt[] {
  const field = writableFields(of).find(({ kind }) => kind !== 'links')
  if (field === undefined) return []
  const input = { [field.name]: { not: 'a value' } }
  const make = (action: Attempt['action'], at: string | null): Attempt => {
    return { name: `${action} ${at} with an invalid body`, action, of, id: at, input, isInvalid: true }
  }
  return [make('create', null), make('replace', id), make('update', id), make('update', 'nothing')]
}

/** The whole row with one changed text: as it is stored, and as the viewer reads it. */
function replacesOf(reference: ReferenceRules, of: Resource, row: Row): Attempt[] {
  const fresh = writableFields(of).find((field) => isWord(field))
  const change = fresh === undefined ? {} : { [fresh.name]: `${String(row[fresh.name])}+` }
  const whole = { ...inputFrom(reference, of, row, (field) => field.kind !== 'links'), ...change }
  const seen = restRow(reference, { of, row })
  const nulls = Object.fromEntries(Object.keys(whole).map((name) => [name, seen[name] ?? null]))
  const read = reference.may('READ', { of, row })
    ? [
        { ...seen, ...change },
        { ...nulls, ...change },
      ]
    : []
  return [whole, ...read].map((input, at) => ({
    name: `replace ${row.id} ${['as it is', 'as REST reads it', 'as GraphQL reads it'][at]}`,
    action: 'replace',
    of,
    id: row.id,
    input,
  }))
}

function createsOf(reference: ReferenceRules, of: Resource, row: Row, at: number): Attempt[] {
  const whole = inputFrom(reference, of, row, () => true)
  for (const field of writableFields(of)) if (isUnique(field)) whole[field.name] = `fresh${at}`
  if (of === reference.world.model.account?.resource) whole.password = 'correct horse'
  const make = (name: string, input: Record<string, unknown>): Attempt => ({
    name: `create like ${row.id} ${name}`,
    action: 'create',
    of,
    id: null,
    input,
  })
  const optional = writableFields(of).filter((field) => !field.required || isDefaulted(field))
  const bare = Object.fromEntries(Object.entries(whole).filter(([key]) => !optional.some(({ name }) => name === key)))
  const dangling = writableFields(of).find((field) => field.kind === 'reference' && whole[field.name] !== undefined)
  const taken = writableFields(of).filter(
    (field) => isUnique(field) && field.kind === 'stored' && row[field.name] !== null,
  )
  return [
    make('whole', whole),
    ...taken.map(({ name }) => make(`with its ${name}`, { ...whole, [name]: row[name] })),
    make('bare', bare),
    { ...make('where nothing is', whole), action: 'replace' as const, id: '0-here' },
    ...(dangling === undefined ? [] : [make('of nothing', { ...bare, [dangling.name]: 'nothing' })]),
    ...listsOf(reference.world, of).flatMap((field) =>
      [...reference.world.spots(field.owner).map((spot) => spot.row.id), 'nothing'].map((id) => ({
        ...make(`in ${field.name} of ${id}`, { ...whole, [field.via.name]: id }),
        into: { field, id },
      })),
    ),
  ]
}

/** To-many fields whose rows are of this type. */
function listsOf({ model }: RowsInMemory, of: Resource): ToManyField[] {
  return model.resources.flatMap(({ fields }) =>
    [...fields.values()].filter((field) => field.kind === 'many').filter((field) => field.to === of),
  )
}

/** Only a viewer without an account sets a field that defaults to the viewer. */
function inputFrom(
  reference: ReferenceRules,
  of: Resource,
  row: Row,
  takes: (field: Writable) => boolean,
): Record<string, unknown> {
  const fields = writableFields(of).filter(
    (field) => takes(field) && (field.kind !== 'reference' || field.auto === null || reference.viewer.account === null),
  )
  return Object.fromEntries(fields.map(({ name }) => [name, row[name]]))
}

function isDefaulted(field: Writable): boolean {
  if (field.kind === 'links') return true
  return field.default !== undefined || (field.kind === 'reference' && field.defaultsToViewer)
}

export function isUnique(field: Field): boolean {
  return field.owner.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

export function isWord(field: Writable): boolean {
  return field.kind === 'stored' && field.type.kind === 'scalar' && field.type.name === 'String' && field.required
}

/** Other values for the field of this row; of references and links, two other rows. */
function otherValues(world: RowsInMemory, field: Writable, row: Row): unknown[] {
  const old = row[field.name]
  if (field.kind === 'stored') {
    if (field.type.kind === 'list') return [['editor', 'more']]
    if (field.type.kind === 'enum') return field.type.enum.values.map(({ name }) => name).filter((name) => name !== old)
    if (field.type.kind === 'scalar' && field.type.name === 'Boolean') return [old !== true]
    return [typeof old === 'number' || (field.type.kind === 'scalar' && field.type.name === 'Int') ? 99 : 'changed']
  }
  const others = world.spots(field.to).map((spot) => spot.row.id)
  if (field.kind === 'reference') {
    if (isUnique(field)) return []
    return others.filter((id) => id !== old).slice(0, 2)
  }
  const linked = old as string[]
  const more = others.filter((id) => !linked.includes(id)).slice(0, 2)
  return [...more.map((id) => [...linked, id]), ...(linked.length > 0 ? [linked.slice(1)] : [])]
}

export async function sendRest(client: ApiClient, attempt: Attempt): Promise<WriteAnswer> {
  const { action, of, input, into } = attempt
  const id = attempt.by === undefined ? attempt.id : keyPath(attempt.by)
  const method = { create: 'POST', replace: 'PUT', update: 'PATCH', delete: 'DELETE' }[action]
  const path = into === undefined ? (id === null ? `/${of.path}` : `/${of.path}/${id}`) : listPath(into)
  const { [into?.field.via.name ?? '']: _owner, ...rest } = input
  const { status, body } = await client.rest(method, path, action === 'delete' ? undefined : rest)
  return { status, row: status < 300 ? body : null }
}

function listPath({ field, id }: Attempt['into'] & object): string {
  return `/${field.owner.path}/${id}/${field.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export async function sendGraphql(
  client: ApiClient,
  attempt: Attempt,
  selection: string,
): Promise<WriteAnswer & { errors: string[] }> {
  const { action, of, id, by } = attempt
  const { id: _id, ...input } = attempt.input // a body of REST may repeat the id of its path
  const type = `${action === 'update' ? 'Update' : 'Create'}${of.name}Input!`
  const locator = id === null ? null : by === undefined ? 'id' : 'key'
  const locatorType = by === undefined ? 'ID' : `${of.name}Key`
  const args = [
    ...(locator === null ? [] : [`${locator}: $${locator}`]),
    ...(action === 'delete' ? [] : ['input: $input']),
  ]
  const declared = [
    ...(locator === null ? [] : [`$${locator}: ${locatorType}!`]),
    ...(action === 'delete' ? [] : [`$input: ${type}`]),
  ]
  const answer = action === 'delete' ? 'success' : selection
  const field = `${action}${of.name}${by === undefined ? '' : 'By'}`
  const query = `mutation (${declared.join(', ')}) { done: ${field}(${args.join(', ')}) { ${answer} } }`
  const { data, errors } = await client.graphql(query, { id, key: by && keyInputOf(by), input })
  const row = (data?.done as { success?: boolean } | null | undefined) ?? null
  if (row === null) return { status: statusOf(errors[0]), row: null, errors: [] }
  if (action === 'delete') return { status: row.success === true ? 204 : 404, row: null, errors: [] }
  const codes = errors.map(({ path, extensions }) => `${extensions?.code} ${path?.join('.')}`).toSorted()
  return { status: action === 'create' ? 201 : 200, row, errors: codes }
}

const statuses: Record<string, number> = {
  BAD_REQUEST: 400,
  VALIDATION_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  NOT_FOUND: 404,
  GONE: 410,
  CONFLICT: 409,
}

export function statusOf(error: GraphqlError | undefined): number {
  return statuses[error?.extensions?.code ?? ''] ?? 500
}
