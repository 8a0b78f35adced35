// The expected answer to a write, and the expected rows after it, by the reference rules.

import type { Abstract, LinksField, Resource, StoredField, Transition } from '../../packages/twain/src/model/index.ts'
import { type Attempt, type Writable, writableFields } from './cells/write-cells.ts'
import { ReferenceRules } from './reference-rules.ts'
import { mayBe, type PlacedRow, type Row, type RowsInMemory } from './rows-in-memory.ts'

export interface ExpectedWrite {
  status: number
  /** The rows afterwards; a new row has the id `newId`. */
  after: RowsInMemory
  /** The written row, for viewers who may read it. */
  written: PlacedRow | null
}

export const newId = '(new)'

export function expectedWrite(reference: ReferenceRules, sent: Attempt): ExpectedWrite {
  const { world } = reference
  const attempt = byId(sent)
  const refused = (status: number): ExpectedWrite => ({ status, after: world, written: null })
  const status = refusal(reference, attempt)
  if (status !== null) return refused(status)

  const { action, of, id } = attempt
  const after = world.copy()
  if (action === 'delete') return removeRow(after, of, id!) ? { status: 204, after, written: null } : refused(409)
  const row = newRow(reference, attempt)
  if (isTaken(world, of, row)) return refused(409)
  after.put(of, row)
  const isNew = world.find(of, id) === undefined
  if (isNew) makeAlong(reference, after, of)
  return { status: isNew ? 201 : 200, after, written: after.find(of, row.id)! }
}

/** By a key that finds no row for this viewer it is as by an id that nothing has. A key that they can never read is none. */
function byId(attempt: Attempt): Attempt {
  const { by } = attempt
  if (by === undefined || (by.isSeen && !by.isHidden)) return attempt
  return { ...attempt, id: 'nothing', ...(by.isHidden ? { isInvalid: true } : {}) }
}

export function refusal(reference: ReferenceRules, attempt: Attempt): number | null {
  const { world, viewer } = reference
  const { action, of, id } = attempt
  const before = world.find(of, id)
  const right = ({ create: 'CREATE', replace: 'UPDATE', update: 'UPDATE', delete: 'DELETE' } as const)[action]
  const sent = writableFields(of).filter(({ name }) => Object.hasOwn(attempt.input, name))
  // A replace creates a missing row, so a viewer who could create could be granted it.
  const could =
    reference.could(right, of) ||
    (action === 'replace' && reference.could('CREATE', of)) ||
    (right === 'UPDATE' && reference.couldTransition(of))
  const unseen = before === undefined || !reference.may('READ', before)
  if (!viewer.authenticated && !could) return 401
  if (action === 'create' && !could) return 403
  if (attempt.isInvalid) return 400
  // An update or a create, depending on whether the viewer sees a row.
  const comesTo = action === 'replace' && unseen ? 'CREATE' : right
  if (!viewer.authenticated && !reference.could(comesTo, of)) return 401

  // A new account needs a password, and the answer must not reveal whether the account exists.
  const isAccount = of === world.model.account?.resource
  if (action === 'replace' && isAccount && unseen && !Object.hasOwn(attempt.input, 'password')) return 400

  if (action === 'create' || (action === 'replace' && before === undefined)) {
    // A replace that may not create the row answers as one that may not see it. By a key it is a create, which reveals no row.
    const refused = action === 'create' || attempt.by !== undefined ? 403 : 404
    const row = newRow(reference, attempt)
    if (writableFields(of).some(({ name, required }) => required && (row[name] ?? null) === null)) return 400
    if (saysAnotherViewer(reference, attempt)) return 400
    if (!listShows(reference, attempt)) return 404
    if (!refersToReadable(reference, attempt)) return 409
    if (!startsRight(attempt)) return 409
    if (!mayLink(reference, attempt)) return refused
    const spot = { of, row }
    const may = reference.grants('CREATE', spot) && sent.every((field) => reference.mayField('CREATE', field, spot))
    return may ? null : refused
  }

  if (before === undefined || !reference.may('READ', before)) {
    // The same answer whether the row exists or not.
    const can = refersToReadable(reference, attempt) && startsRight(attempt)
    return action === 'replace' && !can ? 409 : 404
  }
  const may = reference.may(right, before)
  if (!may && !(right === 'UPDATE' && sent.some(isState))) return 403
  if (action === 'delete') return null
  const isNews = (name: string) => JSON.stringify(attempt.input[name]) !== JSON.stringify(before.row[name])
  // A row can be written back as it was read, with null for a denied field; an unreadable field is never compared.
  const classified = sent.filter((field) =>
    reference.shows(field, before) ? isNews(field.name) : action !== 'replace' || attempt.input[field.name] !== null,
  )
  const stateChanges = classified.filter(isState)
  // To add to a number needs READ and UPDATE of it.
  const counted = countedFields(attempt)
  const others = [...classified.filter((field) => !isState(field)), ...counted]
  const isMore = others.length > 0 || sent.some(({ kind }) => kind === 'links') || !refersToReadable(reference, attempt)
  if (!may && isMore) return 403
  if (!counted.every((field) => reference.shows(field, before))) return 403
  if (!stateChanges.every((field) => reference.shows(field, before))) return 403
  const row = newRow(reference, attempt)
  const listed = stateChanges.map((field) => ({ field, transitions: transitionsOf(field, before.row, row) }))
  if (listed.some(({ transitions }) => transitions.length === 0)) return 409
  // With the old states.
  const after = { of, row: { ...row, ...Object.fromEntries(stateChanges.map(({ name }) => [name, before.row[name]])) } }
  if (!others.every((field) => reference.mayField('UPDATE', field, before))) return 403
  if (!refersToReadable(reference, attempt)) return 409
  if (!mayLink(reference, attempt)) return 403
  if (!others.every((field) => reference.mayField('UPDATE', field, after))) return 403
  if ((others.length > 0 || (stateChanges.length === 0 && may)) && !reference.grants('UPDATE', after)) return 403
  return transitionRefusal(reference, listed, before, { of, row }, may)
}

function countedFields({ of, input }: Attempt): Writable[] {
  return writableFields(of).filter(({ name }) => Object.hasOwn((input._increment as object) ?? {}, name))
}

type State = StoredField & { stateMachine: NonNullable<StoredField['stateMachine']> }

function isState(field: Writable): field is State {
  return field.kind === 'stored' && field.stateMachine !== undefined
}

/** A new row has the start state and no other. */
function startsRight({ of, input }: Attempt): boolean {
  const states = writableFields(of).filter(isState)
  return states.every(({ name, stateMachine: machine }) => !Object.hasOwn(input, name) || input[name] === machine.start)
}

/** A row without a state starts like a new one. */
function transitionsOf({ name, stateMachine: machine, place }: State, before: Row, after: Row): Transition[] {
  const { start } = machine
  if (before[name] === null && after[name] === start)
    return [{ from: start, to: [start], who: null, role: null, where: null, place }]
  return machine.transitions.filter(({ from, to }) => from === before[name] && to.includes(String(after[name])))
}

/** A transition that names someone grants them the write; any other is for viewers who may update the row and the field. */
function transitionRefusal(
  reference: ReferenceRules,
  stateChanges: readonly { field: State; transitions: readonly Transition[] }[],
  before: PlacedRow,
  after: PlacedRow,
  mayUpdate: boolean,
): number | null {
  const ways = stateChanges.map(({ field, transitions }) =>
    transitions.filter((transition) => {
      if (transition.who !== null || transition.role !== null) return reference.grantsTransition(transition, before)
      return mayUpdate && reference.mayField('UPDATE', field, before)
    }),
  )
  if (ways.some(({ length }) => length === 0)) return 403
  return ways.every((transitions) => transitions.some((transition) => reference.meetsTransition(transition, after)))
    ? null
    : 409
}

/** A field that the server sets to the viewer cannot name anyone else, not even by the path. */
function saysAnotherViewer({ viewer }: ReferenceRules, { into }: Attempt): boolean {
  if (into?.field.via.auto !== 'VIEWER' || viewer.account === null) return false
  return into.id !== viewer.account
}

/** Rows cannot be created below a list that the viewer cannot read. */
function listShows(reference: ReferenceRules, { into }: Attempt): boolean {
  if (into === undefined) return true
  const owner = reference.world.find(into.field.owner, into.id)
  return owner !== undefined && reference.may('READ', owner) && reference.shows(into.field, owner)
}

/** An unreadable row cannot be referred to, even if the row refers to it already. */
export function refersToReadable(reference: ReferenceRules, { of, input }: Pick<Attempt, 'of' | 'input'>): boolean {
  return writableFields(of).every((field) => {
    if (field.kind === 'stored' || !Object.hasOwn(input, field.name)) return true
    const value = input[field.name]
    const ids = field.kind === 'links' ? (value as string[]) : value === null ? [] : [value]
    return ids.every((id) => isReadable(reference, field.to, id))
  })
}

function isReadable(reference: ReferenceRules, of: Resource | Abstract, id: unknown): boolean {
  const spot = reference.world.find(of, id)
  return spot !== undefined && reference.may('READ', spot)
}

function newRow(reference: ReferenceRules, { action, of, id, input }: Attempt): Row {
  const before = reference.world.find(of, id)?.row
  const row: Row = { ...before, id: before?.id ?? newId }
  for (const field of writableFields(of)) {
    const { name } = field
    if (Object.hasOwn(input, name)) {
      const unseen = field.kind === 'links' ? unseenLinks(reference, field, before) : []
      row[name] = field.kind === 'links' ? [...(input[name] as string[]), ...unseen] : input[name]
      // It was read as null, so null writes it back.
      if (action === 'replace' && input[name] === null && before !== undefined && isUnseen(reference, field, before))
        row[name] = before[name]
    } else if (before === undefined) {
      row[name] = field.kind === 'links' ? [] : (field.default ?? null)
      const own = field.kind === 'reference' && (field.defaultsToViewer || field.auto === 'VIEWER')
      if (own) row[name] = reference.viewer.account
    }
  }
  for (const [name, amount] of Object.entries((input._increment as Record<string, number>) ?? {}))
    row[name] = row[name] === null ? null : Number(row[name]) + amount
  return row
}

/** Linking needs UPDATE of the side that owns the relation: if that is the other side, of each row there whose list changes. */
function mayLink(reference: ReferenceRules, attempt: Attempt): boolean {
  const before = reference.world.find(attempt.of, attempt.id)?.row
  const after = newRow(reference, attempt)
  return writableFields(attempt.of).every((field) => {
    if (field.kind !== 'links') return true
    const holder = holderOf(reference.world, field)
    if (holder === field) return true
    const [old, now] = [before, after].map((row) => (row?.[field.name] as string[] | undefined) ?? [])
    const changed = [...old!.filter((id) => !now!.includes(id)), ...now!.filter((id) => !old!.includes(id))]
    return changed.every((id) => {
      const spot = reference.world.find(field.to, id)!
      return reference.may('UPDATE', spot) && reference.mayField('UPDATE', holder, spot)
    })
  })
}

/** An account cannot add itself: in a relation of an account and another type, the other type owns it; otherwise the first. */
function holderOf(world: RowsInMemory, { link: { left, right } }: LinksField): LinksField {
  const account = world.model.account?.resource
  return right !== null && left.owner === account && right.owner !== account ? right : left
}

/** A viewer cannot remove a link that they cannot see. */
function unseenLinks(reference: ReferenceRules, field: LinksField, before: Row | undefined): string[] {
  const linked = (before?.[field.name] as string[] | undefined) ?? []
  return linked.filter((id) => !isReadable(reference, field.to, id))
}

function isUnseen(reference: ReferenceRules, field: Writable, before: Row): boolean {
  if (!reference.shows(field, { of: field.owner, row: before })) return true
  return field.kind === 'reference' && !isReadable(reference, field.to, before[field.name])
}

/** Rows that a default creates, without a check of rules. */
function makeAlong(reference: ReferenceRules, after: RowsInMemory, of: Resource): void {
  for (const field of of.fields.values()) {
    if (field.kind !== 'many') continue
    for (const made of field.defaultChildren) {
      const row: Row = { id: `${newId} ${field.name}`, [field.via.name]: newId }
      for (const [each, value] of made) row[each.name] = 'viewer' in value ? reference.viewer.account : value.value
      after.put(field.to, row)
    }
  }
}

/** Whether another row has the same unique value. */
function isTaken(world: RowsInMemory, of: Resource, row: Row): boolean {
  const others = world.spots(of).filter((spot) => spot.row.id !== row.id)
  return of.indexes
    .filter(({ unique }) => unique)
    .some(({ fields }) =>
      others.some((other) => fields.every(({ name }) => row[name] !== null && other.row[name] === row[name])),
    )
}

/** False where a required reference points to the row. */
export function removeRow(after: RowsInMemory, of: Resource, id: string): boolean {
  const pointers = after.model.resources.flatMap((from) =>
    [...from.fields.values()].flatMap((field) => {
      if (field.kind !== 'reference' || !mayBe(field.to, of)) return []
      return after
        .spots(from)
        .filter(({ row }) => row[field.name] === id)
        .map(({ row }) => ({ from, field, row }))
    }),
  )
  if (pointers.some(({ field }) => field.onDelete === 'RESTRICT')) return false
  for (const { from, field, row } of pointers) {
    if (field.onDelete === 'SET_NULL') row[field.name] = null
    else if (!removeRow(after, from, row.id)) return false
  }
  after.remove(of, id)
  return true
}

export function rulesAfter(reference: ReferenceRules, verdict: ExpectedWrite): ReferenceRules {
  return new ReferenceRules(verdict.after, reference.viewer)
}
