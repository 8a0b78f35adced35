// The types of a contract's own code, as a TypeScript module: rows, inputs, filters, arguments, resolvers, the context. What
// `twain types` writes; `defineService<Service>` then holds the code to it.

import type {
  Abstract,
  Argument,
  ComputedField,
  CustomOperation,
  CustomResultType,
  Field,
  Model,
  Resource,
  StoredType,
  ValueType,
} from '#model'
import { isRequiredInput } from '#plan/build'
import { isServedNonNull } from '#plan/explain'

export function generateTypes(model: Model, file: string): string {
  const { resources, abstracts, values, inputs, enums } = model
  return `${[
    `// Made by: twain types ${file}\n// Do not edit it; run that again when the schema has changed.`,
    "import type { AppliedWrite, CommittedChange, Context as AnyContext, FieldFilter, PendingWrite, RowReader, RowWriter } from 'twain'",
    ...enums.map(({ name, values: all }) => `export type ${name} = ${all.map((one) => quoted(one.name)).join(' | ')}`),
    ...values.map((value) => shape(value.name, valueMembers(value, 'given'))),
    ...values.map((value) => shape(`${value.name}Answer`, valueMembers(value, 'answered'))),
    ...inputs.map((input) => shape(input.name, [...input.fields.values()].map(argumentMember))),
    ...resources.flatMap((of) => resourceTypes(of, model)),
    ...abstracts.map((of) => whereType(of)),
    contextTypes(resources),
    serviceType(model),
  ].join('\n\n')}\n`
}

type Side = 'given' | 'answered'

function resourceTypes(of: Resource, model: Model): string[] {
  const fields = [...of.fields.values()]
  const columns = fields.filter((field) => field.kind === 'stored' || field.kind === 'reference')
  const row = columns.map((field) => `${field.name}: ${orNull(columnType(field), isServedNonNull(field, model))}`)
  const written = fields.filter(isWritable)
  const create = written.map((field) => {
    const isNeeded = field.kind !== 'links' && isRequiredInput(field)
    return `${field.name}${isNeeded ? '' : '?'}: ${orNull(writtenType(field), isNeeded)}`
  })
  const update = written
    .filter(isUpdatable)
    .map((field) => `${field.name}?: ${orNull(writtenType(field), field.required)}`)
  if (model.account?.resource === of) for (const members of [create, update]) members.push('password?: string')
  const order = columns.filter(({ kind }) => kind === 'stored').map(({ name }) => `${name}?: 'ASC' | 'DESC'`)
  return [
    shape(`${of.name}Row`, row),
    shape(`${of.name}Create`, create),
    shape(`${of.name}Update`, update),
    whereType(of),
    shape(`${of.name}Order`, order),
  ]
}

type WritableFieldKind = Extract<Field, { kind: 'stored' | 'reference' | 'links' }>

function isWritable(field: Field): field is WritableFieldKind {
  if (field.kind === 'stored') return field.name !== 'id' && field.auto === null
  return field.kind === 'reference' || field.kind === 'links'
}

/** What is set to the viewer is so when the row is made, and stays. */
function isUpdatable(field: WritableFieldKind): boolean {
  return field.kind === 'links' || !(field.immutable || (field.kind === 'reference' && field.auto !== null))
}

function writtenType(field: WritableFieldKind): string {
  return field.kind === 'links' ? 'readonly string[]' : columnType(field)
}

function columnType(field: Extract<Field, { kind: 'stored' | 'reference' }>): string {
  return field.kind === 'reference' ? 'string' : typeText(field.type, 'given')
}

function whereType({ name, fields }: Resource | Abstract): string {
  const members = [...fields.values()].map((field) => `${field.name}?: ${fieldFilter(field)}`)
  const joined = ['and', 'or'].map((word) => `${word}?: readonly ${name}Where[]`)
  return shape(`${name}Where`, [...members, ...joined, `not?: ${name}Where`, 'isNull?: boolean', 'isViewer?: boolean'])
}

function fieldFilter(field: Field): string {
  switch (field.kind) {
    case 'stored':
      return storedFilter(field.type)
    case 'reference':
    case 'inverse':
      return field.to.name === 'File' ? 'FieldFilter<string>' : `${field.to.name}Where`
    case 'many':
    case 'links':
      return `{ some?: ${field.to.name}Where; none?: ${field.to.name}Where }`
  }
}

function storedFilter(type: StoredType): string {
  if (type.kind === 'value') {
    const members = [...type.value.fields.values()].map((field) => `${field.name}?: FieldFilter<unknown>`)
    return `{ ${[...members, 'isNull?: boolean'].join('; ')} }`
  }
  return `FieldFilter<${typeText(type.kind === 'list' ? type.of : type, 'given')}>`
}

function valueMembers({ fields }: ValueType, side: Side): string[] {
  return [...fields.values()].map(
    ({ name, type, required }) =>
      `${name}${side === 'answered' && !required ? '?' : ''}: ${orNull(typeText(type, side), required)}`,
  )
}

/** As it arrives: with its default, if it has one. */
function argumentMember({
  name,
  type,
  required,
  default: start,
}: Pick<Argument, 'name' | 'type' | 'required' | 'default'>): string {
  const isThere = required || start !== undefined
  return `${name}${isThere ? '' : '?'}: ${orNull(typeText(type, 'given'), required)}`
}

const scalars: Readonly<Record<string, Record<Side, string>>> = {
  Int: { given: 'number', answered: 'number' },
  Float: { given: 'number', answered: 'number' },
  Boolean: { given: 'boolean', answered: 'boolean' },
  JSON: { given: 'unknown', answered: 'unknown' },
  ID: { given: 'string', answered: 'string | number' },
  DateTime: { given: 'string', answered: 'string | Date' },
  Decimal: { given: 'string', answered: 'string | number | bigint' },
  BigInt: { given: 'string', answered: 'string | number | bigint' },
}

/** `given` to the code, or `answered` by it, where JavaScript's own types will do too. */
function typeText(type: StoredType, side: Side): string {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.name]?.[side] ?? 'string'
    case 'custom':
      return 'unknown'
    case 'enum':
      return type.enum.name
    case 'value':
      return side === 'answered' ? `${type.value.name}Answer` : type.value.name
    case 'list': {
      const item = orNull(typeText(type.of, side), type.itemRequired)
      return side === 'given' ? `readonly (${item})[]` : `readonly (${item} | Error)[]`
    }
  }
}

function orNull(text: string, required: boolean): string {
  return required || text === 'unknown' ? text : `${text} | null`
}

function answerType(type: CustomResultType, required: boolean): string {
  if (type.kind === 'stored') return orNull(typeText(type.type, 'answered'), required)
  const row = 'string | { readonly id: string }'
  return orNull(type.kind === 'row' ? row : `readonly (${row})[]`, required)
}

function contextTypes(resources: readonly Resource[]): string {
  const readers = resources.map(({ name }) => `${name}: RowReader<${name}Row, ${name}Where, ${name}Order>`)
  const writers = resources.map(({ name }) => `${name}: RowWriter<${name}Row, ${name}Create, ${name}Update>`)
  return `${shape('Read', readers)}\n\n${shape('Write', writers)}\n\nexport type Context = AnyContext<Read, Write>`
}

function serviceType({ resources, operations }: Model): string {
  const types = resources
    .filter(({ computed }) => computed.size > 0)
    .map(({ name, computed }) => `${name}: {\n${[...computed.values()].map(computedMember).join('\n')}\n    }`)
  const roots = (['Query', 'Mutation'] as const).flatMap((root) => {
    const own = operations.filter((operation) => operation.root === root)
    return own.length === 0 ? [] : [`${root}: {\n${own.map(operationMember).join('\n')}\n    }`]
  })
  const all = [...types, ...roots].map((text) => `    ${text}`)
  const resolvers = all.length === 0 ? 'resolvers?: object' : `resolvers: {\n${all.join('\n')}\n  }`
  const hooks = Object.entries(hookTypes).map(([hook, told]) => {
    const each = resources.map(({ name }) => `    ${name}?(told: ${told}<${name}Row>, context: Context): unknown`)
    return `  ${hook}?: {\n${each.join('\n')}\n  }`
  })
  const members = [`  ${resolvers}`, ...hooks]
  return `/** What \`defineService<Service>\` wants. */\nexport interface Service {\n${members.join('\n')}\n}`
}

const hookTypes = { before: 'PendingWrite', after: 'AppliedWrite', on: 'CommittedChange' }

function computedMember({ name, owner, from, args, type, required }: ComputedField): string {
  const picked = ['id', ...from.map((field) => field.name)].map(quoted).join(' | ')
  const rows = `readonly Pick<${owner.name}Row, ${picked}>[]`
  const answer = `readonly (${answerType(type, required)} | Error)[]`
  return `      ${name}(rows: ${rows}, args: ${argsText(args)}, context: Context): ${answer} | Promise<${answer}>`
}

function operationMember({ name, args, type, required }: CustomOperation): string {
  const answer = answerType(type, required)
  return `      ${name}(args: ${argsText(args)}, context: Context): ${answer} | Promise<${answer}>`
}

function argsText(args: readonly Argument[]): string {
  return args.length === 0 ? '{}' : `{ ${args.map(argumentMember).join('; ')} }`
}

function shape(name: string, members: readonly string[]): string {
  return `export interface ${name} {${members.length === 0 ? '' : `\n${members.map((member) => `  ${member}`).join('\n')}\n`}}`
}

function quoted(text: string): string {
  return `'${text}'`
}
