// The root field of a subscription → its filter and the selections of its events. `id`, the channels and `where` form one
// filter; the first two also choose the channel (`execute/subscription.ts`).

import { allChangeKinds } from '#events'
import type { Resource } from '#model'
import { channelsOf, namesOf, singleOf } from '#model/names'
import type { ChangeKind, Limits, Selection, SubscriptionPlan, Where } from '#plan'
import { currentValue, planWhere, type UnboundPlan } from '#plan/build'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { SubscriptionRootField } from '../schema/root-fields.ts'
import { FieldArguments, type PlanContext } from './plan-context.ts'
import { planSelections } from './plan-selection.ts'

export interface PlannedSubscriptionField extends UnboundPlan<SubscriptionPlan> {
  kind: 'subscription'
  kinds: ReadonlySet<ChangeKind>
  /** The selected fields of the event; null if the event is the row itself. */
  members: readonly { key: string; name: string }[] | null
  /** The keys under which the row of the event is selected; null if the event never has a row. */
  rows: readonly string[] | null
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

const kindsOf: Readonly<Record<SubscriptionRootField['kind'], ReadonlySet<ChangeKind>>> = {
  created: new Set(['created']),
  updated: new Set(['updated']),
  deleted: new Set(['deleted']),
  changed: allChangeKinds,
}

export function planSubscription(
  { kind, of }: SubscriptionRootField,
  field: SelectedField,
  context: PlanContext,
  limits: Limits,
): PlannedSubscriptionField {
  const { builder } = context
  const definitions = context.schema.getSubscriptionType()?.getFields()[field.name]?.args ?? []
  const where = planFilter(of, new FieldArguments(field.node, definitions, context.variables), context, field.key)
  const shape = planShape(kind, of, field, context)
  builder.finish(limits)
  return {
    kind: 'subscription',
    kinds: kindsOf[kind],
    plan: { kind: 'subscription', of, where, selections: shape.selections },
    ...builder.unbound(),
    members: shape.members,
    rows: shape.rows,
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

function planFilter(of: Resource, args: FieldArguments, { builder }: PlanContext, place: string): Where | null {
  const parts: Where[] = []
  const add = (tree: unknown, at: string) => {
    const part = planWhere(tree, of, builder, at)
    if (part !== null) parts.push(part)
  }
  const id = args.leaf('id')
  if (isPresent(id)) add({ id: { eq: id } }, place)
  for (const field of channelsOf(of)) {
    for (const argument of namesOf(field)) {
      const leaf = args.leaf(argument)
      if (isPresent(leaf)) add({ [argument]: field.kind === 'reference' ? { id: { eq: leaf } } : { eq: leaf } }, place)
    }
  }
  add(args.tree('where'), `${place}.where`)
  if (parts.length < 2) return parts[0] ?? null
  return { kind: 'and', of: parts }
}

/** A variable that is null does not filter. */
function isPresent(leaf: unknown): boolean {
  return (currentValue(leaf) ?? null) !== null
}

interface SubscriptionShape {
  selections: Selection[]
  members: PlannedSubscriptionField['members']
  rows: PlannedSubscriptionField['rows']
}

function planShape(
  kind: SubscriptionRootField['kind'],
  of: Resource,
  field: SelectedField,
  context: PlanContext,
): SubscriptionShape {
  if (kind === 'created' || kind === 'updated') {
    return { selections: planSelections(of, subselections(field), context, field.key), members: null, rows: null }
  }
  const type = kind === 'deleted' ? `${of.name}Deleted` : `${of.name}Changed`
  const selected = context.collect(subselections(field), (name) => name === type)
  const members = selected.map(({ key, name }) => ({ key, name }))
  const rows = kind === 'deleted' ? [] : selected.filter(({ name }) => namesOf(singleOf(of)).includes(name))
  const [only] = rows
  if (only === undefined) return { selections: versionOnly, members, rows: kind === 'deleted' ? null : [] }
  if (rows.length === 1) {
    return {
      selections: planSelections(of, subselections(only), context, `${field.key}.${only.key}`),
      members,
      rows: [only.key],
    }
  }
  // The row is selected under several keys: each prefixes its selections with its key.
  const selection = rows.flatMap((row) =>
    planSelections(of, subselections(row), context, `${field.key}.${row.key}`).map((one) => ({
      ...one,
      key: `${row.key}\n${one.key}`,
    })),
  )
  return { selections: selection, members, rows: rows.map(({ key }) => key) }
}

/** A row needs one selection at least. */
const versionOnly: Selection[] = [{ kind: 'version', key: 'version' }]
