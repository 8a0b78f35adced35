// The rules of one write, as its steps ask them, inside its transaction and before anything is written.

import { ApiError, type Problem } from '#base'
import type { Resource } from '#model'
import { signInRequired } from '#plan'
import { changedTargets, type LinkChange } from '../access/link-change.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { fillId, fillRow } from '../access/stored-row.ts'
import { type Check, evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'
import type { BoundCheck, JobChecks } from '../steps/write-job.ts'

export class WriteRules {
  /** What the contract itself gives or makes is judged by no rule. */
  static readonly unrestricted = new WriteRules(null)
  readonly #checks: JobChecks | null
  readonly #isAnonymous: boolean

  /** Without a judge everything passes. `isUnknown`: the viewer came without a token. */
  constructor(judge: JobChecks | null, isUnknown = false) {
    this.#checks = judge
    this.#isAnonymous = isUnknown
  }

  get isUnrestricted(): boolean {
    return this.#checks === null
  }

  /** Whether the viewer came without a token. */
  get isUnknown(): boolean {
    return this.#isAnonymous
  }

  /** UPDATE of one field, of the row as it is, beyond what the type says. */
  canChangeField(field: string, id: string): Check {
    return checkRow(this.#checks?.fields.get(field)?.update, id)
  }

  canRead(id: string): Check {
    return checkRow(this.#checks?.read, id)
  }

  /** UPDATE or DELETE, of the row as it is. */
  canModify(id: string): Check {
    return checkRow(this.#checks?.before, id)
  }

  /** Whether the viewer may refer to the row: whoever can't read it can't. */
  canReference(type: string, id: string): Check {
    return checkRow(this.#checks?.targets.get(type), id)
  }

  /** Whether the viewer can read this field of the row as it is. */
  canReadField(field: string, id: string): Check {
    return checkRow(this.#checks?.hidden.get(field), id)
  }

  /** Whether the viewer can read this field on no row. */
  isNeverReadable(field: string): boolean {
    return this.#checks?.hidden.get(field) === false
  }

  /** Whether the viewer can read the row that stands against a delete, and in it the field by which it does. */
  canReadReferrer(resource: string, field: string, id: string): Check {
    return checkRow(this.#checks?.referrers.get(`${resource}.${field}`), id)
  }

  /** A replace is an update or a create, as the row is there or not: who is unknown, and could be given the one that it is by
   *  no line, is to sign in. */
  requireSignIn(action: 'create' | 'update' | 'delete', resource: string): void {
    const check = action === 'create' ? this.#checks?.create : this.#checks?.before
    if (this.#isAnonymous && check === false) throw signInRequired(action, resource)
  }

  /** CREATE, of the row as it would be, and of each field that is given. */
  requireCreate(resource: string, row: StoredRow, inputs: Iterable<string>): QueryBatch<void> {
    const judge = this.#checks
    if (judge === null) return ok
    const fields = [...inputs]
    const each = fields.map((field) => checkNewRow(judge.fields.get(field)?.create, row))
    return map(evaluateChecks([...each, checkNewRow(judge.create, row)]), (allowed) => {
      forbidFields(fields.filter((_, index) => !allowed[index]))
      if (!allowed.at(-1)!) throw forbidden(`You may not create this ${resource}.`)
    })
  }

  /** UPDATE of single fields, by the row as it was. */
  requireFieldUpdates(inputs: Iterable<string>, id: string): QueryBatch<void> {
    const judge = this.#checks
    if (judge === null) return ok
    const fields = [...inputs]
    const each = fields.map((field) => checkRow(judge.fields.get(field)?.update, id))
    return map(evaluateChecks(each), (allowed) => forbidFields(fields.filter((_, index) => !allowed[index])))
  }

  /** The password of the row as it is. */
  requirePassword(id: string): QueryBatch<void> {
    return map(evaluateChecks([checkRow(this.#checks?.password, id)]), ([allowed]) => {
      if (!allowed!) throw forbidden("You may not change another's password.")
    })
  }

  /** UPDATE of the far rows whose lists the write changes, where those rows hold the relation. */
  requireLinks(links: readonly LinkChange[]): QueryBatch<void> {
    const judge = this.#checks
    if (judge === null || links.length === 0) return ok
    const far = links.flatMap(({ field, before, after }) =>
      changedTargets(before, after).map(({ id }) => ({ field, id })),
    )
    const each = far.map(({ field, id }) => checkRow(judge.holders.get(field.name), id))
    return map(evaluateChecks(each), (allowed) => {
      const refusing = new Set(far.filter((_, index) => !allowed[index]).map(({ field }) => field))
      const problems: Problem[] = [...refusing].map((field) => ({
        path: field.name,
        code: 'READONLY',
        message: `You may not change whom this ${field.to.name} is linked to.`,
      }))
      forbidAny(problems)
    })
  }

  /** UPDATE, of the row as it would be, and of each field that is touched. */
  requireUpdatedRow(resource: string, row: StoredRow, touched: Iterable<string>): QueryBatch<void> {
    const judge = this.#checks
    if (judge === null) return ok
    const fields = [...touched]
    const each = fields.map((field) => checkNewRow(judge.fields.get(field)?.after, row))
    return map(evaluateChecks([...each, checkNewRow(judge.after, row)]), (allowed) => {
      forbidFields(fields.filter((_, index) => !allowed[index]))
      if (!allowed.at(-1)!)
        throw forbidden(`You may change this ${resource}, but no rule allows it as it would be then.`)
    })
  }
}

/** The row that is there. */
export function checkRow(check: BoundCheck | undefined, id: string): Check {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillId(check, id)
}

/** The row that is not written yet. */
export function checkNewRow(check: BoundCheck | undefined, row: StoredRow): Check {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillRow(check, row)
}

export function forbidFields(fields: readonly string[]): void {
  forbidAny(fields.map((path) => ({ path, code: 'READONLY', message: 'You may not set this field.' })))
}

function forbidAny(problems: Problem[]): void {
  if (problems.length > 0) throw forbidden(`You may not set ${problems.map(({ path }) => path).join(', ')}.`, problems)
}

/** The row may be read, and no more; who is unknown is to sign in, where that might help. */
export function accessDenied(action: 'update' | 'delete', { name }: Resource, rules: WriteRules): ApiError {
  rules.requireSignIn(action, name)
  return forbidden(`You may not ${action} this ${name}.`)
}

function forbidden(message: string, problems: Problem[] = []): ApiError {
  return new ApiError('FORBIDDEN', message, { problems })
}

/** The same answer for a row that does not exist and for one that the viewer can't read. */
export function rowNotFound(resource: Resource, id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no ${resource.name} with the id "${id}".`)
}
