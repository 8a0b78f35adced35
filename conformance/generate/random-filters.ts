// Random filters with every operator, nested and through relations, and random orders.

import type { Draw } from './draw.ts'
import type { FieldSketch, Oracle, Order, TypeSketch, Where } from './oracle.ts'
import { drawLeaf } from './random-rows.ts'

const equality = ['eq', 'ne', 'in', 'notIn', 'isNull']
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte', 'between']
const onTexts = ['contains', 'startsWith', 'endsWith', 'ieq', 'icontains', 'istartsWith', 'iendsWith']

export function drawWhere(draw: Draw, oracle: Oracle, type: TypeSketch, depth = 3): Where {
  const way = depth === 0 ? 'atom' : draw.one(['atom', 'atom', 'and', 'or', 'not', 'two'])
  if (way === 'not') return { not: drawWhere(draw, oracle, type, depth - 1) }
  if (way === 'and' || way === 'or') {
    const parts = draw.many(1, 3, () => drawWhere(draw, oracle, type, depth - 1))
    return { [way]: parts }
  }
  const types = type === oracle.sketch.common ? ['_type', ...oracle.sketch.types.map(({ name }) => name)] : []
  const names = draw.some(['id', ...types, ...type.fields.map(({ name }) => name)], 1, way === 'two' ? 2 : 1)
  return Object.fromEntries(names.map((name) => [name, drawTests(draw, oracle, type, name, depth)]))
}

export function drawOrder(draw: Draw, oracle: Oracle, type: TypeSketch): Order[] {
  const paths = draw.many(0, 3, () => drawPath(draw, oracle, type, 3))
  const different = new Map(paths.map((path) => [path.join(), path]))
  return [...different.values()].map((path) => path.reduceRight<Order | string>(wrap, direction()) as Order)

  function direction(): string {
    return draw.flip() ? 'ASC' : 'DESC'
  }
}

function wrap(inner: Order | string, name: string): Order {
  return { [name]: inner } as Order
}

/** A field of the row, of a row that it refers to, or the number of rows in a list. */
function drawPath(draw: Draw, oracle: Oracle, type: TypeSketch, depth: number): string[] {
  const sortable = type.fields.filter((field) => field.kind === 'scalar' && field.type !== 'JSON')
  const ways = type.fields.filter(({ kind }) => kind === 'reference' || kind === 'many' || kind === 'links')
  if (depth === 0 || ways.length === 0 || draw.flip()) return [draw.one(['id', ...sortable.map(({ name }) => name)])]
  const way = draw.one(ways)
  if (way.kind !== 'reference') return [way.name, 'count']
  return [way.name, ...drawPath(draw, oracle, oracle.type(way.to), depth - 1)]
}

/** Words of the generated texts, often cut off; null where the type has no searched field. */
export function drawSearch(draw: Draw, oracle: Oracle, type: TypeSketch): string | null {
  if (!oracle.isSearchable(type.name) || draw.between(0, 2) === 0) return null
  const pieces = draw.many(1, 2, () => String(drawLeaf(draw, oracle.sketch, 'String')))
  const characters = Array.from(pieces.join(' '))
  return characters.slice(0, draw.flip() ? undefined : draw.between(1, characters.length + 1)).join('')
}

function drawTests(draw: Draw, oracle: Oracle, type: TypeSketch, name: string, depth: number): Where {
  if (name === 'id') return drawIdTests(draw, oracle, type)
  if (name === '_type') return drawTypeTests(draw, oracle)
  const member = oracle.sketch.types.find((one) => one.name === name)
  if (member !== undefined) return depth === 0 ? {} : drawWhere(draw, oracle, member, depth - 1)
  const field = type.fields.find((each) => each.name === name)!
  switch (field.kind) {
    case 'scalar':
      return drawLeafTests(draw, oracle, field.type)
    case 'list':
      return drawListTests(draw, oracle, field)
    case 'value':
      return drawValueTests(draw, oracle, field.type)
    case 'reference':
      if (depth === 0 || draw.between(0, 4) === 0) return { isNull: draw.flip() }
      return drawWhere(draw, oracle, oracle.type(field.to), depth - 1)
    case 'many':
    case 'links': {
      const inner = drawWhere(draw, oracle, oracle.type(field.to), Math.max(0, depth - 2))
      return { [draw.one(['some', 'none', 'every'])]: inner }
    }
  }
}

function drawTypeTests(draw: Draw, { sketch }: Oracle): Where {
  const names = sketch.types.map(({ name }) => name)
  const operator = draw.one(['eq', 'ne', 'in', 'notIn'])
  return { [operator]: operator === 'eq' || operator === 'ne' ? draw.one(names) : draw.some(names, 0, names.length) }
}

function drawIdTests(draw: Draw, oracle: Oracle, type: TypeSketch): Where {
  const ids = [...oracle.rows(type.name).map(({ id }) => id), 'nothing-has-this']
  const operator = draw.one(ordered.filter((each) => each !== 'isNull'))
  if (operator === 'in' || operator === 'notIn') return { [operator]: draw.some(ids, 0, ids.length) }
  if (operator === 'between') return { between: [draw.one(ids), draw.one(ids)] }
  return { [operator]: draw.one(ids) }
}

function drawLeafTests(draw: Draw, oracle: Oracle, type: string): Where {
  const operators = operatorsOf(oracle, type)
  const chosen = draw.some(operators, 1, 2)
  return Object.fromEntries(
    chosen.map((operator) => {
      if (operator === 'isNull') return [operator, draw.flip()]
      if (operator === 'between') return [operator, draw.many(2, 2, () => drawLeaf(draw, oracle.sketch, type))]
      if (operator !== 'in' && operator !== 'notIn') return [operator, drawLeaf(draw, oracle.sketch, type)]
      return [operator, draw.many(0, 3, () => drawLeaf(draw, oracle.sketch, type))]
    }),
  )
}

function drawListTests(draw: Draw, oracle: Oracle, field: FieldSketch & { kind: 'list' }): Where {
  const operator = draw.one(['contains', 'contains', 'eq', 'ne', 'isNull'])
  if (operator === 'isNull') return { isNull: draw.flip() }
  if (operator === 'contains') return { contains: drawLeaf(draw, oracle.sketch, field.type) }
  const items = draw.many(0, 2, () => drawLeaf(draw, oracle.sketch, field.type))
  return { [operator]: items }
}

function drawValueTests(draw: Draw, oracle: Oracle, type: string): Where {
  if (draw.between(0, 4) === 0) return { isNull: draw.flip() }
  const { fields } = oracle.sketch.values.find(({ name }) => name === type)!
  const part = draw.one(fields)
  return { [part.name]: drawLeafTests(draw, oracle, part.type) }
}

function operatorsOf(oracle: Oracle, type: string): string[] {
  if (oracle.sketch.enums.some(({ name }) => name === type)) return equality
  if (type === 'String') return [...ordered, ...onTexts]
  if (type === 'Boolean') return ['eq', 'ne', 'isNull']
  return type === 'JSON' ? ['isNull'] : ordered
}
