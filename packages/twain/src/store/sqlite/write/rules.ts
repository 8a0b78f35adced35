// The rules of one write, as its steps ask them, inside its transaction and before anything is written.

import { Fault, type Problem } from '#base'
import { signInFirst } from '#plan'
import type { Statements } from '../connection.ts'
import type { Check, JobJudge } from './job.ts'
import { changedTargets, type LinkChange } from './links.ts'
import type { StoredRow } from './table-access.ts'

export class Rules {
  readonly #judge: JobJudge | null
  readonly #statements: Statements
  readonly #isUnknown: boolean

  /** Without a judge everything passes. `isUnknown`: the viewer came without a token. */
  constructor(judge: JobJudge | null, statements: Statements, isUnknown = false) {
    this.#judge = judge
    this.#statements = statements
    this.#isUnknown = isUnknown
  }

  get areNone(): boolean {
    return this.#judge === null
  }

  canRead(id: string): boolean {
    return this.#passes(this.#judge?.read, id)
  }

  /** Whether the viewer may refer to the row: whoever can't read it can't. */
  canRefer(type: string, id: string): boolean {
    return this.#passes(this.#judge?.targets.get(type), id)
  }

  /** Whether the viewer can't read this field of the row as it is. */
  hides(field: string, id: string): boolean {
    return !this.#passes(this.#judge?.hidden.get(field), id)
  }

  /** Whether the viewer can read this field on no row. */
  neverShows(field: string): boolean {
    return this.#judge?.hidden.get(field) === false
  }

  /** Whether the viewer can read the row that stands against a delete, and in it the field by which it does. */
  showsReferrer(resource: string, field: string, id: string): boolean {
    return this.#passes(this.#judge?.referrers.get(`${resource}.${field}`), id)
  }

  /** A replace is an update or a create, as the row is there or not: who is unknown, and could be given the one that it is by
   *  no line, is to sign in. */
  requireKnown(action: 'create' | 'update' | 'delete', resource: string): void {
    const check = action === 'create' ? this.#judge?.create : this.#judge?.before
    if (this.#isUnknown && check === false) throw signInFirst(action, resource)
  }

  /** UPDATE or DELETE, of the row as it is. */
  requireBefore(action: 'update' | 'delete', resource: string, id: string): void {
    this.requireKnown(action, resource)
    if (!this.#passes(this.#judge?.before, id)) throw refused(`You may not ${action} this ${resource}.`)
  }

  /** CREATE, of the row as it would be, and of each field that is given. */
  requireCreate(resource: string, row: StoredRow, given: Iterable<string>): void {
    this.#requireFields(given, (field) => this.#wouldPass(this.#judge?.fields.get(field)?.create, row))
    if (!this.#wouldPass(this.#judge?.create, row)) throw refused(`You may not create this ${resource}.`)
  }

  /** UPDATE of single fields, by the row as it was. */
  requireFields(fields: Iterable<string>, id: string): void {
    this.#requireFields(fields, (field) => this.#passes(this.#judge?.fields.get(field)?.update, id))
  }

  /** The password of the row as it is. */
  requirePassword(id: string): void {
    if (!this.#passes(this.#judge?.password, id)) throw refused("You may not change another's password.")
  }

  /** UPDATE of the far rows whose lists the write changes, where those rows hold the relation. */
  requireLinks(links: readonly LinkChange[]): void {
    const refusing = links.filter(({ field, before, after }) => {
      const check = this.#judge?.holders.get(field.name)
      return changedTargets(before, after).some(({ id }) => !this.#passes(check, id))
    })
    const problems: Problem[] = refusing.map(({ field }) => ({
      path: field.name,
      code: 'READONLY',
      message: `You may not change whom this ${field.to.name} is linked to.`,
    }))
    if (problems.length > 0) throw refused(`You may not set ${problems.map(({ path }) => path).join(', ')}.`, problems)
  }

  /** UPDATE, of the row as it would be, and of each field that is touched. */
  requireAfter(resource: string, row: StoredRow, touched: Iterable<string>): void {
    this.#requireFields(touched, (field) => this.#wouldPass(this.#judge?.fields.get(field)?.after, row))
    if (!this.#wouldPass(this.#judge?.after, row)) throw refused(`You may not make this ${resource} so.`)
  }

  #requireFields(fields: Iterable<string>, passes: (field: string) => boolean): void {
    const problems: Problem[] = [...fields]
      .filter((field) => !passes(field))
      .map((path) => ({ path, code: 'READONLY', message: 'You may not set this field.' }))
    const names = problems.map(({ path }) => path).join(', ')
    if (problems.length > 0) throw refused(`You may not set ${names}.`, problems)
  }

  /** The row that is there. */
  #passes(check: Check | undefined, id: string): boolean {
    if (check === undefined || typeof check === 'boolean') return check !== false
    for (const at of check.idAt) check.parameters[at] = id
    return this.#gives(check)
  }

  /** The row that is not written yet. */
  #wouldPass(check: Check | undefined, row: StoredRow): boolean {
    if (check === undefined || typeof check === 'boolean') return check !== false
    for (const { at, column } of check.columnsAt) {
      check.parameters[at] =
        column === 'id' ? row.id : column === '_version' ? row.version : (row.values.get(column) ?? null)
    }
    return this.#gives(check)
  }

  #gives({ sql, parameters }: Exclude<Check, boolean>): boolean {
    return this.#statements.get(sql).get(...parameters) !== undefined
  }
}

function refused(message: string, problems: Problem[] = []): Fault {
  return new Fault('FORBIDDEN', message, { problems })
}
