// A change of a row that is there, by an update or a replace.

import { isRecord, type Problem, validationError } from '#base'
import type { LinksField, ReferenceField, Resource, StoredField } from '#model'
import { checkConstraint, checkValue } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { StoredRow, Target } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { mayNot, refuseFields } from '../rules/rules.ts'
import { beforeMoves, checkListed, type Move, movesAmong, requireMoves } from '../rules/transitions.ts'
import type { Outcome, Writing } from '../rules/write-state.ts'
import { all, known, type Look, map, type Step, settle, take } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { onceEach } from './alias-conflicts.ts'
import { conflict, findTaken, missing, readonlyMessage } from './conflicts.ts'
import { holdFiles } from './files.ts'
import { compareLinks, lookAtLinks, saveLinks } from './links.ts'
import { endOtherTokens, findTakenLogin, saveLogin } from './logins.ts'
import { isSeen, type Reference, resolve } from './references.ts'
import { saveChange, setTimes } from './save-change.ts'

export function* changeRow(
  resource: Resource,
  row: StoredRow,
  named: readonly JobField[],
  mayUpdate: boolean,
  writing: Writing,
): Step<Outcome> {
  const { context, rules, time, password } = writing
  const { id } = row
  const problems: Problem[] = []
  const fieldsNamed = new Set(named.map(({ field }) => field))
  const set = fieldsNamed.size === named.length ? named : onceEach(named, resource, row, context)
  const given = new Map(set.map((one) => [one.field, one]))
  const [fields, lists, blind] = yield* take(
    all([
      lookAtFields(resource, row, set, writing, problems),
      lookAtLinks(resource, id, given, writing, problems),
      blindLinks(resource, id, given, writing),
    ]),
  )
  const { changed, touched, invalid, unseen } = compareFields(resource, row, fields, context)
  const moves = movesAmong(
    fields.filter(({ field }) => touched.has(field.name)),
    row,
    resource,
    writing,
  )
  for (const { field } of moves) touched.delete(field.name)
  // Who may not update the row may make a move, and nothing else by the same write.
  const isMore = touched.size + invalid.length + lists.length + problems.length > 0 || password !== null
  if (!mayUpdate && isMore) throw mayNot('update', resource, rules)
  requireSeen(moves, unseen)
  if (invalid.length > 0) {
    yield* take(rules.requireFields(unseen, id))
    throw validationError(invalid)
  }
  const links = lists.length === 0 ? [] : yield* take(compareLinks(lists, rules))
  for (const { field } of links) touched.add(field.name)
  for (const { name } of blind) touched.add(name)
  // Whether a value that the viewer can't see was the one that they guessed must not show in the version either.
  const nothing = changed.size === 0 && links.length === 0 && blind.length === 0 && problems.length === 0
  if (nothing && password === null) return { id, created: false, save: [] }
  if (!nothing) setTimes(resource, changed, context, time)
  checkListed(moves, writing, problems)
  const next: StoredRow = { id, version: row.version + 1, values: new Map([...row.values, ...changed]) }
  const checks: Look<void>[] = []
  // A row that can't be is not judged; and who may not make it so does not learn which values are taken.
  if (problems.length === 0) {
    checks.push(rules.requireFields(touched, id), rules.requireLinks(links))
    if (password !== null) checks.push(rules.requirePassword(id))
    const isMove = moves.length > 0 && touched.size === 0
    if (!isMove) checks.push(rules.requireAfter(resource.name, beforeMoves(next, row, moves, writing), touched))
    checks.push(requireMoves(moves, next, mayUpdate, writing, problems))
  }
  if (problems.length === 0 || rules.areNone) {
    checks.push(
      findTaken(resource, next, changed, context, rules, problems),
      findTakenLogin(resource, next, context, problems),
    )
  }
  yield* take(all(checks))
  if (problems.length > 0) throw conflict(problems)
  const save = saveLogin(resource, next, writing)
  if (password !== null) save.push(endOtherTokens(id, writing))
  if (!nothing) {
    save.push(...saveLinks(links, id, context), ...holdFiles(resource, changed, links, context))
    save.push(...saveChange(resource, row, changed, links, context, time))
  }
  return { id, created: false, save }
}

/** Whoever can't see a state can't move it: what they hear would tell it. */
function requireSeen(moves: readonly Move[], unseen: ReadonlySet<string>): void {
  refuseFields(moves.map(({ field }) => field.name).filter((name) => unseen.has(name)))
}

/** The lists that the write gives and the viewer can't see. */
function blindLinks(
  resource: Resource,
  id: string,
  given: ReadonlyMap<string, JobField>,
  { context, rules }: Writing,
): Look<LinksField[]> {
  const fields = context.table(resource).links.filter(({ name }) => given.has(name))
  if (fields.length === 0) return known([])
  const shown = settle(fields.map(({ name }) => rules.shows(name, id)))
  return map(shown, (visible) => fields.filter((_, index) => !visible[index]))
}

/** What the write changes, and what it gives and the viewer can't see: whether that differs must not show. */
interface Compared {
  changed: Map<string, SqlValue>
  /** The fields of these columns. */
  touched: Set<string>
  /** What can't be so. Who may not write what they can't see (`unseen`) does not hear of it. */
  invalid: Problem[]
  unseen: Set<string>
}

function compareFields(resource: Resource, row: StoredRow, fields: readonly Given[], context: WriterContext): Compared {
  const table = context.table(resource)
  const invalid: Problem[] = []
  const changed = new Map<string, SqlValue>()
  const touched = new Set<string>()
  const unseen = new Set<string>()
  for (const { field, value, merge, shown, seen, target } of fields) {
    if (field.name === 'id') {
      if (value !== row.id) invalid.push({ path: 'id', code: 'READONLY', message: readonlyMessage('id') })
      continue
    }
    const fixed = field.immutable || field.auto !== null
    // What the viewer can't see was given as null, and null put back keeps it: nobody clears what they can't see, nor learns
    // by it whether there is something.
    if (field.kind === 'reference' && value === null && (!seen || (fixed && !shown))) continue
    if (!shown) unseen.add(field.name)
    let complete = field.kind === 'reference' ? target : value
    if (merge && field.kind === 'stored') {
      // A patch of what can't be seen must be whole: what it would be merged into must not show.
      complete = mergeValue(field, shown ? table.decode(field, row) : null, value, invalid)
    }
    const differing = table
      .encode(field, complete)
      .filter(([column, encoded]) => !shown || row.values.get(column) !== encoded)
    if (differing.length === 0) continue
    if (fixed) invalid.push({ path: field.name, code: 'READONLY', message: readonlyMessage(field.name) })
    else if (field.required && (field.kind === 'reference' ? value : complete) === null)
      invalid.push(missing(field.name))
    for (const [column, encoded] of differing) changed.set(column, encoded)
    touched.add(field.name)
  }
  return { changed, touched, invalid, unseen }
}

/** A field that the write gives, and what had to be asked about it. */
interface Given {
  field: StoredField | ReferenceField
  value: unknown
  merge: boolean
  /** Whether the viewer can read the field. */
  shown: boolean
  /** Whether the viewer sees where the reference leads that a null would clear. */
  seen: boolean
  /** The row that the reference is to lead to. */
  target: Target | null
}

function lookAtFields(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  writing: Writing,
  problems: Problem[],
): Look<Given[]> {
  const { context, rules } = writing
  const given: (JobField & { of: StoredField | ReferenceField; reference: Reference | null })[] = []
  for (const one of set) {
    const of = resource.fields.get(one.field) as StoredField | ReferenceField | LinksField
    if (of.kind === 'links') continue
    const isReference = of.kind === 'reference' && one.value !== null
    const reference = isReference ? { to: of.to, id: one.value as string, path: of.name, rules } : null
    given.push({ ...one, of, reference })
  }
  const references = given.map(({ reference }) => reference).filter((reference) => reference !== null)
  const looks = all([
    settle(given.map(({ of }) => of.name === 'id' || rules.shows(of.name, row.id))),
    settle(given.map(({ of, value }) => of.kind === 'stored' || value !== null || isSeen(of, row, writing))),
    resolve(references, context, problems),
  ])
  return map(looks, ([shown, seen, targets]) =>
    given.map(({ of, value, merge, reference }, index) => {
      const target = reference === null ? null : targets.get(reference)!
      return { field: of, value, merge, shown: shown[index]!, seen: seen[index]!, target }
    }),
  )
}

/** RFC 7396 inside a value type: members that a patch names are replaced, null clears one, the rest stays. The result is
 *  checked as a whole, since both may lack a required member. */
function mergeValue(field: StoredField, present: unknown, patch: unknown, problems: Problem[]): unknown {
  if (field.type.kind !== 'value' || patch === null) return patch
  const merged = checkValue(field.type, merge(present, patch), field.name, problems)
  checkConstraint(field.constraint, field.type, merged, field.name, problems)
  return merged
}

function merge(present: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(isRecord(present) ? present : {}))
  for (const [key, value] of Object.entries(patch)) {
    merged.set(key, isRecord(value) ? merge(merged.get(key), value) : value)
  }
  return Object.fromEntries(merged)
}
