// Builds the job of a write from its plan. The rules are compiled once for each set of checks.

import { currentTraceparent } from '#base'
import { actorOf, isSystem, type Viewer } from '#base/http'
import type { Resource } from '#model'
import {
  type AccountLock,
  type BulkWrite,
  type Confirmation,
  isGuest,
  isSetField,
  isSetList,
  type KeyPart,
  type ListChecks,
  type PageRead,
  type Parameter,
  type Preconditions,
  type Reversion,
  type Selection,
  type SetField,
  type SetList,
  type SetMember,
  type StateTransitions,
  type WriteChecks,
  type WritePlan,
} from '#plan'
import { type BoundRead, type BoundViewer, bindRead } from '../sql/bind.ts'
import type { Dialect } from '../sql/dialect.ts'
import { type CompiledRead, compileReadBack, compileReadBacks } from '../sql/read.ts'
import { compileRowsCheck } from '../sql/row-check.ts'
import type { RuleLockDialect } from '../sql/rule-locks.ts'
import { compileVersionRead, versionParameter } from '../sql/version-read.ts'
import type { Layout } from '../tables/layout.ts'
import type { WriteOptions } from './open-transaction.ts'
import {
  type CompiledChecks,
  type CompiledTransitions,
  compileChecks,
  compileGuard,
  compileTransitions,
} from './rules/compile-checks.ts'
import type {
  BatchJob,
  BoundCheck,
  BulkJob,
  JobChecks,
  JobField,
  JobKey,
  JobList,
  JobPreconditions,
  JobReversion,
  JobRow,
  JobTransition,
  JobTransitions,
  WriteJob,
} from './steps/write-job.ts'

export class WriteJobBuilder {
  readonly #layout: Layout
  readonly #dialect: Dialect
  readonly #locks: RuleLockDialect | null
  readonly #checks = new WeakMap<WriteChecks, CompiledChecks>()
  readonly #guards = new WeakMap<ListChecks, (viewer: BoundViewer) => BoundCheck>()
  readonly #transitions = new WeakMap<StateTransitions[], CompiledTransitions>()
  readonly #readBacks = new WeakMap<readonly Selection[], CompiledRead>()
  readonly #severalReadBacks = new WeakMap<readonly Selection[], CompiledRead>()
  readonly #matches = new WeakMap<PageRead, CompiledRead>()
  readonly #versions = new WeakMap<Reversion['fields'], CompiledRead>()
  #compiled = 0

  /** `locks`: how the rows that rules read are locked; null: they need no locks. */
  constructor(layout: Layout, dialect: Dialect, locks: RuleLockDialect | null) {
    this.#layout = layout
    this.#dialect = dialect
    this.#locks = locks
  }

  /** How many statements were compiled so far. */
  get compiled(): number {
    return this.#compiled
  }

  /** `readBack` reads the written row: the result of `compileReadBack`, or a shorter statement. */
  build(plan: WritePlan, values: readonly unknown[], readBack: CompiledRead | null, viewer: Viewer): WriteJob {
    const { account, authenticated, token } = viewer
    return {
      kind: 'write',
      action: plan.action,
      resource: plan.of.name,
      id: plan.id === null ? null : (values[plan.id.index] as string),
      key: plan.key === undefined ? null : jobKey(plan.key, values),
      idSeed: null,
      ...this.#row(plan.set, values, viewer),
      update: plan.update === undefined || plan.update.length === 0 ? null : this.#row(plan.update, values, viewer),
      revert: plan.revert === undefined ? null : this.#bindReversion(plan.revert, plan.of, values, viewer),
      ifVersion: plan.ifVersion === null ? null : (values[plan.ifVersion.index] as number),
      preconditions: plan.preconditions === undefined ? null : bindPreconditions(plan.preconditions, values),
      readBack: readBack === null ? null : bindRead(readBack, values, viewer, this.#dialect),
      viewer: {
        account,
        authenticated,
        token,
        isGuest: isGuest(this.#layout.account, viewer),
        ...(viewer.acting && !isSystem(viewer) && { isActing: true as const }),
        by: actorOf(viewer),
        via: viewer.via ?? null,
        trace: currentTraceparent(),
        ...(viewer.claims && { claims: viewer.claims.values }),
      },
      password: passwordOf(plan, values),
      confirmation:
        plan.currentPassword === undefined ? null : (values[plan.currentPassword.index] as Confirmation | null),
      identity: plan.identity ?? null,
      proof: plan.proof ?? lockOf(plan, values),
      signUp: plan.signUp ?? null,
      checks: this.#bindChecks(plan, viewer),
      idempotencyKey: null,
      isAsync: false,
      isImport: plan.isImport === true,
      transitions: plan.states === undefined ? null : this.#bindTransitions(plan, plan.states, viewer),
    }
  }

  /** The jobs of several writes. What they have in common is one object: the jobs may cross to another thread. */
  buildBatch(
    writes: readonly { plan: WritePlan; values: readonly unknown[] }[],
    build: (plan: WritePlan, values: readonly unknown[]) => WriteJob,
    viewer: Viewer,
  ): Pick<BatchJob, 'jobs' | 'readBacks'> {
    const jobs = writes.map(({ plan, values }) => build(plan, values))
    const [first] = writes
    if (first === undefined || jobs.length < 2) return { jobs, readBacks: null }
    for (const [index, job] of jobs.entries()) {
      job.viewer = jobs[0]!.viewer
      const { checks, answer } = writes[index]!.plan
      if (checks === first.plan.checks) job.checks = jobs[0]!.checks
      if (answer === first.plan.answer && answer.length === 0) job.readBack = jobs[0]!.readBack
    }
    return { jobs, readBacks: this.#readBacksOf(writes, viewer) }
  }

  /** One statement for all rows, if the writes create rows of one type and select the same of each. */
  #readBacksOf(
    writes: readonly { plan: WritePlan; values: readonly unknown[] }[],
    viewer: Viewer,
  ): BatchJob['readBacks'] {
    const { plan, values } = writes[0]!
    const isSame = writes.every(
      (one) =>
        one.plan.action === 'create' &&
        one.plan.answer === plan.answer &&
        (one.values === values || plan.answer.length === 0), // it has no values then
    )
    if (!isSame) return null
    if (plan.answer.length === 0) return 'nothing'
    let compiled = this.#severalReadBacks.get(plan.answer)
    if (compiled === undefined) {
      compiled = compileReadBacks(plan.of, plan.answer, this.#layout, this.#dialect)
      this.#compiled++
      this.#severalReadBacks.set(plan.answer, compiled)
    }
    return bindRead(compiled, values, viewer, this.#dialect)
  }

  /** `values` has the ids of the rows. */
  buildBulk(
    { write, match, ids }: BulkWrite,
    values: readonly unknown[],
    { idempotencyKey = null, isAsync = false }: WriteOptions,
    viewer: Viewer,
  ): BulkJob {
    let check = this.#matches.get(match)
    if (check === undefined) {
      check = compileRowsCheck(match.where, write.of, this.#layout, this.#dialect)
      this.#compiled++
      this.#matches.set(match, check)
    }
    return {
      kind: 'bulk',
      write: { ...this.build(write, values, this.compileReadBack(write), viewer), isAsync },
      ids: values[ids.index] as string[],
      match: bindRead(check, values, viewer, this.#dialect),
      idempotencyKey,
    }
  }

  #bindReversion(revert: Reversion, of: Resource, values: readonly unknown[], viewer: BoundViewer): JobReversion {
    let compiled = this.#versions.get(revert.fields)
    if (compiled === undefined) {
      compiled = compileVersionRead(revert, of, this.#layout, this.#dialect)
      this.#compiled++
      this.#versions.set(revert.fields, compiled)
    }
    const version = values[revert.version.index] as number
    const bound: unknown[] = []
    bound[versionParameter.index] = version
    return { version, read: bindRead(compiled, bound, viewer, this.#dialect) }
  }

  /** The statement that reads the written row; null for a delete. */
  compileReadBack({ of, action, answer: selection }: WritePlan): CompiledRead | null {
    if (action === 'delete' || action === 'purge') return null
    const cached = this.#readBacks.get(selection)
    if (cached !== undefined) return cached
    const compiled = compileReadBack(of, selection, this.#layout, this.#dialect)
    this.#compiled++
    this.#readBacks.set(selection, compiled)
    return compiled
  }

  bindReadBack(plan: WritePlan, values: readonly unknown[], viewer: BoundViewer): BoundRead | null {
    const compiled = this.compileReadBack(plan)
    return compiled === null ? null : bindRead(compiled, values, viewer, this.#dialect)
  }

  /** The values of the row itself and of the rows that are written along with it. */
  #row(set: readonly SetMember[], values: readonly unknown[], viewer: BoundViewer): JobRow {
    const row: JobRow = { set: [], rows: [], lists: [] }
    for (const member of set) {
      if (isSetField(member)) row.set.push(jobField(member, values))
      else if (isSetList(member)) row.lists.push(this.#list(member, values, viewer))
      else {
        const { field, rows, checks } = member
        row.rows.push({
          field: field.name,
          checks: this.#bindChecks({ of: field.to, action: 'create', checks }, viewer),
          rows: rows.map((one) => this.#row(one, values, viewer)),
        })
      }
    }
    return row
  }

  #list(list: SetList, values: readonly unknown[], viewer: BoundViewer): JobList {
    const of = list.field.to as Resource
    const { checks, states } = list
    const ids = (parameter: Parameter | null) => (parameter === null ? [] : (values[parameter.index] as string[]))
    const bind = (action: 'create' | 'update' | 'delete', own: WriteChecks) =>
      this.#compiledChecks({ of, action }, own)(viewer)
    return {
      field: list.field.name,
      disconnect: ids(list.disconnect),
      delete: ids(list.delete),
      connect: ids(list.connect),
      update: list.update.map(({ id, set }) => ({
        ...this.#row(set, values, viewer),
        id: values[id.index] as string,
        transitions: states === undefined ? null : this.#bindTransitions({ action: 'update', set }, states, viewer),
      })),
      create: list.create.map((row) => this.#row(row, values, viewer)),
      checks:
        checks === undefined
          ? null
          : {
              create: bind('create', checks.create),
              update: bind('update', checks.update),
              delete: bind('delete', checks.delete),
              list: this.#bindGuard(checks, list.field.owner, viewer),
            },
    }
  }

  /** READ and UPDATE of a list, on the row that has it. */
  #bindGuard(checks: ListChecks, of: Resource, viewer: BoundViewer): BoundCheck {
    if (checks.list === undefined) return true
    const compiled = this.#guards.get(checks) ?? compileGuard(checks.list, of, this.#layout, this.#dialect, this.#locks)
    this.#guards.set(checks, compiled)
    return compiled(viewer)
  }

  #bindChecks(write: CheckedWrite, viewer: BoundViewer): JobChecks | null {
    return write.checks === undefined ? null : this.#compiledChecks(write, write.checks)(viewer)
  }

  /** An update needs the transitions of the fields that it sets. */
  #bindTransitions(
    { action, set: created, update, revert }: Pick<WritePlan, 'action' | 'set' | 'update' | 'revert'>,
    states: StateTransitions[],
    viewer: BoundViewer,
  ): JobTransitions {
    const named = new Map<string, JobTransition[]>()
    if (states.length === 0 || !changesStates.has(action)) return named
    const set = revert === undefined ? (update ?? created) : states
    for (const { field } of set) {
      if (!('stateMachine' in field)) continue
      named.set(field.name, this.#compiledTransitions(states).get(field.name)!(viewer))
    }
    return named
  }

  #compiledTransitions(states: StateTransitions[]): CompiledTransitions {
    const cached = this.#transitions.get(states)
    if (cached !== undefined) return cached
    const compiled = compileTransitions(states, this.#layout, this.#dialect, this.#locks)
    this.#transitions.set(states, compiled)
    return compiled
  }

  #compiledChecks(plan: CheckedWrite, checks: WriteChecks): CompiledChecks {
    const cached = this.#checks.get(checks)
    if (cached !== undefined) return cached
    const compiled = compileChecks(checks, plan, this.#layout, this.#dialect, this.#locks)
    this.#compiled++
    this.#checks.set(checks, compiled)
    return compiled
  }
}

/** A create has only initial states. */
const changesStates: ReadonlySet<WritePlan['action']> = new Set(['update', 'replace', 'upsert'])

/** A write, or its new children, with the checks that restrict it. */
interface CheckedWrite {
  of: WritePlan['of']
  action: WritePlan['action']
  checks?: WriteChecks | undefined
}

/** The hash: of the password in the request, or of that of an earlier one. */
function passwordOf({ password, signUp }: WritePlan, values: readonly unknown[]): string | null {
  if (password !== undefined) return values[password.index] as string
  return signUp === undefined || signUp === 'rehearsal' ? null : signUp.password
}

function jobKey(key: readonly KeyPart[], values: readonly unknown[]): JobKey {
  return {
    fields: key.map(({ field }) => field.name),
    values: key.map(({ parameter }) => values[parameter.index]),
  }
}

function jobField({ field, parameter, change }: SetField, values: readonly unknown[]): JobField {
  const merge = parameter.accepts.kind === 'field' && parameter.accepts.merge
  return { field: field.name, value: values[parameter.index], merge, change }
}

function bindPreconditions(
  { presence, versions, otherVersions, unmodified }: Preconditions,
  values: readonly unknown[],
): JobPreconditions {
  return {
    presence: presence ?? null,
    versions: versions === undefined ? null : (values[versions.index] as number[]),
    otherVersions: otherVersions === undefined ? null : (values[otherVersions.index] as number[]),
    unmodified:
      unmodified === undefined ? null : { by: unmodified.by.name, since: values[unmodified.since.index] as string },
  }
}

function lockOf({ locked }: WritePlan, values: readonly unknown[]): AccountLock | null {
  return locked === undefined ? null : { kind: 'lock', locked: values[locked.index] === true }
}
