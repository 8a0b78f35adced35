// Generates a random schema: a sketch for the oracle, and the SDL for the server.

import { scalarNames } from '../../packages/twain/src/model/index.ts'
import type { Draw } from './draw.ts'
import type { FieldSketch, SchemaSketch, TypeSketch, ValueSketch } from './oracle.ts'

const scalarTypes: readonly string[] = scalarNames

const typeNames = ['Alpha', 'Beta', 'Gamma', 'Delta']
/** Keywords of SQL and of the query string, on purpose. */
const fieldNames = [
  'order',
  'group',
  'select',
  'limit',
  'sort',
  'where',
  'index',
  'key',
  'type',
  'title',
  'rowid',
  'version',
  'first',
  'data',
]
const enums = [
  { name: 'Mood', values: ['CALM', 'BRISK', 'WILD'] },
  { name: 'Size', values: ['S', 'M', 'XL'] },
]

export function drawSchema(draw: Draw): SchemaSketch {
  const values = drawValues(draw)
  const count = draw.between(1, 4)
  const types: TypeSketch[] = typeNames.slice(0, count).map((name) => ({
    name,
    list: `${name.toLowerCase()}s`,
    fields: drawStored(draw, values),
  }))
  for (const [index, type] of types.entries()) drawReferences(draw, types, type, index)
  const common = draw.flip() ? drawCommon(draw, types) : null
  drawLinks(draw, types)
  return { enums, values, types, common }
}

export function schemaSdl({ enums, values, types, common }: SchemaSketch): string {
  const bang = (required: boolean) => (required ? '!' : '')
  const line = (field: FieldSketch): string => {
    switch (field.kind) {
      case 'scalar':
      case 'value':
        return `${field.name}: ${field.type}${bang(field.required)}${'search' in field && field.search ? ' @search' : ''}`
      case 'list':
        return `${field.name}: [${field.type}!]${bang(field.required)}`
      case 'reference':
        return `${field.name}: ${field.to}${bang(field.required)}`
      case 'many':
        return `${field.name}: [${field.to}!]! @relation(inverse: "${field.via}")`
      case 'links':
        return `${field.name}: [${field.to}!]!${field.back === null ? '' : ` @relation(inverse: "${field.back}")`}`
    }
  }
  // Each type has its own searched fields.
  const declared = (field: FieldSketch) => line(field.kind === 'scalar' ? { ...field, search: false } : field)
  const block = (head: string, lines: string[]) => `${head} {\n${lines.map((each) => `  ${each}\n`).join('')}}\n`
  return [
    ...enums.map((type) => block(`enum ${type.name}`, type.values)),
    ...values.map((type) =>
      block(
        `type ${type.name}`,
        type.fields.map((field) => `${field.name}: ${field.type}${bang(field.required)}`),
      ),
    ),
    ...(common === null ? [] : [block(`interface ${common.name}`, ['id: ID!', ...common.fields.map(declared)])]),
    ...types.map((type) =>
      block(`type ${type.name}${common === null ? '' : ` implements ${common.name}`}`, [
        'id: ID!',
        ...type.fields.map(line),
      ]),
    ),
  ].join('\n')
}

function drawValues(draw: Draw): ValueSketch[] {
  const leaves = [...scalarTypes.filter((type) => type !== 'JSON'), 'Mood']
  return ['Place', 'Money'].map((name) => ({
    name,
    fields: draw.many(1, 3, (index) => ({
      name: `part${index}`,
      type: draw.one(leaves),
      required: draw.flip(),
    })),
  }))
}

function drawStored(draw: Draw, values: ValueSketch[]): FieldSketch[] {
  const names = draw.some(fieldNames, 1, 6)
  return names.map((name) => {
    const required = draw.flip()
    const kind = draw.one(['scalar', 'scalar', 'scalar', 'list', 'value'])
    if (kind === 'value') {
      return { kind: 'value', name, type: draw.one(values.map((value) => value.name)), required }
    }
    const type = draw.one([...scalarTypes, 'Mood', 'Size'])
    if (kind === 'list' && type !== 'JSON') return { kind: 'list', name, type, required }
    return { kind: 'scalar', name, type, required, search: type === 'String' && draw.flip() }
  })
}

/** A required reference only goes to an earlier type, so that rows can be created in the order of the types. */
function drawReferences(draw: Draw, types: TypeSketch[], type: TypeSketch, index: number): void {
  const targets = draw.many(0, 2, () => draw.between(0, types.length - 1))
  for (const [nth, at] of targets.entries()) {
    const target = types[at]!
    const name = `ref${nth}`
    type.fields.push({ kind: 'reference', name, to: target.name, required: at < index && draw.flip() })
    if (draw.flip()) {
      target.fields.push({ kind: 'many', name: `${type.name.toLowerCase()}s${nth}`, to: type.name, via: name })
    }
  }
}

/** An interface of all types, with references and lists of any of them. */
function drawCommon(draw: Draw, types: TypeSketch[]): TypeSketch {
  const fields = draw.many(0, 2, (index): FieldSketch => {
    const type = draw.one([...scalarTypes.filter((each) => each !== 'JSON'), 'Mood'])
    return {
      kind: 'scalar',
      name: `shared${index}`,
      type,
      required: draw.flip(),
      search: type === 'String' && draw.flip(),
    }
  })
  for (const type of types) type.fields.unshift(...fields)
  for (const type of types) {
    if (draw.flip()) type.fields.push({ kind: 'links', name: 'chosenCommons', to: 'Common', back: null })
    if (!draw.flip()) continue
    type.fields.push({ kind: 'reference', name: 'any', to: 'Common', required: false })
    const name = `pointing${type.name}s`
    for (const target of types) if (draw.flip()) target.fields.push({ kind: 'many', name, to: type.name, via: 'any' })
  }
  return { name: 'Common', list: 'commons', fields }
}

/** A one-sided link is possible only if no other field leads from the other type to this one. */
function drawLinks(draw: Draw, types: TypeSketch[]): void {
  for (const left of types) {
    for (const right of types) {
      if (!draw.flip()) continue
      if (left.name < right.name && draw.flip()) {
        const [name, back] = [`linked${right.name}s`, `linked${left.name}s`]
        left.fields.push({ kind: 'links', name, to: right.name, back })
        right.fields.push({ kind: 'links', name: back, to: left.name, back: name })
      } else if (!leads(right, left)) {
        left.fields.push({ kind: 'links', name: `chosen${right.name}s`, to: right.name, back: null })
      }
    }
  }
}

function leads(from: TypeSketch, to: TypeSketch): boolean {
  return from.fields.some((field) => 'to' in field && (field.to === to.name || field.to === 'Common'))
}
