// Many-to-many links as a write gives them: a list of ids that the row is to be linked to.

import type { Problem } from '#base'
import type { LinksField, Resource } from '#model'
import type { JobField } from './job.ts'
import { resolve } from './references.ts'
import type { Target, WriterContext } from './writer-context.ts'
import type { Writing } from './writing.ts'

/** A list of links that a write changes. */
export interface LinkChange {
  field: LinksField
  before: Target[]
  after: Target[]
}

/** The lists that the write names and that it changes; `id` is null for a row that is not there yet. Links to rows that the
 *  viewer can't read stay: to the viewer they are not there, so that a list that leaves them out says nothing of them. */
export function compareLinks(
  resource: Resource,
  id: string | null,
  given: ReadonlyMap<string, JobField>,
  writing: Writing,
  problems: Problem[],
): LinkChange[] {
  const { context, rules } = writing
  const changes: LinkChange[] = []
  for (const field of context.table(resource).links) {
    const wanted = given.get(field.name)
    if (wanted === undefined) continue
    const before = id === null ? [] : context.linked(field, id)
    const unseen = before.filter(({ type, id: far }) => !rules.canRefer(type, far))
    const named = resolveAll(field, wanted.value as string[], writing, problems)
    const after = wanted.change === undefined ? [...named, ...unseen] : changeTargets(before, named, wanted.change)
    if (changedTargets(before, after).length > 0) changes.push({ field, before, after })
  }
  return changes
}

export function saveLinks(changes: readonly LinkChange[], id: string, context: WriterContext): void {
  for (const { field, before, after } of changes) {
    for (const target of without(before, after)) context.unlink(field, id, target)
    for (const target of without(after, before)) context.link(field, id, target)
  }
}

/** Those that come and those that go. */
export function changedTargets(before: readonly Target[], after: readonly Target[]): Target[] {
  return [...without(after, before), ...without(before, after)]
}

function changeTargets(before: readonly Target[], named: readonly Target[], change: 'add' | 'remove'): Target[] {
  const others = without(before, named)
  return change === 'add' ? [...others, ...named] : others
}

/** Two spellings (`u1`, `User:u1`) may mean one row. */
function resolveAll(field: LinksField, references: readonly string[], writing: Writing, problems: Problem[]): Target[] {
  const targets = new Map<string, Target>()
  for (const [index, reference] of references.entries()) {
    const target = resolve(field.to, reference, `${field.name}.${index}`, writing, problems)
    if (target !== null) targets.set(keyOf(target), target)
  }
  return [...targets.values()]
}

function without(targets: readonly Target[], others: readonly Target[]): Target[] {
  const left = new Set(others.map(keyOf))
  return targets.filter((target) => !left.has(keyOf(target)))
}

function keyOf({ type, id }: Target): string {
  return `${type}:${id}`
}
