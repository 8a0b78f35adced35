// Writes a portion of an import: all rows of it or none.
//
// 1. A row goes through the same stages as a create of any client: the types and constraints of its fields, references, unique
//    values, hooks, the change log. Access rules do not apply: the operator runs the import.
// 2. A reference to a row that doesn't exist yet is left out if it may be null. The second pass sets it, when all rows exist.
// 3. How far the import has come is stored in the transaction of the rows.

import { ApiError, type Problem } from '#base'
import { systemFor, type Viewer } from '#base/http'
import type { Engine, ServiceEngine, TransactionPart } from '#engine'
import type { Resource } from '#model'
import type { Selection } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import type { InputRow, RowFailure, RowProblem } from '#records'
import { CreatePlans } from './create-plans.ts'
import type { ImportOutcome, ImportPortion } from './import-portion.ts'

export class RowImporter {
  readonly #engine: ServiceEngine
  /** Nothing is read back of an imported row. One list for each type, by which the store knows the statement that it compiled. */
  readonly #nothing = new Map<Resource, Selection[]>()

  constructor(engine: ServiceEngine) {
    this.#engine = engine
  }

  /** `by`: who imports, as the change log names them. */
  async write(portion: ImportPortion, by: string): Promise<ImportOutcome> {
    const of = this.#engine.model.resources.find(({ name }) => name === portion.type)
    if (of === undefined) throw new ApiError('NOT_FOUND', `There is no type ${portion.type}.`)
    const nothing = this.#nothing.get(of) ?? []
    this.#nothing.set(of, nothing)
    return new PortionWriter(portion, of, nothing, this.#engine, systemFor(by, { via: 'twain import' })).write()
  }
}

class PortionWriter {
  readonly #portion: ImportPortion
  readonly #of: Resource
  readonly #nothing: Selection[]
  readonly #engine: ServiceEngine
  readonly #viewer: Viewer
  readonly #failures = new Map<number, RowProblem[]>()
  readonly #waiting = new Map<string, RowProblem>()
  /** Fields that this portion leaves out. */
  readonly #omitted = new Set<string>()
  readonly #creates: CreatePlans

  constructor(portion: ImportPortion, of: Resource, nothing: Selection[], engine: ServiceEngine, viewer: Viewer) {
    this.#portion = portion
    this.#of = of
    this.#nothing = nothing
    this.#engine = engine
    this.#viewer = viewer
    this.#creates = new CreatePlans(of, portion.onConflict, nothing, () => this.#builder(), engine.limits)
  }

  /** Tries until nothing new is found: each try leaves out what the former ones have found. */
  async write(): Promise<ImportOutcome> {
    for (;;) {
      const rows = this.#portion.rows.filter(({ line }) => !this.#failures.has(line))
      const isDryRun = this.#portion.step === null || this.#failures.size > 0
      try {
        const written = await this.#attempt(rows, isDryRun)
        const failures: RowFailure[] = [...this.#failures].map(([line, problems]) => ({ line, problems }))
        failures.sort((a, b) => a.line - b.line)
        return { written: failures.length > 0 ? 0 : written, failures, waiting: [...this.#waiting.values()] }
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500 || !this.#note(error, rows)) throw error
      }
    }
  }

  async #attempt(rows: readonly InputRow[], isDryRun: boolean): Promise<number> {
    const parts = rows.map((row) => this.#part(row)).filter((part) => part !== null)
    const stepAfter = () => {
      const { step, waiting } = this.#portion
      const fields = new Set([...waiting, ...this.#omitted])
      return { ...step!, to: { ...step!.to, waiting: [...fields] } }
    }
    const write = async (inside: Engine) => {
      if (parts.length > 0) await inside.transact(parts, this.#viewer)
      return parts.length
    }
    if (isDryRun && parts.length === 0) return 0
    return this.#engine.importRows(this.#viewer, isDryRun ? null : stepAfter, write)
  }

  /** Null: there is nothing to write of this row. */
  #part({ line, input }: InputRow): TransactionPart | null {
    const { pass, waiting } = this.#portion
    if (pass === 1) return { place: String(line), plan: () => this.#creates.plan(without(input, this.#omitted)) }
    const fields = waiting.filter((name) => (input[name] ?? null) !== null)
    if (fields.length === 0) return null
    const set = Object.fromEntries(fields.map((name) => [name, input[name]]))
    return { place: String(line), plan: () => this.#planUpdate(input.id, set) }
  }

  #planUpdate(id: unknown, input: Record<string, unknown>): ReturnType<TransactionPart['plan']> {
    const builder = this.#builder()
    const of = this.#of
    const row = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id')
    const set = planInput(input, of, 'update', builder, '', false)
    builder.finish(this.#engine.limits)
    const plan = { kind: 'write', action: 'update', of, id: row, set, ifVersion: null, answer: this.#nothing } as const
    return { boundPlan: builder.bind({ ...plan, isImport: true }), isDefaultSelection: true }
  }

  #builder(): PlanBuilder {
    return new PlanBuilder(this.#engine.visibility(this.#viewer), undefined, 0)
  }

  /** Notes the bad rows that the error names. False: it names none that is new. */
  #note(error: ApiError, rows: readonly InputRow[]): boolean {
    const before = this.#failures.size + this.#omitted.size
    const problems = error.problems.length > 0 ? error.problems : [wholeProblem(error)]
    const lines = new Set(rows.map(({ line }) => line))
    for (const { path, code, message } of problems) {
      const [, place, field = ''] = /^(\d+)(?:\.(.*))?$/.exec(path) ?? []
      const line = Number(place)
      if (!lines.has(line)) continue
      const found: RowProblem = { line, path: field, code, message }
      if (this.#mayWait(found, rows)) this.#wait(found)
      else this.#failures.set(line, [...(this.#failures.get(line) ?? []), found])
    }
    return this.#failures.size + this.#omitted.size > before
  }

  /** The second pass finds the row by the id that the file has. */
  #mayWait({ code, path, line }: RowProblem, rows: readonly InputRow[]): boolean {
    if (code !== 'REFERENCE' || this.#portion.pass === 2) return false
    if (rows.find((row) => row.line === line)?.input.id === undefined) return false
    const field = this.#of.fields.get(path.split('.')[0]!)
    return field?.kind === 'links' || (field?.kind === 'reference' && !field.required)
  }

  #wait(problem: RowProblem): void {
    const [name] = problem.path.split('.') as [string]
    this.#omitted.add(name)
    this.#waiting.set(`${problem.line} ${problem.path}`, problem)
  }
}

function wholeProblem({ place, message }: ApiError): Problem {
  const prefix = `${place}: `
  const sentence = message.startsWith(prefix) ? message.slice(prefix.length) : message
  return { path: place ?? '', code: 'READONLY', message: sentence }
}

function without(input: InputRow['input'], omitted: ReadonlySet<string>): Record<string, unknown> {
  if (omitted.size === 0) return input
  return Object.fromEntries(Object.entries(input).filter(([name]) => !omitted.has(name)))
}
