// Cells of nested writes: an update of a row with one write of a row of its list, and its expected answer. The reference composes it
// of an update of the row that changes nothing and a write of the other row on its own.

import { changeableLists, type ListField, listMember, type Resource } from '../../../packages/twain/src/model/index.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import { type ExpectedWrite, expectedWrite, newId, refusal } from '../reference-writes.ts'
import type { Row } from '../rows-in-memory.ts'
import { type Attempt, isUnique, isWord, writableFields } from './write-cells.ts'

export interface NestedAttempt extends Attempt {
  nested: {
    field: ListField
    kind: 'connect' | 'disconnect' | 'delete' | 'update' | 'create'
    /** The row of the list. */
    id: string | null
    /** The write of that row on its own; null: a link. */
    alone: Attempt | null
  }
}

export function nestedAttempts({ world }: ReferenceRules, of: Resource, row: Row): NestedAttempt[] {
  return changeableLists(of, 'update').flatMap(({ field, writes }) => {
    if (field.to.kind === 'abstract' || field.to.name === 'File') return []
    const rows = world.spots(field.to).map((spot) => spot.row)
    const isIn = (other: Row) => isListed(field, row.id, other, row)
    const [member] = rows.filter(isIn)
    const [outsider] = rows.filter((other) => !isIn(other) && other.id !== row.id)
    const tried = [member, outsider].filter((one) => one !== undefined)
    const attempts = tried.flatMap((other) =>
      (['delete', 'update', 'connect', 'disconnect'] as const).map((kind) => attemptOf(of, row, field, kind, other)),
    )
    if (rows[0] !== undefined) attempts.push(createOf(of, row, field, rows[0]))
    return attempts.filter((one) => one !== null).filter(({ nested }) => writes.includes(nested.kind))
  })
}

function isListed(field: ListField, owner: string, other: Row, row: Row): boolean {
  return field.kind === 'many' ? other[field.via.name] === owner : (row[field.name] as string[]).includes(other.id)
}

function attemptOf(
  of: Resource,
  row: Row,
  field: ListField,
  kind: 'delete' | 'update' | 'connect' | 'disconnect',
  other: Row,
): NestedAttempt | null {
  const to = field.to as Resource
  const word = writableFields(to).find(
    (one) => isWord(one) && !(one.kind === 'stored' && (one.immutable || one.isLogin)),
  )
  const change = { delete: {}, update: word && { [word.name]: 'nested' }, connect: {}, disconnect: {} }[kind]
  if (change === undefined || isUniqueWord(kind, word)) return null
  const item = kind === 'update' ? { id: other.id, ...change } : other.id
  const back = field.kind === 'many' ? { [field.via.name]: kind === 'connect' ? row.id : null } : null
  const input = kind === 'update' || kind === 'delete' ? change : back
  const action = kind === 'delete' ? 'delete' : 'update'
  const alone = input === null ? null : ({ name: kind, action, of: to, id: other.id, input } as const)
  return nest(of, row, field, kind, item, other.id, alone)
}

function isUniqueWord(kind: string, word: ReturnType<typeof writableFields>[number] | undefined): boolean {
  return kind === 'update' && word !== undefined && isUnique(word)
}

/** A row like another one, in the list. */
function createOf(of: Resource, row: Row, field: ListField, like: Row): NestedAttempt | null {
  const to = field.to as Resource
  const isPlain = [...to.fields.values()].every((one) => one.kind !== 'many' || one.defaultChildren.length === 0)
  if (field.kind !== 'many' || to === of || !isPlain) return null
  const fields = writableFields(to).filter((one) => one.kind === 'stored' || one.kind === 'reference')
  const settable = fields.filter(
    (one) => one.auto === null && one !== field.via && !(one.kind === 'stored' && one.stateMachine),
  )
  const input = Object.fromEntries(settable.map((one) => [one.name, isUnique(one) ? 'nested' : like[one.name]]))
  const alone = {
    name: 'create',
    action: 'create',
    of: to,
    id: null,
    input: { ...input, [field.via.name]: row.id },
  } as const
  return nest(of, row, field, 'create', input, null, alone)
}

function nest(
  of: Resource,
  row: Row,
  field: ListField,
  kind: NestedAttempt['nested']['kind'],
  item: unknown,
  id: string | null,
  alone: Attempt | null,
): NestedAttempt {
  const input = { [listMember(field)]: { [kind]: [item] } }
  const name = `update ${row.id} ${JSON.stringify(input)}`
  return { name, action: 'update', of, id: row.id, input, nested: { field, kind, id, alone } }
}

export function expectedNested(reference: ReferenceRules, attempt: NestedAttempt): ExpectedWrite {
  const { world } = reference
  const { nested, of, id } = attempt
  const { field, kind, alone } = nested
  const refused = (status: number): ExpectedWrite => ({ status, after: world, written: null })
  const own: Attempt = { name: attempt.name, action: 'update', of, id, input: {} }
  const never = neverAllowed(reference, own) ?? (alone === null ? null : neverAllowed(reference, alone))
  if (never !== null) return refused(never)
  const status = refusal(reference, own)
  if (status !== null) return refused(status)
  const owner = world.find(of, id)!
  if (!reference.shows(field, owner) && (alone !== null || kind === 'disconnect')) return refused(403)
  if (kind !== 'create') {
    const found = refusedRow(reference, attempt, owner.row)
    if (found !== null) return refused(found)
  }
  if (alone === null) return expectedLink(reference, attempt, owner.row)
  const verdict = expectedWrite(reference, alone)
  if (verdict.status >= 300) return refused(verdict.status)
  const after = verdict.after.copy()
  if (kind === 'create') renameNew(after, field)
  const written = after.find(of, id)
  return written === undefined ? refused(409) : { status: 200, after, written }
}

/** What is decided before a row is read. */
function neverAllowed(reference: ReferenceRules, { action, of }: Attempt): number | null {
  const right = ({ create: 'CREATE', replace: 'UPDATE', update: 'UPDATE', delete: 'DELETE' } as const)[action]
  const could = reference.could(right, of) || (right === 'UPDATE' && reference.couldTransition(of))
  if (could) return null
  if (!reference.viewer.authenticated) return 401
  return action === 'create' ? 403 : null
}

/** A row that is not readable is not in the list; what may not be done to a readable row is denied first. */
function refusedRow(reference: ReferenceRules, { nested, id }: NestedAttempt, owner: Row): number | null {
  const { field, kind, alone } = nested
  const other = reference.world.find(field.to, nested.id)!
  if (!reference.may('READ', other)) return 409
  if (alone !== null && !reference.may(kind === 'delete' ? 'DELETE' : 'UPDATE', other)) return 403
  if (kind === 'connect') return null
  if (field.kind === 'many' && !reference.shows(field.via, other)) return 409
  return isListed(field, id!, other.row, owner) ? null : 409
}

/** A link is an update of the list. */
function expectedLink(reference: ReferenceRules, { nested, of, id }: NestedAttempt, owner: Row): ExpectedWrite {
  const { field, kind } = nested
  const seen = (owner[field.name] as string[]).filter((one) =>
    reference.may('READ', reference.world.find(field.to, one)!),
  )
  const others = seen.filter((one) => one !== nested.id)
  const links = kind === 'connect' ? [...others, nested.id] : others
  return expectedWrite(reference, { name: 'link', action: 'update', of, id, input: { [field.name]: links } })
}

/** As `newNames` calls a new row of another type. */
function renameNew(after: ExpectedWrite['after'], field: ListField): void {
  const to = field.to as Resource
  const { row } = after.find(to, newId)!
  const [list] = [...field.owner.fields.values()].filter((one) => one.kind === 'many' && one.to === to)
  after.remove(to, newId)
  after.put(to, { ...row, id: `${newId} ${list!.name}` })
}
