// Reads the rows of a type for a file, page by page in the order of their ids. Access rules do not apply.

import { ApiError } from '#base'
import { system } from '#base/http'
import type { Engine } from '#engine'
import { isFile, type LinksField, membersOf, type Resource, type StoredType } from '#model'
import type { PageRead, Parameter, Selection, TypeSelection } from '#plan'
import { allValueFields, PlanBuilder, planOrder, valueTypeIn } from '#plan/build'
import { exportedFields } from '../exported-fields.ts'

const pageRows = 500

/** More links than a row can have. */
const allLinks = 2 ** 31 - 1

const whole: StoredType = { kind: 'scalar', name: 'Int' }

export interface ExportPage {
  rows: Record<string, unknown>[]
  /** The id behind which the next page begins; null: this is the last one. */
  next: string | null
}

export class RowExporter {
  readonly #engine: Engine
  readonly #plans = new Map<Resource, PageRead>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** `after`: the last id of the page before; empty at the beginning. */
  async page(type: string, after: string): Promise<ExportPage> {
    const of = this.#typeNamed(type)
    const plan = this.#plans.get(of) ?? planPage(of)
    this.#plans.set(of, plan)
    const values = [pageRows, 0, after, allLinks]
    const places = values.map(() => '')
    const result = await this.#engine.execute({ plan, values, places }, system, {
      isDefaultSelection: true,
      fresh: true,
    })
    if (result.kind !== 'many') throw new Error(`a page answered with ${result.kind}`)
    const rows = (JSON.parse(result.text) as Record<string, unknown>[]).map((row) => withLinkedIds(row, of))
    return { rows, next: rows.length < pageRows ? null : String(rows.at(-1)!.id) }
  }

  #typeNamed(type: string): Resource {
    const { resources, file } = this.#engine.model
    const of = file !== null && isFile({ name: type }) ? file.resource : resources.find(({ name }) => name === type)
    if (of === undefined) throw new ApiError('NOT_FOUND', `There is no type ${type}.`)
    return of
  }
}

/** The limits of a page do not hold here, so that its parameters are plain numbers. */
function planPage(of: Resource): PageRead {
  const builder = new PlanBuilder()
  const [limit, offset] = [0, 1].map((index): Parameter => ({ index, accepts: { kind: 'type', type: whole } }))
  const links: Parameter = { index: 3, accepts: { kind: 'type', type: whole } }
  const id = of.fields.get('id')!
  if (id.kind !== 'stored') throw new Error('an id is stored')
  const after: Parameter = { index: 2, accepts: { kind: 'type', type: id.type } }
  const list = (to: Resource | LinksField['to'], most: Parameter, types: TypeSelection[]): PageRead => ({
    kind: 'many',
    of: to,
    within: null,
    where: null,
    order: planOrder([], to, builder),
    page: { kind: 'offset', limit: most, offset: offset! },
    shape: { kind: 'list', types },
  })
  const selections = exportedFields(of).map((field): Selection => {
    const key = field.name
    if (field.kind === 'reference') return { kind: 'id', key, field }
    if (field.kind === 'links') return { kind: 'many', key, field, read: list(field.to, links, linkedTypes(field)) }
    const value = valueTypeIn(field.type)
    return value === null
      ? { kind: 'field', key, field }
      : { kind: 'value', key, field, selections: allValueFields(value) }
  })
  return {
    ...list(of, limit!, [{ of, selections }]),
    where: { kind: 'compare', target: { kind: 'target', field: id, inside: [] }, op: 'gt', parameter: after },
  }
}

function linkedTypes(field: LinksField): TypeSelection[] {
  return membersOf(field.to).map((of) => {
    const id = of.fields.get('id')!
    if (id.kind !== 'stored') throw new Error('an id is stored')
    const type = { kind: 'constant', key: 'type', value: of.name } as const
    return { of, selections: [type, { kind: 'field', key: 'id', field: id }] }
  })
}

/** Links as the ids that a write takes. */
function withLinkedIds(row: Record<string, unknown>, of: Resource): Record<string, unknown> {
  for (const field of exportedFields(of)) {
    if (field.kind !== 'links') continue
    const linked = row[field.name] as { type: string; id: string }[]
    row[field.name] = linked.map(({ type, id }) => (field.to.kind === 'abstract' ? `${type}:${id}` : id))
  }
  return row
}
