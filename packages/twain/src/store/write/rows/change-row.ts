// A change of a row that is there, by an update or a replace.

import { isRecord, type Problem, validationError } from '#base'
import type { LinksField, ReferenceField, Resource, StoredField } from '#model'
import { checkConstraint, checkValue } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { RowReference, StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import {
  checkTransitionsExist,
  findTransitions,
  type RequestedTransition,
  requireTransitions,
  withPreviousStates,
} from '../rules/transitions.ts'
import { accessDenied, forbidFields } from '../rules/write-rules.ts'
import type { WriteOutcome, WriteState } from '../rules/write-state.ts'
import { all, constant, evaluateChecks, map, type QueryBatch, runBatch, type Step } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { conflictError, findUniqueConflicts, readonlyMessage, requiredProblem } from './conflicts.ts'
import { markFilesUsed } from './files.ts'
import { compareLinks, readLinks, saveLinks } from './links.ts'
import { endOtherTokens, findLoginConflict, saveLogin } from './logins.ts'
import { canSeeTarget, type ReferenceInput, resolveReferences } from './references.ts'
import { resolveAliases } from './resolve-aliases.ts'
import { saveChange, setUpdateTimes } from './save-change.ts'

export function* changeRow(
  resource: Resource,
  row: StoredRow,
  named: readonly JobField[],
  mayUpdate: boolean,
  state: WriteState,
): Step<WriteOutcome> {
  const { context, rules, time, password } = state
  const { id } = row
  const problems: Problem[] = []
  const fieldsNamed = new Set(named.map(({ field }) => field))
  const set = fieldsNamed.size === named.length ? named : resolveAliases(named, resource, row, context)
  const inputs = new Map(set.map((one) => [one.field, one]))
  const [fields, lists, blind] = yield* runBatch(
    all([
      readFields(resource, row, set, state, problems),
      readLinks(resource, id, inputs, state, problems),
      hiddenLinks(resource, id, inputs, state),
    ]),
  )
  const { changed, touched, invalid, unseen } = compareFields(resource, row, fields, context)
  const moves = findTransitions(
    fields.filter(({ field }) => touched.has(field.name)),
    row,
    resource,
    state,
  )
  for (const { field } of moves) touched.delete(field.name)
  // Who may not update the row may make a move, and nothing else by the same write.
  const isMore = touched.size + invalid.length + lists.length + problems.length > 0 || password !== null
  if (!mayUpdate && isMore) throw accessDenied('update', resource, rules)
  requireVisible(moves, unseen)
  if (invalid.length > 0) {
    yield* runBatch(rules.requireFieldUpdates(unseen, id))
    throw validationError(invalid)
  }
  const links = lists.length === 0 ? [] : yield* runBatch(compareLinks(lists, rules))
  for (const { field } of links) touched.add(field.name)
  for (const { name } of blind) touched.add(name)
  // Whether a value that the viewer can't see was the one that they guessed must not show in the version either.
  const nothing = changed.size === 0 && links.length === 0 && blind.length === 0 && problems.length === 0
  if (nothing && password === null) return { id, created: false, save: [] }
  if (!nothing) setUpdateTimes(resource, changed, context, time)
  checkTransitionsExist(moves, state, problems)
  const next: StoredRow = { id, version: row.version + 1, values: new Map([...row.values, ...changed]) }
  const checks: QueryBatch<void>[] = []
  // A row that can't be is not judged; and who may not make it so does not learn which values are taken.
  if (problems.length === 0) {
    checks.push(rules.requireFieldUpdates(touched, id), rules.requireLinks(links))
    if (password !== null) checks.push(rules.requirePassword(id))
    const isMove = moves.length > 0 && touched.size === 0
    if (!isMove)
      checks.push(rules.requireUpdatedRow(resource.name, withPreviousStates(next, row, moves, state), touched))
    checks.push(requireTransitions(moves, next, mayUpdate, state, problems))
  }
  if (problems.length === 0 || rules.isUnrestricted) {
    checks.push(
      findUniqueConflicts(resource, next, changed, context, rules, problems),
      findLoginConflict(resource, next, context, problems),
    )
  }
  yield* runBatch(all(checks))
  if (problems.length > 0) throw conflictError(problems)
  const save = saveLogin(resource, next, state)
  if (password !== null) save.push(endOtherTokens(id, state))
  if (!nothing) {
    save.push(...saveLinks(links, id, context), ...markFilesUsed(resource, changed, links, context))
    save.push(...saveChange(resource, row, changed, links, context, time))
  }
  return { id, created: false, save }
}

/** Whoever can't see a state can't move it: what they hear would tell it. */
function requireVisible(moves: readonly RequestedTransition[], unseen: ReadonlySet<string>): void {
  forbidFields(moves.map(({ field }) => field.name).filter((name) => unseen.has(name)))
}

/** The lists that the write gives and the viewer can't see. */
function hiddenLinks(
  resource: Resource,
  id: string,
  inputs: ReadonlyMap<string, JobField>,
  { context, rules }: WriteState,
): QueryBatch<LinksField[]> {
  const fields = context.table(resource).links.filter(({ name }) => inputs.has(name))
  if (fields.length === 0) return constant([])
  const shown = evaluateChecks(fields.map(({ name }) => rules.canReadField(name, id)))
  return map(shown, (visible) => fields.filter((_, index) => !visible[index]))
}

/** What the write changes, and what it gives and the viewer can't see: whether that differs must not show. */
interface FieldComparison {
  changed: Map<string, SqlValue>
  /** The fields of these columns. */
  touched: Set<string>
  /** What can't be so. Who may not write what they can't see (`unseen`) does not hear of it. */
  invalid: Problem[]
  unseen: Set<string>
}

function compareFields(
  resource: Resource,
  row: StoredRow,
  fields: readonly FieldChange[],
  context: WriterContext,
): FieldComparison {
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
      invalid.push(requiredProblem(field.name))
    for (const [column, encoded] of differing) changed.set(column, encoded)
    touched.add(field.name)
  }
  return { changed, touched, invalid, unseen }
}

/** A field that the write gives, and what had to be asked about it. */
interface FieldChange {
  field: StoredField | ReferenceField
  value: unknown
  merge: boolean
  /** Whether the viewer can read the field. */
  shown: boolean
  /** Whether the viewer sees where the reference leads that a null would clear. */
  seen: boolean
  /** The row that the reference is to lead to. */
  target: RowReference | null
}

function readFields(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  state: WriteState,
  problems: Problem[],
): QueryBatch<FieldChange[]> {
  const { context, rules } = state
  const inputs: (JobField & { of: StoredField | ReferenceField; reference: ReferenceInput | null })[] = []
  for (const one of set) {
    const of = resource.fields.get(one.field) as StoredField | ReferenceField | LinksField
    if (of.kind === 'links') continue
    const isReference = of.kind === 'reference' && one.value !== null
    const reference = isReference ? { to: of.to, id: one.value as string, path: of.name, rules } : null
    inputs.push({ ...one, of, reference })
  }
  const references = inputs.map(({ reference }) => reference).filter((reference) => reference !== null)
  const batch = all([
    evaluateChecks(inputs.map(({ of }) => of.name === 'id' || rules.canReadField(of.name, row.id))),
    evaluateChecks(
      inputs.map(({ of, value }) => of.kind === 'stored' || value !== null || canSeeTarget(of, row, state)),
    ),
    resolveReferences(references, context, problems),
  ])
  return map(batch, ([shown, seen, targets]) =>
    inputs.map(({ of, value, merge, reference }, index) => {
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
