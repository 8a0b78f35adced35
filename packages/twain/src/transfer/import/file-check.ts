// What a dry run must know beyond one portion: nothing is stored, so a row of the file does not see the rows before it. This
// remembers their ids and unique values.

import { membersOf, type Resource } from '#model'
import type { InputRow, RowFailure, RowProblem } from '#records'
import type { ImportTarget } from './columns.ts'

export class FileCheck {
  readonly #of: Resource
  readonly #ids = new Map<string, number>()
  readonly #uniques: { names: string[]; lines: Map<string, number> }[]
  /** References to ids that the file has not had so far. */
  readonly #open: { problem: RowProblem; ids: string[] }[] = []

  constructor({ of, onConflict }: Pick<ImportTarget, 'of' | 'onConflict'>) {
    this.#of = of
    const merged = onConflict?.fields.map(({ name }) => name).join() // a later row changes the earlier one
    const unique = of.indexes
      .filter((index) => index.unique)
      .map(({ fields }) => fields.map(({ name }) => name))
      .filter((names) => names.join() !== merged)
    this.#uniques = unique.map((names) => ({ names, lines: new Map() }))
  }

  /** Problems of the rows with those of earlier portions. */
  add(rows: readonly InputRow[]): RowFailure[] {
    const failures: RowFailure[] = []
    const first = rows[0]?.line ?? 0
    for (const { line, input } of rows) {
      const problems: RowProblem[] = []
      const note = (path: string, earlier: number | undefined) => {
        // The service itself finds two rows of one portion.
        if (earlier === undefined || earlier >= first) return
        problems.push({ line, path, code: 'UNIQUE', message: `Line ${earlier} of the file has it already.` })
      }
      if (input.id !== undefined) {
        note('id', this.#ids.get(String(input.id)))
        if (!this.#ids.has(String(input.id))) this.#ids.set(String(input.id), line)
      }
      for (const { names, lines } of this.#uniques) {
        const values = names.map((name) => input[name] ?? null)
        if (values.includes(null)) continue
        const key = JSON.stringify(values)
        note(names.join(', '), lines.get(key))
        if (!lines.has(key)) lines.set(key, line)
      }
      if (problems.length > 0) failures.push({ line, problems })
    }
    return failures
  }

  /** Removes what is no failure in a real import, where the earlier rows of the file exist. */
  withoutKnown(failures: readonly RowFailure[], rows: readonly InputRow[]): RowFailure[] {
    const inputs = new Map(rows.map((row) => [row.line, row.input]))
    const left = failures.map(({ line, problems }) => ({
      line,
      problems: problems.filter((problem) => {
        const target = this.#targets(problem, inputs.get(line))
        return target === null || !target.every((id) => (this.#ids.get(id) ?? line) < line)
      }),
    }))
    return left.filter(({ problems }) => problems.length > 0)
  }

  /** References that would wait for the second pass. */
  wait(waiting: readonly RowProblem[], rows: readonly InputRow[]): void {
    const inputs = new Map(rows.map((row) => [row.line, row.input]))
    for (const problem of waiting) {
      const ids = this.#targets(problem, inputs.get(problem.line))
      const missing = ids?.filter((id) => !this.#ids.has(id)) ?? []
      if (ids === null || missing.length > 0) this.#open.push({ problem, ids: missing })
    }
  }

  /** At the end of the file: references to rows that neither the file nor the database has. */
  finish(): RowFailure[] {
    return this.#open
      .filter(({ ids }) => ids.length === 0 || ids.some((id) => !this.#ids.has(id)))
      .map(({ problem }) => ({ line: problem.line, problems: [problem] }))
  }

  /** The ids that the failed reference names; null if it can't mean rows of this file. */
  #targets({ path, code }: RowProblem, input: InputRow['input'] | undefined): string[] | null {
    const [name] = path.split('.') as [string]
    const field = this.#of.fields.get(name)
    if (code !== 'REFERENCE' || input === undefined) return null
    if (field === undefined || field.kind === 'stored' || !membersOf(field.to).includes(this.#of)) return null
    const value = input[name]
    const ids = Array.isArray(value) ? value : [value]
    return ids.map((id) => String(id).replace(`${this.#of.name}:`, ''))
  }
}
