// The root field of a subscription → what is watched, and how each event is shaped. `id`, a reference by its name and `where`
// are one filter; the first two also say in which channel to listen (`subscription.ts`).

import { allKinds } from '#events'
import { channelsOf, type Resource, singularAlias } from '#model'
import type { ChangeKind, Limits, Selection, SubscriptionPlan, Where } from '#plan'
import { currentValue, planWhere } from '#plan/build'
import type { Variables } from '../document/argument-values.ts'
import { below, type Selected } from '../document/selection.ts'
import type { SubscriptionRoot } from '../schema/root-fields.ts'
import { Arguments, type PlanContext } from './plan-context.ts'
import { planPicks } from './plan-selection.ts'

export interface WatchRoot {
  kind: 'subscription'
  kinds: ReadonlySet<ChangeKind>
  plan: SubscriptionPlan
  leaves: readonly unknown[]
  places: readonly string[]
  /** What is asked of the event itself, by the keys of the answer; null where it is the row. */
  members: readonly { key: string; name: string }[] | null
  /** Of an event that may have a row: the keys under which it is asked for. */
  rows: readonly string[] | null
  /** The field's arguments with the variables of a request. */
  given(variables: Variables): Arguments
}

const kindsOf: Readonly<Record<SubscriptionRoot['kind'], ReadonlySet<ChangeKind>>> = {
  created: new Set(['created']),
  updated: new Set(['updated']),
  deleted: new Set(['deleted']),
  changed: allKinds,
}

export function planSubscription(
  { kind, of }: SubscriptionRoot,
  field: Selected,
  context: PlanContext,
  limits: Limits,
): WatchRoot {
  const { draft: builder } = context
  const definitions = context.schema.getSubscriptionType()?.getFields()[field.name]?.args ?? []
  const where = planFilter(of, new Arguments(field.node, definitions, context.variables), context, field.key)
  const shape = planShape(kind, of, field, context)
  builder.finish(limits)
  return {
    kind: 'subscription',
    kinds: kindsOf[kind],
    plan: { kind: 'subscription', of, where, selections: shape.pick },
    leaves: builder.requestValues,
    places: builder.places,
    members: shape.members,
    rows: shape.rows,
    given: (variables) => new Arguments(field.node, definitions, variables),
  }
}

function planFilter(of: Resource, args: Arguments, { draft: builder }: PlanContext, place: string): Where | null {
  const parts: Where[] = []
  const add = (tree: unknown, at: string) => {
    const part = planWhere(tree, of, builder, at)
    if (part !== null) parts.push(part)
  }
  const id = args.leaf('id')
  if (isGiven(id)) add({ id: { eq: id } }, place)
  for (const { name, alias } of channelsOf(of)) {
    for (const called of alias === undefined ? [name] : [name, alias]) {
      const leaf = args.leaf(called)
      if (isGiven(leaf)) add({ [name]: { id: { eq: leaf } } }, place)
    }
  }
  add(args.tree('where'), `${place}.where`)
  if (parts.length < 2) return parts[0] ?? null
  return { kind: 'and', of: parts }
}

/** A variable that is null asks for nothing. */
function isGiven(leaf: unknown): boolean {
  return (currentValue(leaf) ?? null) !== null
}

interface Shape {
  pick: Selection[]
  members: WatchRoot['members']
  rows: WatchRoot['rows']
}

function planShape(kind: SubscriptionRoot['kind'], of: Resource, field: Selected, context: PlanContext): Shape {
  if (kind === 'created' || kind === 'updated') {
    return { pick: planPicks(of, below(field), context, field.key), members: null, rows: null }
  }
  const type = kind === 'deleted' ? `${of.name}Deleted` : `${of.name}Changed`
  const selected = context.collect(below(field), (name) => name === type)
  const members = selected.map(({ key, name }) => ({ key, name }))
  const rows = kind === 'deleted' ? [] : selected.filter(({ name }) => name === of.single || name === singularAlias(of))
  const [only] = rows
  if (only === undefined) return { pick: nothing, members, rows: kind === 'deleted' ? null : [] }
  if (rows.length === 1) {
    return { pick: planPicks(of, below(only), context, `${field.key}.${only.key}`), members, rows: [only.key] }
  }
  // Each key has members of its own, which are told apart by it.
  const selection = rows.flatMap((row) =>
    planPicks(of, below(row), context, `${field.key}.${row.key}`).map((one) => ({
      ...one,
      key: `${row.key}\n${one.key}`,
    })),
  )
  return { pick: selection, members, rows: rows.map(({ key }) => key) }
}

/** A row that nothing is asked of must have something in it all the same. */
const nothing: Selection[] = [{ kind: 'version', key: 'version' }]
