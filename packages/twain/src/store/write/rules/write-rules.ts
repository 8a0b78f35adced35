// The rules of one write. Its steps check them inside the transaction, before anything is written.

import { ApiError, type DeniedRight, type Problem } from '#base'
import { labelOf, type Resource, type StoredField } from '#model'
import { signInRequired } from '#plan'
import { printKey } from '#plan/build'
import { changedTargets, type LinkChange } from '../access/link-access.ts'
import { fillId, fillRow, type StoredRow } from '../access/stored-row.ts'
import { type Check, evaluateChecks, map, ok, type QueryBatch } from '../steps/query-step.ts'
import type { BoundCheck, JobChecks, JobKey } from '../steps/write-job.ts'

export class WriteRules {
  /** For rows and values that come from the schema itself: no rule restricts them. */
  static readonly unrestricted = new WriteRules(null)
  readonly #checks: JobChecks | null
  readonly #isAnonymous: boolean

  /** Null checks: everything is allowed. `isAnonymous`: the request had no token. */
  constructor(checks: JobChecks | null, isAnonymous = false) {
    this.#checks = checks
    this.#isAnonymous = isAnonymous
  }

  get isUnrestricted(): boolean {
    return this.#checks === null
  }

  /** Whether the request had no token. */
  get isAnonymous(): boolean {
    return this.#isAnonymous
  }

  /** UPDATE of one field, by the row before the write, beyond the rules of the type. */
  canChangeField(field: string, id: string): Check {
    return checkRow(this.#checks?.fields.get(field)?.update, id)
  }

  canRead(id: string): Check {
    return checkRow(this.#checks?.read, id)
  }

  /** UPDATE or DELETE, by the row before the write. */
  canModify(id: string): Check {
    return checkRow(this.#checks?.before, id)
  }

  /** DELETE and READ of a row that may be hidden: reads by id would not find it. */
  canPurge(row: StoredRow): [allowed: Check, readable: Check] {
    return [checkNewRow(this.#checks?.before, row), checkNewRow(this.#checks?.read, row)]
  }

  /** Whether the viewer may reference the row: only readable rows can be referenced. */
  canReference(type: string, id: string): Check {
    return checkRow(this.#checks?.targets.get(type), id)
  }

  /** Whether the viewer can see the row. Nothing is written by it, so nothing is locked. */
  canSee(type: string, id: string): Check {
    const check = this.canReference(type, id)
    return typeof check === 'boolean' ? check : { sql: check.sql, parameters: check.parameters }
  }

  /** Whether the viewer can read this field of the stored row. */
  canReadField(field: string, id: string): Check {
    return checkRow(this.#checks?.hidden.get(field), id)
  }

  /** Whether the viewer can read this field on no row. */
  isNeverReadable(field: string): boolean {
    return this.#checks?.hidden.get(field) === false
  }

  /** Whether the viewer can read the row that blocks a delete, and its reference field. */
  canReadReferrer(resource: string, field: string, id: string): Check {
    return checkRow(this.#checks?.referrers.get(`${resource}.${field}`), id)
  }

  /** What messages call a row of the type; null: nothing that the viewer could read. */
  labelOf(resource: Resource): StoredField | null {
    const own = this.#checks?.labels?.get(resource.name)
    if (own === undefined) return labelOf(resource)
    return own.field === null ? null : (resource.fields.get(own.field) as StoredField)
  }

  /** Whether the viewer can read the label of a row that they can read. */
  canReadLabel(resource: Resource, id: string): Check {
    return checkRow(this.#checks?.labels?.get(resource.name)?.readable, id)
  }

  /** A replace is an update or a create. An anonymous viewer gets 401 if no rule could grant that action. */
  requireSignIn(action: 'create' | 'update' | 'delete', resource: string): void {
    const check = action === 'create' ? this.#checks?.create : this.#checks?.before
    if (this.#isAnonymous && check === false) throw signInRequired(action, resource)
  }

  /** CREATE, by the new row, and of each field that is set. */
  requireCreate(resource: string, row: StoredRow, set: Iterable<string>): QueryBatch<void> {
    const checks = this.#checks
    if (checks === null) return ok
    const fields = [...set]
    const each = fields.map((field) => checkNewRow(checks.fields.get(field)?.create, row))
    return map(evaluateChecks([...each, checkNewRow(checks.create, row)], 'row'), (allowed) => {
      forbidFields(
        fields.filter((_, index) => !allowed[index]),
        'CREATE',
      )
      if (!allowed.at(-1)!) throw forbidden(`You may not create this ${resource}.`, 'CREATE')
    })
  }

  /** UPDATE of single fields, by the row before the write. */
  requireFieldUpdates(set: Iterable<string>, id: string): QueryBatch<void> {
    const checks = this.#checks
    if (checks === null) return ok
    const fields = [...set]
    const each = fields.map((field) => checkRow(checks.fields.get(field)?.update, id))
    return map(evaluateChecks(each, 'row'), (allowed) => forbidFields(fields.filter((_, index) => !allowed[index])))
  }

  /** UPDATE of the password, by the row before the write. */
  requirePassword(id: string): QueryBatch<void> {
    return map(evaluateChecks([checkRow(this.#checks?.password, id)], 'row'), ([allowed]) => {
      if (!allowed!) throw forbidden("You may not change another's password.", 'UPDATE')
    })
  }

  /** UPDATE of the rows on the other side of the changed links, where those rows hold the relation. */
  requireLinks(links: readonly LinkChange[]): QueryBatch<void> {
    const checks = this.#checks
    if (checks === null || links.length === 0) return ok
    const far = links.flatMap(({ field, before, after }) =>
      changedTargets(before, after).map(({ id }) => ({ field, id })),
    )
    const each = far.map(({ field, id }) => checkRow(checks.holders.get(field.name), id))
    return map(evaluateChecks(each, 'row'), (allowed) => {
      const refusing = new Set(far.filter((_, index) => !allowed[index]).map(({ field }) => field))
      const problems: Problem[] = [...refusing].map((field) => ({
        path: field.name,
        code: 'READONLY',
        message: `You may not change whom this ${field.to.name} is linked to.`,
      }))
      forbidAny(problems, 'UPDATE')
    })
  }

  /** UPDATE, by the row after the write, and of each changed field. */
  requireUpdatedRow(resource: string, row: StoredRow, touched: Iterable<string>): QueryBatch<void> {
    const checks = this.#checks
    if (checks === null) return ok
    const fields = [...touched]
    const each = fields.map((field) => checkNewRow(checks.fields.get(field)?.after, row))
    return map(evaluateChecks([...each, checkNewRow(checks.after, row)], 'row'), (allowed) => {
      forbidFields(fields.filter((_, index) => !allowed[index]))
      if (!allowed.at(-1)!)
        throw forbidden(`You may change this ${resource}, but no rule allows it as it would be then.`, 'UPDATE')
    })
  }
}

/** The check for a stored row. */
export function checkRow(check: BoundCheck | undefined, id: string): Check {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillId(check, id)
}

/** The check for a row that is not written yet. */
export function checkNewRow(check: BoundCheck | undefined, row: StoredRow): Check {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillRow(check, row)
}

export function forbidFields(fields: readonly string[], denied: DeniedRight = 'UPDATE'): void {
  forbidAny(
    fields.map((path) => ({ path, code: 'READONLY', message: 'You may not set this field.' })),
    denied,
  )
}

function forbidAny(problems: Problem[], denied: DeniedRight): void {
  if (problems.length === 0) return
  throw forbidden(`You may not set ${problems.map(({ path }) => path).join(', ')}.`, denied, problems)
}

export function forbidden(message: string, deniedRight: DeniedRight, problems: Problem[] = []): ApiError {
  return new ApiError('FORBIDDEN', message, { problems, deniedRight })
}

/** The same answer for a row that does not exist and for one that the viewer can't read. */
export function rowNotFound(
  resource: Resource,
  { id, key = null }: { id: string | null; key?: JobKey | null },
): ApiError {
  const by = key === null ? `the id "${id}"` : printKey(key.fields, key.values)
  return new ApiError('NOT_FOUND', `There is no ${resource.name} with ${by}.`)
}
