// Compiles the rules and state transitions of a write into statements: once for each set of checks, bound for each write.

import { isFile, membersOf, type Resource, uniqueKeysOf } from '#model'
import type { Guard, SetField, StateTransitions, WriteChecks, WritePlan } from '#plan'
import { type BoundViewer, bindRead } from '../../sql/bind.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { CompiledRead } from '../../sql/read.ts'
import { compileHiddenRowCheck, compileRowCheck, compileVirtualRowCheck } from '../../sql/row-check.ts'
import { compileRuleLocks, type JudgedRow, type RuleLockDialect } from '../../sql/rule-locks.ts'
import type { Layout } from '../../tables/layout.ts'
import type { BoundCheck, JobChecks, JobTransition } from '../steps/write-job.ts'

type CompiledCheck = boolean | CompiledRead

/** Binds the statements to a viewer. */
export type CompiledChecks = (viewer: BoundViewer) => JobChecks

/** Compiles only the checks that the action needs: the job crosses to the writer thread. */
export function compileChecks(
  checks: WriteChecks,
  { action, of }: Pick<WritePlan, 'action' | 'of'>,
  layout: Layout,
  dialect: Dialect,
  locks: RuleLockDialect | null,
): CompiledChecks {
  const isEither = action === 'replace' || action === 'upsert'
  const creates = action === 'create' || isEither
  const changes = action === 'update' || isEither
  const { check, other, shown, virtual, hidden: ofHidden } = checkCompilers(of, layout, dialect, locks)
  // The row may be hidden, and so the rules are about the row as it was loaded.
  const judge = action === 'restore' || action === 'purge' ? ofHidden : check
  const read = action === 'create' || judge(checks.read)
  const before = action === 'create' || judge(checks.before)
  const create = !creates || virtual(checks.create)
  const after = !changes || virtual(checks.after)
  const none = { fields: [], hidden: [], holders: [], targets: new Map<Resource, Guard>() }
  const password = !changes || checks.password === undefined || check(checks.password)
  // A delete needs what decides whether the viewer can find the row by a key.
  const inputs = creates || changes ? checks : { ...none, ...keyChecks(checks, of) }
  const fields = inputs.fields.map(
    ({ field, create, update }) =>
      [field.name, !creates || virtual(create), !changes || check(update), !changes || virtual(update)] as const,
  )
  // A create needs only the fields that are never readable: its conflicts do not name them.
  const unseen =
    !creates || changes ? inputs.hidden : inputs.hidden.filter(({ guard }) => guard.kind === 'constant' && !guard.is)
  const hidden = unseen.map(({ field, guard }) => [field.name, shown(guard)] as const)
  const targets = [...inputs.targets].map(([resource, guard]) => [resource.name, other(guard, resource)] as const)
  const holders = inputs.holders.map(({ field, guard }) => {
    const { left, right } = field.link
    return [field.name, other(guard, field.side === 'left' ? right!.owner : left.owner)] as const
  })
  const referrers = checks.referrers.map(({ field, guard }) => {
    return [`${field.owner.name}.${field.name}`, shown(guard, field.owner)] as const
  })
  const labels = checks.labels.map(({ of: labelled, field, guard }) => {
    return [labelled.name, field?.name ?? null, shown(guard, labelled)] as const
  })
  const bindTo = (bound: (compiled: CompiledCheck) => BoundCheck): JobChecks => ({
    read: bound(read),
    before: bound(before),
    create: bound(create),
    after: bound(after),
    password: bound(password),
    fields: new Map(
      fields.map(([name, made, was, is]) => [name, { create: bound(made), update: bound(was), after: bound(is) }]),
    ),
    hidden: new Map(hidden.map(([name, guard]) => [name, bound(guard)])),
    targets: new Map(targets.map(([name, guard]) => [name, bound(guard)])),
    holders: new Map(holders.map(([name, guard]) => [name, bound(guard)])),
    referrers: new Map(referrers.map(([name, guard]) => [name, bound(guard)])),
    ...(labels.length > 0 && {
      labels: new Map(labels.map(([name, field, guard]) => [name, { field, readable: bound(guard) }])),
    }),
  })
  let isConstant = true
  const constant = bindTo((compiled) => {
    isConstant &&= typeof compiled === 'boolean'
    return compiled === true
  })
  if (isConstant) return () => constant // the same for every viewer and write
  return (viewer) =>
    bindTo((compiled) => (typeof compiled === 'boolean' ? compiled : bindRead(compiled, [], viewer, dialect)))
}

/** Who may read the fields of the unique keys, and the rows that they refer to. */
function keyChecks({ hidden, targets }: WriteChecks, of: Resource): Pick<WriteChecks, 'hidden' | 'targets'> {
  const fields = new Set<SetField['field']>(uniqueKeysOf(of).flatMap((key) => key.fields))
  const referred = [...fields].flatMap((field) => (field.kind === 'stored' ? [] : membersOf(field.to)))
  return {
    hidden: hidden.filter(({ field }) => fields.has(field)),
    targets: new Map([...targets].filter(([resource]) => referred.includes(resource))),
  }
}

/** A condition on a stored row, bound to a viewer. */
export function compileGuard(
  guard: Guard,
  of: Resource,
  layout: Layout,
  dialect: Dialect,
  locks: RuleLockDialect | null,
): (viewer: BoundViewer) => BoundCheck {
  const compiled = checkCompilers(of, layout, dialect, locks).check(guard)
  return (viewer) => (typeof compiled === 'boolean' ? compiled : bindRead(compiled, [], viewer, dialect))
}

/** Binds the transitions of each field to a viewer. */
export type CompiledTransitions = ReadonlyMap<string, (viewer: BoundViewer) => JobTransition[]>

export function compileTransitions(
  states: readonly StateTransitions[],
  layout: Layout,
  dialect: Dialect,
  locks: RuleLockDialect | null,
): CompiledTransitions {
  return new Map(states.map((state) => [state.field.name, compileState(state, layout, dialect, locks)]))
}

function compileState(
  { field, rules }: StateTransitions,
  layout: Layout,
  dialect: Dialect,
  locks: RuleLockDialect | null,
) {
  const { check, virtual } = checkCompilers(field.owner, layout, dialect, locks)
  const compiled = rules.map(({ from, to, who, requirements: needs }) => ({
    from,
    to,
    who: who === undefined ? null : check(who),
    needs: needs.map(({ guard, words }) => ({ check: virtual(guard), words })),
  }))
  return (viewer: BoundViewer): JobTransition[] => {
    const bound = (one: CompiledCheck): BoundCheck =>
      typeof one === 'boolean' ? one : bindRead(one, [], viewer, dialect)
    return compiled.map(({ who, needs, ...rule }) => ({
      ...rule,
      who: who === null ? null : bound(who),
      needs: needs.map(({ check: need, words }) => ({ check: bound(need), words })),
    }))
  }
}

/** `check` compiles a condition on the row of the write, `other` one on another row, and `shown` one that decides only what the viewer may
 *  see; `virtual` one on a row that is not written yet, `hidden` one on a row that may be hidden. */
function checkCompilers(of: Resource, layout: Layout, dialect: Dialect, locks: RuleLockDialect | null) {
  const locked = (judged: JudgedRow, guard: Guard, resource: Resource, compiled: CompiledRead): CompiledRead => {
    const own = locks === null ? [] : compileRuleLocks(guard, resource, judged, layout, dialect, locks)
    return own.length === 0 ? compiled : { ...compiled, locks: own }
  }
  const stored = (judged: JudgedRow | null, guard: Guard | undefined, resource: Resource): CompiledCheck =>
    unlessConstant(guard, (one) => {
      const compiled = compileRowCheck(one, resource, layout, dialect)
      return judged === null ? compiled : locked(judged, one, resource, compiled)
    })
  return {
    check: (guard: Guard | undefined, resource = of): CompiledCheck => stored('locked', guard, resource),
    // The write itself changes a file that it refers to.
    other: (guard: Guard, resource: Resource): CompiledCheck =>
      stored(isFile(resource) ? 'locked' : 'unlocked', guard, resource),
    shown: (guard: Guard, resource = of): CompiledCheck => stored(null, guard, resource),
    virtual: (guard: Guard | undefined): CompiledCheck =>
      unlessConstant(guard, (one) => locked('virtual', one, of, compileVirtualRowCheck(one, of, layout, dialect))),
    hidden: (guard: Guard | undefined): CompiledCheck =>
      unlessConstant(guard, (one) => locked('virtual', one, of, compileHiddenRowCheck(one, of, layout, dialect))),
  }
}

function unlessConstant(guard: Guard | undefined, compile: (guard: Guard) => CompiledRead): CompiledCheck {
  if (guard === undefined) return true
  return guard.kind === 'constant' ? guard.is : compile(guard)
}
