// The rules of one write, as its steps ask them, inside its transaction and before anything is written.

import { Fault, type Problem } from '#base'
import type { Statements } from '../sqlite/connection.ts'
import type { Check, JobJudge } from './job.ts'
import { changedTargets, type LinkChange } from './links.ts'
import type { StoredRow } from './table-access.ts'

export class Rules {
  readonly #judge: JobJudge | null
  readonly #statements: Statements

  /** Without a judge everything passes. */
  constructor(judge: JobJudge | null, statements: Statements) {
    this.#judge = judge
    this.#statements = statements
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

  /** UPDATE or DELETE, of the row as it is. */
  requireBefore(action: 'update' | 'delete', resource: string, id: string): void {
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
