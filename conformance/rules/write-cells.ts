// The doors that write, for one viewer and one type: create, replace, update, delete, link; refused ones leave no trace.

import type {
  Field,
  LinksField,
  ReferenceField,
  Resource,
  StoredField,
  ToManyField,
} from '../../packages/twain/src/model/index.ts'
import type { ApiClient, GraphqlError } from '../harness/open-apis.ts'
import type { ReferenceRules } from './reference-rules.ts'
import type { Row, RowsInMemory } from './rows-in-memory.ts'
import { restRow } from './visible-rows.ts'

export interface Attempt {
  name: string
  action: 'create' | 'replace' | 'update' | 'delete'
  of: Resource
  /** The row in question; of a create, none. */
  id: string | null
  /** What is sent, ids for references. */
  input: Record<string, unknown>
  /** Something in it is of the wrong type. */
  isInvalid?: true
  /** The list of a row that the new one is put into: a way that only REST has. */
  into?: { field: ToManyField; id: string }
}

export interface WriteAnswer {
  /** HTTP's number, or the one of the code in GraphQL; a delete of what is not there is a 404 in either. */
  status: number
  /** What is answered of the row; null where nothing is. */
  row: unknown
}

export type Writable = StoredField | ReferenceField | LinksField

export function writableFields(of: Resource): Writable[] {
  return [...of.fields.values()].filter(
    (field): field is Writable =>
      field.name !== 'id' && (field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'),
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
  return writableFields(of)
    .filter((field) => field.kind === 'links' || (!field.immutable && field.auto === null))
    .flatMap((field) => otherValues(world, field, row).flatMap((value) => inputsWith(field, value, of)))
    .map((input) => ({
      name: `update ${row.id} ${JSON.stringify(input)}`,
      action: 'update' as const,
      of,
      id: row.id,
      input,
    }))
}

/** A state is written alone, and together with a word. */
function inputsWith(field: Writable, value: unknown, of: Resource): Record<string, unknown>[] {
  const alone = { [field.name]: value }
  const word = writableFields(of).find(isWord)
  const isState = field.kind === 'stored' && field.stateMachine !== undefined
  return isState && word !== undefined ? [alone, { ...alone, [word.name]: 'along' }] : [alone]
}

/** What no row may be: who could not write at all hears of that alone. */
function invalidsOf(of: Resource, id: string): Attempt[] {
  const field = writableFields(of).find(({ kind }) => kind !== 'links')
  if (field === undefined) return []
  const input = { [field.name]: { not: 'a value' } }
  const make = (action: Attempt['action'], at: string | null): Attempt => {
    return { name: `${action} ${at} with an invalid body`, action, of, id: at, input, isInvalid: true }
  }
  return [make('create', null), make('replace', id), make('update', id), make('update', 'nothing')]
}

/** All of the row with one word changed: as it is, and, by who reads it, as they read it. */
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

/** Only whoever has no account says who the viewer was. */
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

function isUnique(field: Field): boolean {
  return field.owner.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

function isWord(field: Writable): boolean {
  return field.kind === 'stored' && field.type.kind === 'scalar' && field.type.name === 'String' && field.required
}

/** Values that the field has not on this row; of references and links, to each of two other rows. */
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

export async function sendRest(client: ApiClient, { action, of, id, input, into }: Attempt): Promise<WriteAnswer> {
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
  const { action, of, id, input } = attempt
  const type = `${action === 'update' ? 'Update' : 'Create'}${of.name}Input!`
  const args = [...(id === null ? [] : ['id: $id']), ...(action === 'delete' ? [] : ['input: $input'])]
  const declared = [...(id === null ? [] : ['$id: ID!']), ...(action === 'delete' ? [] : [`$input: ${type}`])]
  const answer = action === 'delete' ? 'success' : selection
  const query = `mutation (${declared.join(', ')}) { done: ${action}${of.name}(${args.join(', ')}) { ${answer} } }`
  const { data, errors } = await client.graphql(query, { ...(id === null ? {} : { id }), input })
  const row = (data?.done as { success?: boolean } | null | undefined) ?? null
  if (row === null) return { status: statusOf(errors[0]), row: null, errors: [] }
  if (action === 'delete') return { status: row.success === true ? 204 : 404, row: null, errors: [] }
  const reported = errors.map(({ path, extensions }) => `${extensions?.code} ${path?.join('.')}`).toSorted()
  return { status: action === 'create' ? 201 : 200, row, errors: reported }
}

const statuses: Record<string, number> = {
  BAD_REQUEST: 400,
  VALIDATION_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
}

function statusOf(error: GraphqlError | undefined): number {
  return statuses[error?.extensions?.code ?? ''] ?? 500
}
