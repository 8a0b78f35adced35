// What an account takes along (docs/internals/decisions/0095-account-export.md): the rows that rules give it as their owner, page by page.
//
// 1. The account itself and the role admin may read it. Everybody else learns as much as from the row of the account.
// 2. The rules of the reader apply to each row and each field, as in every other read.
// 3. A page has at most as many rows as a page of a list, so that one page at a time is in memory.

import { setImmediate } from 'node:timers/promises'
import { ApiError, neverWhileActing, validationError } from '#base'
import { isAdmin, type RequestCaller, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import { type Account, type Resource, servedResources } from '#model'
import { firstName } from '#model/names'
import { type BoundPlan, type DeletedRows, forbiddenMarker, type PageRead, type RowRead } from '#plan'
import { isPossibleId, type OwnedValues, ownedTypes, planOwnedRows, readCursor, writeCursor } from '#plan/build'
import { signInFirst } from '../auth-errors.ts'

/** Of a list of files in one row. */
const maxFiles = 1000

export interface ExportRequest {
  /** The id of the account. */
  id: string
  first: number
  /** The cursor of the last row; null starts at the beginning. */
  after: string | null
  /** The place of `after` in the request. */
  place: string
  deleted: DeletedRows['rows'] | null
  viewer: Viewer
  caller: RequestCaller | undefined
  /** Called with each plan before it is executed. */
  onPlan(boundPlan: BoundPlan): void
}

export interface AccountExportPage {
  rows: { row: Record<string, unknown>; cursor: string }[]
  hasNextPage: boolean
}

export class AccountExport {
  readonly #engine: Engine
  readonly #account: Account
  readonly #types: readonly Resource[]
  /** By the class of viewers, and what else changes the plan. */
  readonly #plans = new Map<string, PageRead>()

  constructor(engine: Engine, account: Account) {
    this.#engine = engine
    this.#account = account
    this.#types = ownedTypes(servedResources(engine.model), engine.model)
  }

  async page(request: ExportRequest): Promise<AccountExportPage> {
    const { id, first, after } = request
    await this.#admit(request)
    const start = after === null ? { at: 0, behind: '' } : this.#positionOf(after, request)
    const rows: AccountExportPage['rows'] = []
    for (let { at, behind } = start; at < this.#types.length && rows.length <= first; at++, behind = '') {
      const of = this.#types[at]!
      const found = await this.#rows(of, behind, first + 1 - rows.length, request)
      rows.push(...found.map((row) => ({ row, cursor: this.#cursorOf(of, row, id) })))
      await setImmediate() // a fast client must not starve other requests
    }
    return { rows: rows.slice(0, first), hasNextPage: rows.length > first }
  }

  async #admit(request: ExportRequest): Promise<void> {
    const { id, viewer, after } = request
    if (!viewer.authenticated) throw signInFirst()
    if (viewer.acting !== undefined) throw neverWhileActing('take the data of an account along')
    const isOwn = viewer.account === id
    const mayExport = isOwn || isAdmin(viewer)
    if (isOwn || (mayExport && after !== null)) return
    const { name } = this.#account.resource
    if (!(await this.#isReadable(request))) {
      throw new ApiError('NOT_FOUND', `There is no ${name} with the id "${id}".`)
    }
    if (mayExport) return
    throw new ApiError('FORBIDDEN', `You may not export what belongs to another ${name}.`, {
      hint: `The ${name} itself may, and the role admin.`,
    })
  }

  async #isReadable(request: ExportRequest): Promise<boolean> {
    if (!isPossibleId(request.id)) return false
    if (request.deleted !== null && this.#account.resource.softDelete !== undefined) {
      const rows = await this.#rows(this.#account.resource, '', 1, { ...request, deleted: 'with' })
      if (rows.length > 0) return true
    }
    const { viewer, caller, id } = request
    const plan: RowRead = { kind: 'one', of: this.#account.resource, id: idParameter, selections: [] }
    const found = await this.#engine.execute({ plan, values: [id], places: ['id'] }, viewer, { ...options, caller })
    return found.kind === 'one' && found.text !== null
  }

  async #rows(of: Resource, behind: string, limit: number, request: ExportRequest): Promise<Record<string, unknown>[]> {
    const { id, viewer, caller } = request
    const values: OwnedValues = [limit, 0, behind, id, maxFiles]
    const boundPlan = { plan: this.#planOf(of, request), values, places: values.map(() => 'id') }
    request.onPlan(boundPlan)
    const result = await this.#engine.execute(boundPlan, viewer, { ...options, caller })
    if (result.kind !== 'many') throw new Error(`a page answered with ${result.kind}`)
    return forbiddenMarker.isIn(result.text)
      ? (forbiddenMarker.replaceIn(result.text, () => undefined) as Record<string, unknown>[])
      : (JSON.parse(result.text) as Record<string, unknown>[])
  }

  #planOf(of: Resource, { id, viewer, deleted }: ExportRequest): PageRead {
    const visibility = this.#engine.visibility(viewer)
    const isOwn = viewer.account === id
    const key = `${of.name} ${isOwn} ${deleted}\n${visibility.key}`
    const known = this.#plans.get(key)
    if (known !== undefined) return known
    const plan = planOwnedRows({ of, account: this.#account, isOwn, deleted }, visibility)
    if (this.#plans.size < maxPlanCount) this.#plans.set(key, plan)
    return plan
  }

  #cursorOf(of: Resource, row: Record<string, unknown>, id: string): string {
    return writeCursor(cursorName(this.#account, id), JSON.stringify([firstName(of), row.id]))
  }

  #positionOf(after: string, { id, place }: ExportRequest): { at: number; behind: string } {
    const [type, behind] = readCursor(cursorName(this.#account, id), after) ?? []
    const at = this.#types.findIndex((of) => firstName(of) === type)
    if (at >= 0 && typeof behind === 'string') return { at, behind }
    const message = 'is not a cursor of this export; pass "endCursor" unchanged.'
    throw validationError([{ path: place, code: 'TYPE', message }])
  }
}

/** Of one node; classes of viewers are few. */
const maxPlanCount = 1000

const idParameter = { index: 0, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const

/** The plans are made here, so that limits of depth and cost do not apply. */
const options = { isDefaultSelection: true } as const

/** What cursors of an export belong to. */
function cursorName({ resource }: Account, id: string): string {
  return `${firstName(resource)}(_export ${id})`
}
