// Random filters and orders of a schema, with every operator of its fields.

import type { Abstract, Field, Resource, StoredType } from '../../packages/twain/src/model/index.ts'
import type { Random } from '../fuzz/random.ts'
import type { KnownIds } from './known-ids.ts'
import { drawValue } from './random-input.ts'

export type Where = { [key: string]: unknown }
type Place = Resource | Abstract

const equality = ['eq', 'ne', 'in', 'notIn', 'isNull']
const ofTexts = ['contains', 'startsWith', 'endsWith', 'ieq', 'icontains', 'istartsWith', 'iendsWith']
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte']

export function drawWhere(random: Random, known: KnownIds, of: Place, depth = 2): Where {
  const way = depth === 0 ? 'field' : random.one(['field', 'field', 'field', 'and', 'or', 'not'])
  if (way === 'not') return { not: drawWhere(random, known, of, depth - 1) }
  if (way !== 'field')
    return { [way]: Array.from({ length: random.between(1, 3) }, () => drawWhere(random, known, of, depth - 1)) }
  const field = drawField(random, [...of.fields.values()])
  return { [field.name]: drawTests(random, known, field, depth) }
}

/** Paths with their directions: `author.name`, `posts._count`. */
export function drawOrder(random: Random, of: Place): [path: string[], isDown: boolean][] {
  const paths = Array.from({ length: random.between(0, 2) }, () => drawPath(random, of, 2))
  const different = new Map(paths.map((path) => [path.join(), path]))
  return [...different.values()].map((path) => [path, random.chance(0.5)])
}

function drawPath(random: Random, of: Place, depth: number): string[] {
  const fields = [...of.fields.values()]
  const ways = fields.filter(({ kind }) => kind !== 'stored')
  if (depth === 0 || ways.length === 0 || random.chance(0.6)) return [drawField(random, fields.filter(isSortable)).name]
  const way = random.one(ways)
  if (way.kind === 'reference' || way.kind === 'inverse') return [way.name, ...drawPath(random, way.to, depth - 1)]
  return [way.name, '_count']
}

/** Half of them texts, in which databases differ most. */
function drawField(random: Random, fields: Field[]): Field {
  const texts = fields.filter(isText)
  return random.one(texts.length > 0 && random.chance(0.5) ? texts : fields)
}

function isText(field: Field): boolean {
  return field.kind === 'stored' && field.type.kind === 'scalar' && field.type.name === 'String'
}

function isSortable(field: Field): boolean {
  if (field.kind !== 'stored') return false
  return field.type.kind === 'enum' || (field.type.kind === 'scalar' && field.type.name !== 'JSON')
}

function drawTests(random: Random, known: KnownIds, field: Field, depth: number): Where {
  switch (field.kind) {
    case 'stored':
      return drawStored(random, known, field)
    case 'reference':
    case 'inverse':
      if (depth === 0 || random.chance(0.2)) return { isNull: random.chance(0.5) }
      return drawWhere(random, known, field.to, depth - 1)
    case 'many':
    case 'links':
      return { [random.one(['some', 'none', 'every'])]: drawWhere(random, known, field.to, Math.max(0, depth - 1)) }
  }
}

function drawStored(random: Random, known: KnownIds, field: Field & { kind: 'stored' }): Where {
  const { type } = field
  if (type.kind === 'value') {
    if (random.chance(0.2)) return { isNull: random.chance(0.5) }
    const part = random.one([...type.value.fields.values()])
    return { [part.name]: leafTest(random, part.type, () => drawValue(random, part.type)) }
  }
  if (type.kind === 'list') {
    const operator = random.one(['contains', 'eq', 'ne', 'isNull'])
    if (operator === 'isNull') return { isNull: random.chance(0.5) }
    return { [operator]: drawValue(random, operator === 'contains' ? type.of : type) }
  }
  const own = () => (field.name === 'id' ? known.id(field.owner, random) : drawValue(random, type))
  return leafTest(random, type, own)
}

function leafTest(random: Random, type: StoredType, draw: () => unknown): Where {
  if (type.kind === 'scalar' && type.name === 'JSON' && random.chance(0.7)) return insideTest(random)
  const operator = random.one(operatorsOf(type))
  if (operator === 'isNull') return { isNull: random.chance(0.5) }
  if (operator === 'in' || operator === 'notIn')
    return { [operator]: Array.from({ length: random.between(0, 3) }, draw) }
  if (operator === 'between') return { between: [draw(), draw()] }
  return { [operator]: draw() }
}

/** A condition on a value inside JSON, which rows may have or not. */
function insideTest(random: Random): Where {
  const path = random.one(['a', 'b', 'a.b', 'k'])
  const word = random.one(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'isNull', 'exists'])
  const isFlag = word === 'isNull' || word === 'exists'
  return { path, [word]: isFlag ? random.chance(0.5) : random.one<unknown>([0, 1, 1.5, -2, 'a', 'é', '', true, false]) }
}

function operatorsOf(type: StoredType): string[] {
  if (type.kind === 'enum') return equality
  if (type.kind !== 'scalar' || type.name === 'JSON') return ['isNull']
  if (type.name === 'String') return [...ordered, ...ofTexts, ...ofTexts]
  return type.name === 'Boolean' ? ['eq', 'ne', 'isNull'] : ordered
}
