// The rules of one write, as its steps ask them, inside its transaction and before anything is written.

import { ApiError, type Problem } from '#base'
import type { Resource } from '#model'
import { signInRequired } from '#plan'
import { changedTargets, type LinkChange } from '../access/link-change.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { fillId, fillRow } from '../access/stored-row.ts'
import { type Look, map, passed, settle, type Whether } from '../steps/query-step.ts'
import type { Check, JobJudge } from '../steps/write-job.ts'

export class Rules {
  /** What the contract itself gives or makes is judged by no rule. */
  static readonly none = new Rules(null)
  readonly #judge: JobJudge | null
  readonly #isUnknown: boolean

  /** Without a judge everything passes. `isUnknown`: the viewer came without a token. */
  constructor(judge: JobJudge | null, isUnknown = false) {
    this.#judge = judge
    this.#isUnknown = isUnknown
  }

  get areNone(): boolean {
    return this.#judge === null
  }

  /** Whether the viewer came without a token. */
  get isUnknown(): boolean {
    return this.#isUnknown
  }

  /** UPDATE of one field, of the row as it is, beyond what the type says. */
  mayChange(field: string, id: string): Whether {
    return passes(this.#judge?.fields.get(field)?.update, id)
  }

  canRead(id: string): Whether {
    return passes(this.#judge?.read, id)
  }

  /** UPDATE or DELETE, of the row as it is. */
  canTouch(id: string): Whether {
    return passes(this.#judge?.before, id)
  }

  /** Whether the viewer may refer to the row: whoever can't read it can't. */
  canRefer(type: string, id: string): Whether {
    return passes(this.#judge?.targets.get(type), id)
  }

  /** Whether the viewer can read this field of the row as it is. */
  shows(field: string, id: string): Whether {
    return passes(this.#judge?.hidden.get(field), id)
  }

  /** Whether the viewer can read this field on no row. */
  neverShows(field: string): boolean {
    return this.#judge?.hidden.get(field) === false
  }

  /** Whether the viewer can read the row that stands against a delete, and in it the field by which it does. */
  showsReferrer(resource: string, field: string, id: string): Whether {
    return passes(this.#judge?.referrers.get(`${resource}.${field}`), id)
  }

  /** A replace is an update or a create, as the row is there or not: who is unknown, and could be given the one that it is by
   *  no line, is to sign in. */
  requireKnown(action: 'create' | 'update' | 'delete', resource: string): void {
    const check = action === 'create' ? this.#judge?.create : this.#judge?.before
    if (this.#isUnknown && check === false) throw signInRequired(action, resource)
  }

  /** CREATE, of the row as it would be, and of each field that is given. */
  requireCreate(resource: string, row: StoredRow, given: Iterable<string>): Look<void> {
    const judge = this.#judge
    if (judge === null) return passed
    const fields = [...given]
    const each = fields.map((field) => wouldPass(judge.fields.get(field)?.create, row))
    return map(settle([...each, wouldPass(judge.create, row)]), (allowed) => {
      refuseFields(fields.filter((_, index) => !allowed[index]))
      if (!allowed.at(-1)!) throw refused(`You may not create this ${resource}.`)
    })
  }

  /** UPDATE of single fields, by the row as it was. */
  requireFields(given: Iterable<string>, id: string): Look<void> {
    const judge = this.#judge
    if (judge === null) return passed
    const fields = [...given]
    const each = fields.map((field) => passes(judge.fields.get(field)?.update, id))
    return map(settle(each), (allowed) => refuseFields(fields.filter((_, index) => !allowed[index])))
  }

  /** The password of the row as it is. */
  requirePassword(id: string): Look<void> {
    return map(settle([passes(this.#judge?.password, id)]), ([allowed]) => {
      if (!allowed!) throw refused("You may not change another's password.")
    })
  }

  /** UPDATE of the far rows whose lists the write changes, where those rows hold the relation. */
  requireLinks(links: readonly LinkChange[]): Look<void> {
    const judge = this.#judge
    if (judge === null || links.length === 0) return passed
    const far = links.flatMap(({ field, before, after }) =>
      changedTargets(before, after).map(({ id }) => ({ field, id })),
    )
    const each = far.map(({ field, id }) => passes(judge.holders.get(field.name), id))
    return map(settle(each), (allowed) => {
      const refusing = new Set(far.filter((_, index) => !allowed[index]).map(({ field }) => field))
      const problems: Problem[] = [...refusing].map((field) => ({
        path: field.name,
        code: 'READONLY',
        message: `You may not change whom this ${field.to.name} is linked to.`,
      }))
      refuse(problems)
    })
  }

  /** UPDATE, of the row as it would be, and of each field that is touched. */
  requireAfter(resource: string, row: StoredRow, touched: Iterable<string>): Look<void> {
    const judge = this.#judge
    if (judge === null) return passed
    const fields = [...touched]
    const each = fields.map((field) => wouldPass(judge.fields.get(field)?.after, row))
    return map(settle([...each, wouldPass(judge.after, row)]), (allowed) => {
      refuseFields(fields.filter((_, index) => !allowed[index]))
      if (!allowed.at(-1)!) throw refused(`You may change this ${resource}, but no rule allows it as it would be then.`)
    })
  }
}

/** The row that is there. */
export function passes(check: Check | undefined, id: string): Whether {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillId(check, id)
}

/** The row that is not written yet. */
export function wouldPass(check: Check | undefined, row: StoredRow): Whether {
  return check === undefined || typeof check === 'boolean' ? check !== false : fillRow(check, row)
}

export function refuseFields(fields: readonly string[]): void {
  refuse(fields.map((path) => ({ path, code: 'READONLY', message: 'You may not set this field.' })))
}

function refuse(problems: Problem[]): void {
  if (problems.length > 0) throw refused(`You may not set ${problems.map(({ path }) => path).join(', ')}.`, problems)
}

/** The row may be read, and no more; who is unknown is to sign in, where that might help. */
export function mayNot(action: 'update' | 'delete', { name }: Resource, rules: Rules): ApiError {
  rules.requireKnown(action, name)
  return refused(`You may not ${action} this ${name}.`)
}

function refused(message: string, problems: Problem[] = []): ApiError {
  return new ApiError('FORBIDDEN', message, { problems })
}

/** The same answer for a row that does not exist and for one that the viewer can't read. */
export function notThere(resource: Resource, id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no ${resource.name} with the id "${id}".`)
}
