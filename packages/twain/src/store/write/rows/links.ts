// Many-to-many links of a write: a list of ids that the row is linked to.

import type { Problem } from '#base'
import type { LinksField, Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import { changedTargets, type LinkChange, referenceKey, without } from '../access/link-access.ts'
import type { RowReference } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteRules } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { all, constant, evaluateChecks, map, type QueryBatch, queryRows } from '../steps/query-step.ts'
import type { JobField } from '../steps/write-job.ts'
import { type ReferenceInput, resolveReferences } from './references.ts'

/** A list that a write sets: its current and its requested targets. */
interface LinkList {
  field: LinksField
  before: RowReference[]
  requested: RowReference[]
  /** Whether the targets are added or removed; without it they replace the list. */
  change: 'add' | 'remove' | undefined
}

/** `id` is null for a new row. */
export function readLinks(
  resource: Resource,
  id: string | null,
  inputs: ReadonlyMap<string, JobField>,
  { context, rules }: WriteState,
  problems: Problem[],
): QueryBatch<LinkList[]> {
  const fields = context.table(resource).links.filter(({ name }) => inputs.has(name))
  if (fields.length === 0) return constant([])
  const references = fields.map((field) => referencesOf(field, inputs.get(field.name)!.value as string[], rules))
  const batch = all([
    queryRows(id === null ? [] : fields.map((field) => context.links(field).linked(id))),
    resolveReferences(references.flat(), context, problems),
  ])
  return map(batch, ([rows, targets]) =>
    fields.map((field, index) => ({
      field,
      before: id === null ? [] : context.links(field).targets(rows[index]!),
      requested: distinct(references[index]!.map((reference) => targets.get(reference)!)),
      change: inputs.get(field.name)!.change as LinkList['change'],
    })),
  )
}

/** The lists that the write changes. Links to rows that the viewer can't read stay: the viewer does not see them, so
 *  leaving them out means nothing. */
export function compareLinks(lists: readonly LinkList[], rules: WriteRules): QueryBatch<LinkChange[]> {
  const seen = all(
    lists.map(({ before }) => evaluateChecks(before.map(({ type, id }) => rules.canReference(type, id)))),
  )
  return map(seen, (visible) =>
    lists.flatMap(({ field, before, requested: wanted, change }, index) => {
      const unseen = before.filter((_, place) => !visible[index]![place])
      const after = change === undefined ? [...wanted, ...unseen] : changeTargets(before, wanted, change)
      return changedTargets(before, after).length === 0 ? [] : [{ field, before, after }]
    }),
  )
}

export function saveLinks(changes: readonly LinkChange[], id: string, context: WriterContext): Query[] {
  return changes.flatMap(({ field, before, after }) => {
    const links = context.links(field)
    return [
      ...without(before, after).map((target) => links.unlink(id, target)),
      ...without(after, before).map((target) => links.link(id, target)),
    ]
  })
}

function changeTargets(
  before: readonly RowReference[],
  named: readonly RowReference[],
  change: 'add' | 'remove',
): RowReference[] {
  const others = without(before, named)
  return change === 'add' ? [...others, ...named] : others
}

function referencesOf({ to, name }: LinksField, ids: readonly string[], rules: WriteRules): ReferenceInput[] {
  return ids.map((id, index) => ({ to, id, path: `${name}.${index}`, rules }))
}

/** Two formats (`u1`, `User:u1`) may mean the same row. */
function distinct(targets: readonly (RowReference | null)[]): RowReference[] {
  const found = targets.filter((target) => target !== null)
  return [...new Map(found.map((target) => [referenceKey(target), target])).values()]
}
