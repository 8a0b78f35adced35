// Changes a stored row, for an update or a replace.

import { isRecord, type Problem, validationError } from '#base'
import { checkConstraint, type LinksField, type ReferenceField, type Resource, type StoredField } from '#model'
import { checkValue, containsEnum, unknownEnumValues } from '#plan'
import type { SqlValue } from '../../sql/encode.ts'
import type { RowReference, StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { denyAccess } from '../rules/deny-access.ts'
import {
  checkTransitionsExist,
  findTransitions,
  type RequestedTransition,
  requireTransitions,
  withPreviousStates,
} from '../rules/transitions.ts'
import { forbidFields, WriteRules } from '../rules/write-rules.ts'
import type { WriteOutcome, WriteState } from '../rules/write-state.ts'
import {
  all,
  constant,
  evaluateChecks,
  map,
  type QueryBatch,
  queryRows,
  runBatch,
  type Step,
} from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { cancelChanges, postponeLogin } from './accounts/login-changes.ts'
import { endCodes, endOtherTokens, findLoginConflict, requireConfirmation, saveLogin } from './accounts/logins.ts'
import { claimProof, unproven } from './accounts/proofs.ts'
import { conflictError, findUniqueConflicts, readonlyMessage, requiredProblem } from './conflicts.ts'
import { markFilesUsed } from './files.ts'
import { addTo, isIncrement, requireIncrements } from './increments.ts'
import { compareLinks, isLinkChange, readLinks, saveLinks } from './links.ts'
import { canSeeTarget, type ReferenceInput, resolveReferences } from './references.ts'
import { atRequestPlaces } from './request-places.ts'
import { resolveAliases } from './resolve-aliases.ts'
import { saveChange, setUpdateTimes } from './save-change.ts'

export function changeRow(
  resource: Resource,
  row: StoredRow,
  named: readonly JobField[],
  mayUpdate: boolean,
  state: WriteState,
): Step<WriteOutcome> {
  return atRequestPlaces(named, applyChange(resource, row, named, mayUpdate, state))
}

function* applyChange(
  resource: Resource,
  row: StoredRow,
  named: readonly JobField[],
  mayUpdate: boolean,
  state: WriteState,
): Step<WriteOutcome> {
  const { context, rules, time, password } = state
  const { id } = row
  const problems: Problem[] = []
  const set = eachOnce(named, resource, row, context)
  const [fields, lists, hidden] = yield* runBatch(
    all([
      readFields(resource, row, set, state, problems),
      readLinks(resource, id, set, state, problems),
      hiddenLinks(resource, id, set, state),
    ]),
  )
  const { changed, touched, invalid, unseen, exceeded } = compareFields(resource, row, fields, state)
  const pending = yield* postponeLogin(resource, row, changed, state)
  const proof = yield* claimProof(resource, row, state)
  for (const [column, value] of [...unproven(resource, row, changed, context), ...proof.changed])
    changed.set(column, value)
  const counted = fields.filter(isIncrement).map(({ field, shown }) => ({ name: field.name, shown }))
  const transitions = findTransitions(
    fields.filter(({ field }) => touched.has(field.name)),
    row,
    resource,
    state,
  )
  for (const { field } of transitions) touched.delete(field.name)
  // A viewer who may not update the row may make a transition, and isUnchanged else in the same write.
  const changesMore = touched.size + invalid.length + counted.length + lists.length + problems.length > 0
  if (!mayUpdate && (changesMore || password !== null || state.proof !== null))
    yield* denyAccess('update', resource, row, state)
  if (counted.length > 0) yield* requireIncrements(counted, id, state)
  // An error would reveal what is in a list that the viewer can't see.
  forbidFields(hidden.map(({ name }) => name).filter((name) => set.some((one) => isDisconnect(one, name))))
  requireVisible(transitions, unseen)
  if (invalid.length > 0) {
    yield* runBatch(rules.requireFieldUpdates(unseen, id))
    throw validationError(invalid)
  }
  problems.push(...exceeded)
  const links = lists.length === 0 ? [] : yield* runBatch(compareLinks(lists, rules))
  for (const { field } of links) touched.add(field.name)
  for (const { name } of hidden) touched.add(name)
  // The version must not reveal whether a hidden value equals the value that the viewer sent.
  const isUnchanged = changed.size === 0 && links.length === 0 && hidden.length === 0 && problems.length === 0
  if (isUnchanged && password === null && pending === null) return { id, created: false, save: proof.save }
  if (!isUnchanged && !state.isImport) setUpdateTimes(resource, changed, context, time)
  checkTransitionsExist(transitions, state, problems)
  const next: StoredRow = {
    id,
    version: context.nextVersion(row.version),
    values: new Map([...row.values, ...changed]),
  }
  const checks: QueryBatch<void>[] = []
  // The rules are not checked for an invalid row. A viewer who is denied does not learn which values are taken.
  if (problems.length === 0) {
    const negated = map(queryRows(context.lockLists(resource, [row, next])), () => undefined)
    checks.push(negated, rules.requireFieldUpdates(touched, id), rules.requireLinks(links))
    if (password !== null) checks.push(rules.requirePassword(id))
    checks.push(requireConfirmation(resource, id, touched, state))
    const isTransition = transitions.length > 0 && touched.size === 0
    if (!isTransition)
      checks.push(rules.requireUpdatedRow(resource.name, withPreviousStates(next, row, transitions, state), touched))
    checks.push(requireTransitions(transitions, next, mayUpdate, state, problems))
  }
  if (problems.length === 0 || rules.isUnrestricted) {
    checks.push(
      findUniqueConflicts(resource, next, changed, context, rules, problems),
      findLoginConflict(resource, pending?.row ?? next, state, problems),
    )
  }
  yield* runBatch(all(checks))
  if (problems.length > 0) throw conflictError(problems)
  const save = [
    ...(password === null ? [] : [...endCodes(id, state), cancelChanges(id, state)]),
    ...saveLogin(resource, next, state),
    ...proof.save,
    ...(pending?.save ?? []),
  ]
  if (password !== null) save.push(endOtherTokens(id, state))
  if (!isUnchanged) {
    save.push(...saveLinks(links, id, context), ...markFilesUsed(resource, changed, links, context))
    save.push(...saveChange(resource, row, changed, links, state))
  }
  return { id, created: false, save }
}

/** Each field once, although a request may set it under two names. Changes of links stay as they are. */
function eachOnce(
  named: readonly JobField[],
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
): readonly JobField[] {
  if (new Set(named.map(({ field }) => field)).size === named.length) return named
  const fields = named.filter((one) => !isLinkChange(one))
  return [...resolveAliases(fields, resource, row, context), ...named.filter(isLinkChange)]
}

function isDisconnect({ field, change }: JobField, name: string): boolean {
  return field === name && change === 'disconnect'
}

/** A viewer who can't see a state can't change it: the errors would reveal it. */
function requireVisible(transitions: readonly RequestedTransition[], unseen: ReadonlySet<string>): void {
  forbidFields(transitions.map(({ field }) => field.name).filter((name) => unseen.has(name)))
}

/** The lists that the write sets and the viewer can't see. */
function hiddenLinks(
  resource: Resource,
  id: string,
  set: readonly JobField[],
  { context, rules }: WriteState,
): QueryBatch<LinksField[]> {
  const fields = context.table(resource).links.filter(({ name }) => set.some(({ field }) => field === name))
  if (fields.length === 0) return constant([])
  const shown = evaluateChecks(fields.map(({ name }) => rules.canReadField(name, id)))
  return map(shown, (visible) => fields.filter((_, index) => !visible[index]))
}

/** The changed columns, and the fields that the viewer can't see: errors must not reveal whether those differ. */
interface FieldComparison {
  changed: Map<string, SqlValue>
  /** The fields of the changed columns. */
  touched: Set<string>
  /** Invalid values. A viewer who may not write a hidden field (`unseen`) does not see its errors. */
  invalid: Problem[]
  unseen: Set<string>
  /** Sums that the schema does not allow. */
  exceeded: Problem[]
}

function compareFields(
  resource: Resource,
  row: StoredRow,
  fields: readonly FieldChange[],
  { context, isImport }: WriteState,
): FieldComparison {
  const table = context.table(resource)
  const invalid: Problem[] = []
  const changed = new Map<string, SqlValue>()
  const touched = new Set<string>()
  const unseen = new Set<string>()
  const exceeded: Problem[] = []
  for (const { field, value, merge, shown, seen, target, change } of fields) {
    if (field.name === 'id') {
      if (value !== row.id) invalid.push({ path: 'id', code: 'READONLY', message: readonlyMessage('id') })
      continue
    }
    const fixed = !isImport && (field.immutable || field.auto !== null)
    // A hidden reference was sent to the viewer as null, and null sent back keeps it: nobody clears a hidden reference or
    // learns whether there is one.
    if (field.kind === 'reference' && value === null && (!seen || (fixed && !shown))) continue
    if (!shown) unseen.add(field.name)
    let complete = field.kind === 'reference' ? target : value
    if (change === 'increment' && field.kind === 'stored') {
      complete = addTo(field, table.decode(field, row), value, exceeded)
    }
    if (merge && field.kind === 'stored') {
      // A patch of a hidden value must be complete: it must not reveal what it would be merged into.
      complete = mergeValue(field, shown ? table.decode(field, row) : null, value, invalid)
    }
    const differing = [...table.encode(field, complete)].filter(
      ([column, encoded]) => !shown || row.values.get(column) !== encoded,
    )
    if (differing.length === 0) continue
    if (field.kind === 'stored') checkEnumValues(field, complete, shown ? table.decode(field, row) : null, invalid)
    if (fixed) invalid.push({ path: field.name, code: 'READONLY', message: readonlyMessage(field.name) })
    else if (field.required && (field.kind === 'reference' ? value : complete) === null)
      invalid.push(requiredProblem(field.name))
    for (const [column, encoded] of differing) changed.set(column, encoded)
    touched.add(field.name)
  }
  return { changed, touched, invalid, unseen, exceeded }
}

/** A field that the write sets, and what the database has for it. */
interface FieldChange {
  field: StoredField | ReferenceField
  value: unknown
  merge: boolean
  change: JobField['change']
  /** Whether the viewer can read the field. */
  shown: boolean
  /** Whether the viewer can see the target of the reference that a null would clear. */
  seen: boolean
  /** The new target of the reference. */
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
    const own = one.isFileOfRow === true ? WriteRules.unrestricted : rules
    const reference = isReference ? { to: of.to, id: one.value as string, path: of.name, rules: own } : null
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
    inputs.map(({ of, value, merge, change, reference }, index) => {
      const target = reference === null ? null : targets.get(reference)!
      return { field: of, value, merge, change, shown: shown[index]!, seen: seen[index]!, target }
    }),
  )
}

/** A changed value may keep the enum values that a newer schema has stored in the row, and no other that this one lacks. */
function checkEnumValues(field: StoredField, value: unknown, present: unknown, problems: Problem[]): void {
  if (value === null || !containsEnum(field.type)) return
  checkValue(field.type, value, field.name, problems, { moreEnumValues: unknownEnumValues(field.type, present) })
}

/** RFC 7396 inside a value type: members that a patch names are replaced, null clears one, the rest stays. The result is
 *  checked as a whole, since both may lack a required member. */
function mergeValue(field: StoredField, present: unknown, patch: unknown, problems: Problem[]): unknown {
  if (field.type.kind !== 'value' || patch === null) return patch
  const moreEnumValues = unknownEnumValues(field.type, present)
  const merged = checkValue(field.type, merge(present, patch), field.name, problems, { moreEnumValues })
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
