// Many-to-many links of a write: a list of ids that the row is linked to.

import type { Problem } from '#base'
import type { LinksField, Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import { changedTargets, type LinkChange, referenceKey, without } from '../access/link-access.ts'
import type { RowReference } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { WriteRules } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, constant, evaluateChecks, map, type QueryBatch, queryRows } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { type ReferenceInput, resolveReferences } from './references.ts'
import { placeOf } from './request-places.ts'

/** A list that a write sets or changes: its current and its requested targets. */
interface LinkList {
  field: LinksField
  before: RowReference[]
  /** Null: the list is changed, not replaced. */
  replaced: RowReference[] | null
  added: RowReference[]
  removed: RowReference[]
}

/** Whether the ids are added to a list of links or removed from it. A write may do both. */
export function isLinkChange({ change }: JobField): boolean {
  return change !== undefined && change !== 'increment'
}

/** `id` is null for a new row. */
export function readLinks(
  resource: Resource,
  id: string | null,
  set: readonly JobField[],
  { context, rules }: WriteState,
  problems: Problem[],
): QueryBatch<LinkList[]> {
  const fields = context.table(resource).links.filter(({ name }) => set.some(({ field }) => field === name))
  if (fields.length === 0) return constant([])
  const named = set.flatMap((one) => {
    const field = fields.find(({ name }) => name === one.field)
    return field === undefined ? [] : [{ field, change: one.change, references: referencesOf(field, one, rules) }]
  })
  const batch = all([
    queryRows(id === null ? [] : fields.map((field) => context.links(field).linked(id))),
    resolveReferences(
      named.flatMap(({ references }) => references),
      context,
      problems,
    ),
  ])
  return map(batch, ([rows, targets]) =>
    fields.map((field, index) => {
      const before = id === null ? [] : context.links(field).targets(rows[index]!)
      const list: LinkList = { field, before, replaced: null, added: [], removed: [] }
      for (const { change, references } of named.filter((one) => one.field === field)) {
        const found = distinct(references.map((reference) => targets.get(reference)!))
        if (change === undefined) list.replaced = found
        else list[change === 'remove' || change === 'disconnect' ? 'removed' : 'added'].push(...found)
        if (change === 'disconnect') reportUnlinked(field, references, targets, before, problems)
      }
      return list
    }),
  )
}

/** Only what is in the list can be disconnected. */
function reportUnlinked(
  { to, name }: LinksField,
  references: readonly ReferenceInput[],
  targets: ReadonlyMap<ReferenceInput, RowReference | null>,
  before: readonly RowReference[],
  problems: Problem[],
): void {
  const linked = new Set(before.map(referenceKey))
  for (const reference of references) {
    const target = targets.get(reference)!
    if (target === null || linked.has(referenceKey(target))) continue
    problems.push({ path: reference.path, code: 'REFERENCE', message: notInListMessage(to.name, reference.id, name) })
  }
}

/** The same message for a row that is not in the list and for one that the viewer can't read. */
export function notInListMessage(type: string, id: string, list: string): string {
  return `There is no ${type} with the id "${id}" in ${list}.`
}

/** The lists that the write changes. Links to rows that the viewer can't read stay: the viewer does not see them, so
 *  leaving them out means nothing. */
export function compareLinks(lists: readonly LinkList[], rules: WriteRules): QueryBatch<LinkChange[]> {
  const seen = all(lists.map(({ before }) => evaluateChecks(before.map(({ type, id }) => rules.canSee(type, id)))))
  return map(seen, (visible) =>
    lists.flatMap(({ field, before, replaced, added, removed }, index) => {
      const unseen = before.filter((_, place) => !visible[index]![place])
      const kept = replaced === null ? without(before, removed) : [...replaced, ...unseen]
      const after = [...without(kept, added), ...added]
      return changedTargets(before, after).length === 0 ? [] : [{ field, before, after }]
    }),
  )
}

export function saveLinks(changes: readonly LinkChange[], id: string, context: WriterContext): Query[] {
  return changes.flatMap(({ field, before, after }) => {
    const links = context.links(field)
    return [
      ...without(before, after).map((target) => links.unlink(id, target)),
      ...without(after, before).flatMap((target) => [
        ...context.lockLinkedLists(field, id, target.id),
        links.link(id, target),
      ]),
    ]
  })
}

/** The viewer need not be able to read a row that the same write has created. */
function referencesOf({ to }: LinksField, input: JobField, rules: WriteRules): ReferenceInput[] {
  const own = input.change === 'created' ? WriteRules.unrestricted : rules
  const place = placeOf(input)
  return (input.value as string[]).map((id, index) => ({ to, id, path: `${place}.${index}`, rules: own }))
}

/** Two formats (`u1`, `User:u1`) may mean the same row. */
function distinct(targets: readonly (RowReference | null)[]): RowReference[] {
  const found = targets.filter((target) => target !== null)
  return [...new Map(found.map((target) => [referenceKey(target), target])).values()]
}
