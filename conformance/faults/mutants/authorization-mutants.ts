// Mutants of `authorize`, each without one of its branches: at one kind of place in a plan, the plan of the request stays instead of
// the authorized one.

import type { Viewer } from '../../../packages/twain/src/base/http/index.ts'
import type { Field, Model, Rule } from '../../../packages/twain/src/model/index.ts'
import {
  Authority,
  type AuthorizedPlan,
  isSetList,
  type ListChecks,
  type PageRead,
  type Plan,
  type Where,
  type WriteChecks,
  type WritePlan,
} from '../../../packages/twain/src/plan/index.ts'
import { softName } from '../../rules/cells/deleted-cells.ts'

export interface Mutant {
  name: string
  /** The schema whose cells find this mutant. */
  on: string
  forget(plan: AuthorizedPlan, sent: Plan, viewer: Viewer, model: Model): AuthorizedPlan
}

type Node = Record<string, unknown>
type Place = (node: Node, key: string, isRoot: boolean) => boolean

const soft = softName('what a neighbour decides')

export const mutants: Mutant[] = [
  taking('the guard of an item', 'owner', (node, key) => key === 'guard' && node.kind === 'one' && 'id' in node),
  taking('the rule of a list', 'owner', (node, key, isRoot) => key === 'where' && node.kind === 'many' && isRoot),
  taking(
    'the rule of a nested list',
    'owner',
    (node, key, isRoot) => key === 'where' && node.kind === 'many' && !isRoot,
  ),
  taking(
    'the guard of the row around a list',
    'several hops',
    (node, key) => key === 'guard' && 'id' in node && !('kind' in node),
  ),
  taking(
    'the guard of a referred row',
    'several hops',
    (node, key) => key === 'guard' && 'of' in node && !('kind' in node),
  ),
  taking('the guard of a referred id', 'several hops', (node, key) => key === 'targets' && node.kind === 'id'),
  taking(
    'the guard of a stored field',
    'rules on fields',
    (node, key) => key === 'guard' && node.kind === 'field' && 'key' in node,
  ),
  taking('the guard of a field with an id', 'rules on fields', (node, key) => key === 'guard' && node.kind === 'id'),
  taking(
    'the guard of a reference',
    'rules on fields',
    (node, key) => key === 'guard' && node.kind === 'one' && 'field' in node,
  ),
  taking(
    'the guard of a list',
    'rules on references and lists',
    (node, key) => key === 'guard' && node.kind === 'many',
  ),
  taking(
    'the guard of an order',
    'rules on fields',
    (node, key) => key === 'guard' && node.kind === 'field' && 'direction' in node,
  ),
  taking('the rule of groups', 'owner', (node, key, isRoot) => key === 'where' && node.kind === 'groups' && isRoot),
  taking('the guards of the keys of groups', 'rules on fields', (node, key) => key === 'by' && node.kind === 'groups'),
  taking(
    'the guard of an order behind a reference',
    'several hops',
    (node, key) => key === 'path' && 'direction' in node,
  ),
  taking('the rule of the rows that an order counts', 'owner', (node, key) => key === 'rows' && node.kind === 'count'),
  taking(
    'the rule of a list of a view',
    'views',
    (node, key, isRoot) => key === 'where' && node.kind === 'many' && isRoot && isView(node.of),
  ),
  taking(
    'the guard of a row of a view',
    'views',
    (node, key) => key === 'guard' && node.kind === 'one' && 'id' in node && isView(node.of),
  ),
  taking(
    'the guard of a field of a view',
    'views',
    (node, key) => key === 'guard' && 'key' in node && 'field' in node && isView((node.field as Field).owner),
  ),
  taking(
    'the rule of the groups of a view',
    'views',
    (node, key) => key === 'where' && node.kind === 'groups' && isView(node.of),
  ),
  taking('the rule of a row that a view refers to', 'views', (node, key) => {
    return key === 'targets' && node.kind === 'id' && isView((node.field as Field).owner)
  }),
  taking(
    'the guard of a row by its key',
    'unique keys',
    (node, key) => key === 'guard' && node.kind === 'one' && node.id === null,
  ),
  taking(
    'the guard of the row around a list, by its key',
    'unique keys',
    (node, key) => key === 'guard' && !('kind' in node) && node.id === null && 'key' in node,
  ),
  { name: 'READ of the fields of a key', on: 'unique keys', forget: withoutKeyGuards },
  keyed('READ of the fields of the key of a write', ({ hidden: _, ...checks }) => ({ ...checks, hidden: [] })),
  keyed('READ of the rows in the key of a write', ({ targets: _, ...checks }) => ({ ...checks, targets: new Map() })),
  keyed('READ before a write by a key', ({ read: _, ...checks }) => checks),
  keyed('UPDATE and DELETE of the row that a key finds', ({ before: _, ...checks }) => checks),
  taking('the guards of distinct fields', 'rules on fields', (_, key) => key === 'distinct'),
  { name: 'the values of claims', on: 'claims', forget: (plan) => withoutClaims(plan) as AuthorizedPlan },
  {
    name: 'the claims of the viewer',
    on: 'claims',
    forget: (_, sent, { claims: _claims, ...viewer }, model) => new Authority(model).authorize(sent, viewer),
  },
  {
    name: 'verified: true',
    on: 'verified',
    forget: (_, sent, viewer, model) => new Authority(model).authorize(sent, { ...viewer, verified: true }),
  },
  { name: 'the guards of a filter', on: 'rules on fields', forget: unauthorizedFilter },
  { name: 'the guards of a filter inside JSON', on: 'values inside JSON', forget: unauthorizedFilter },
  taking('READ before a write', 'published or owner', (node, key) => key === 'read' && 'targets' in node),
  taking(
    'UPDATE and DELETE of the row before',
    'published or owner',
    (node, key) => key === 'before' && 'targets' in node,
  ),
  taking('CREATE of the new row', 'owner', (node, key) => key === 'create' && 'targets' in node),
  taking('UPDATE of the row after', 'owner', (node, key) => key === 'after' && 'targets' in node),
  taking('the fields of a create', 'rules on fields', (node, key) => key === 'create' && 'field' in node),
  taking('the fields of an update', 'rules on fields', (node, key) => key === 'update' && 'field' in node),
  taking('whom a transition is for', 'states', (node, key) => key === 'who' && 'requirements' in node),
  { name: 'what a transition requires', on: 'states', forget: withoutNeeds },
  taking('the transitions', 'states', (_, key) => key === 'states'),
  withOtherFields('the fields of a rule to read', (fields, { to }) => (to.includes('READ') ? null : fields)),
  withOtherFields('the fields of a rule to create', (fields, { to }) => (to.includes('CREATE') ? null : fields)),
  withOtherFields('the fields of a rule to update', (fields, { to }) => (to.includes('UPDATE') ? null : fields)),
  withOtherFields(
    'the lists of a rule with fields',
    (fields) => fields?.filter(({ kind }) => kind !== 'many' && kind !== 'inverse') ?? null,
  ),
  {
    name: 'the type at the end of a path',
    on: 'paths that end at an interface',
    forget: (plan) => withoutTypes(plan) as AuthorizedPlan,
  },
  emptied('what a replace can not see', 'rules on fields', 'hidden'),
  { name: 'READ of a number that a write adds to', on: 'rules on fields', forget: forgetCounting('hidden') },
  { name: 'UPDATE of a number that a write adds to', on: 'rules on fields', forget: forgetCounting('fields') },
  nested('CREATE of a row in a list', 'rows of lists', ({ create, ...rest }) => ({ ...rest, create: open(create) })),
  nested('the rules of rows that a list changes', 'rows of lists', ({ update, ...rest }) => ({
    ...rest,
    update: open(update),
  })),
  nested('DELETE of a row in a list', 'rows of lists', (checks) => ({ ...checks, delete: open(checks.delete) })),
  nested('READ of a list', 'rows of lists', ({ list: _, ...rest }) => rest),
  {
    name: 'the rules of the rows that a bulk write finds',
    on: 'published or owner',
    forget: (plan, sent) => (sent.kind === 'bulk' ? withMatch(plan, sent.match) : plan),
  },
  {
    name: 'the rules of the rows that a bulk write writes',
    on: 'published or owner',
    forget: (plan) => {
      if (plan.kind !== 'bulk' || plan.write.checks === undefined) return plan
      return { ...plan, write: { ...plan.write, checks: open(plan.write.checks) } } as AuthorizedPlan
    },
  },
  checking(
    'READ of the row that an upsert finds',
    'what a neighbour decides',
    'upsert',
    ({ read: _, ...rest }) => rest,
  ),
  checking(
    'UPDATE of the row that an upsert finds',
    'teams with memberships',
    'upsert',
    ({ before: _b, after: _a, ...rest }) => ({
      ...rest,
      fields: [],
    }),
  ),
  checking('the fields of the key of an upsert', 'what a neighbour decides', 'upsert', (checks) => ({
    ...checks,
    hidden: [],
  })),
  {
    name: 'DELETE of deleted rows',
    on: softName('published or owner'),
    forget: (plan) =>
      plan.kind === 'many' && plan.deleted !== undefined
        ? ({ ...plan, deleted: { rows: plan.deleted.rows } } as AuthorizedPlan)
        : plan,
  },
  checking('the rules of who restores a row', soft, 'restore', open),
  checking('the rules of who purges a row', soft, 'purge', open),
  emptied('the targets of references', 'several hops', 'targets'),
  emptied('the side that holds a relation', 'rules on references and lists', 'holders'),
]

/** Whether this is a type whose rows a SELECT returns. */
function isView(of: unknown): boolean {
  return typeof of === 'object' && of !== null && 'view' in of && of.view !== undefined
}

/** The guard of the row alone, as by its id. */
function withoutKeyGuards(plan: AuthorizedPlan, sent: Plan, viewer: Viewer, model: Model): AuthorizedPlan {
  if (plan.kind !== 'one' || sent.kind !== 'one' || sent.key === undefined) return plan
  const { key: _, ...byId } = sent
  const bare = new Authority(model).authorize(byId, viewer)
  const { guard: _guard, ...rest } = plan
  return { ...rest, ...(bare.kind === 'one' && bare.guard && { guard: bare.guard }) } as AuthorizedPlan
}

/** Forgets a part of the checks of writes by a key. */
function keyed(name: string, forget: (checks: WriteChecks) => WriteChecks): Mutant {
  return {
    name,
    on: 'unique keys',
    forget(plan) {
      if (plan.kind !== 'write' || plan.key === undefined || plan.checks === undefined) return plan
      return { ...plan, checks: forget(plan.checks) } as AuthorizedPlan
    },
  }
}

function withMatch(plan: AuthorizedPlan, match: PageRead): AuthorizedPlan {
  if (plan.kind === 'many') return match as AuthorizedPlan<PageRead>
  return plan.kind === 'bulk' ? ({ ...plan, match } as AuthorizedPlan) : plan
}

/** Other checks in the writes of one kind. */
function checking(
  name: string,
  on: string,
  action: WritePlan['action'],
  forget: (checks: WriteChecks) => WriteChecks,
): Mutant {
  return {
    name,
    on,
    forget(plan) {
      if (plan.kind !== 'write' || plan.action !== action || plan.checks === undefined) return plan
      return { ...plan, checks: forget(plan.checks) } as AuthorizedPlan
    },
  }
}

function taking(name: string, on: string, place: Place): Mutant {
  return { name, on, forget: (plan, sent) => walk(plan, sent, place, true) as AuthorizedPlan }
}

/** A part of the row checks that is a list or a map. */
function emptied(name: string, on: string, part: 'hidden' | 'targets' | 'holders'): Mutant {
  return {
    name,
    on,
    forget(plan) {
      if (plan.kind !== 'write' || plan.checks === undefined) return plan
      return { ...plan, checks: { ...plan.checks, [part]: part === 'targets' ? new Map() : [] } } as AuthorizedPlan
    },
  }
}

/** Forgets a part of the row checks, in writes that add to a number alone. */
function forgetCounting(part: 'hidden' | 'fields'): Mutant['forget'] {
  return (plan) => {
    if (plan.kind !== 'write' || plan.checks === undefined) return plan
    if (!plan.set.some((member) => 'change' in member && member.change === 'increment')) return plan
    return { ...plan, checks: { ...plan.checks, [part]: [] } } as AuthorizedPlan
  }
}

/** As if the rules had other fields: the plan of the request is authorized again, by a model in which they have. */
function withOtherFields(name: string, otherFields: (fields: Rule['fields'], rule: Rule) => Rule['fields']): Mutant {
  return {
    name,
    on: 'rules for some fields',
    forget(_plan, sent, viewer, model) {
      const rules = model.resources.flatMap((resource) => resource.rules)
      const before = rules.map(({ fields }) => fields)
      try {
        for (const rule of rules) rule.fields = otherFields(rule.fields, rule)
        return new Authority(model).authorize(sent, viewer)
      } finally {
        for (const [index, rule] of rules.entries()) rule.fields = before[index]!
      }
    },
  }
}

/** Forgets rules of rows that are written along with the row that has them in a list. */
function nested(name: string, on: string, forget: (checks: ListChecks) => ListChecks): Mutant {
  return {
    name,
    on,
    forget(plan) {
      if (plan.kind !== 'write') return plan
      const set = plan.set.map((member) =>
        isSetList(member) && member.checks !== undefined ? { ...member, checks: forget(member.checks) } : member,
      )
      return { ...plan, set } as AuthorizedPlan
    },
  }
}

/** Each condition on the type of a row holds. */
function withoutTypes(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || part instanceof Map || isModelPart(part)) return part
  if (Array.isArray(part)) return part.map(withoutTypes)
  if ('kind' in part && part.kind === 'type' && 'of' in part) return { kind: 'constant', is: true }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withoutTypes(value)]))
}

/** Everything is allowed that the rules of the row itself restrict. */
function open({ fields: _, read: _r, before: _b, create: _c, after: _a, ...rest }: WriteChecks): WriteChecks {
  return { ...rest, fields: [] }
}

function withoutNeeds(plan: AuthorizedPlan): AuthorizedPlan {
  if (plan.kind !== 'write' || plan.states === undefined) return plan
  const states = plan.states.map(({ field, rules }) => ({
    field,
    rules: rules.map((rule) => ({ ...rule, requirements: [] })),
  }))
  return { ...plan, states } as AuthorizedPlan
}

/** Every condition on a claim holds. */
function withoutClaims(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || part instanceof Map || isModelPart(part)) return part
  if (Array.isArray(part)) return part.map(withoutClaims)
  const node = part as Node
  const { parameter } = node
  if (node.kind === 'compare' && typeof parameter === 'object' && parameter !== null && 'claim' in parameter)
    return { kind: 'constant', is: true }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutClaims(value)]))
}

/** The rule of the type, and the filter as it was sent. */
function unauthorizedFilter(plan: AuthorizedPlan, sent: Plan, viewer: Viewer, model: Model): AuthorizedPlan {
  if (plan.kind !== 'many' || sent.kind !== 'many' || sent.where === null) return plan
  const bare = new Authority(model).authorize({ ...sent, where: null }, viewer)
  if (bare.kind !== 'many') return plan
  const of = [bare.where, sent.where].filter((where): where is Where => where !== null)
  return { ...plan, where: { kind: 'and', of } } as AuthorizedPlan
}

/** Walks both plans in step; an object that is the same in both (such as the model) has nothing to mutate. */
function walk(plan: unknown, sent: unknown, place: Place, isRoot: boolean): unknown {
  if (plan === sent || typeof plan !== 'object' || plan === null || plan instanceof Map) return plan
  if (Array.isArray(plan))
    return plan.map((item, at) => walk(item, Array.isArray(sent) ? sent[at] : undefined, place, false))
  const [node, other] = [plan as Node, (typeof sent === 'object' ? sent : null) as Node | null]
  const remaining = Object.entries(node).flatMap(([key, value]) => {
    if (!place(node, key, isRoot))
      return isModelPart(value) ? [[key, value]] : [[key, walk(value, other?.[key], place, false)]]
    return other !== null && key in other ? [[key, other[key]]] : []
  })
  return Object.fromEntries(remaining)
}

/** Types and fields of the model, which refer to each other in cycles. */
function isModelPart(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'place' in value
}
