// The output types of the contract: resources, interfaces, unions, values and enums as the file says them, and the
// connections around them.

import {
  type Abstract,
  type AnyField,
  type ComputedField,
  type EnumType,
  type Field,
  isFile,
  type Model,
  printCustomType,
  type Resource,
  rowTypes,
  stateFields,
  transitionsName,
  type ValueType,
  withAliases,
} from '#model'
import type { Visibility } from '#plan/build'
import { isServedNonNull } from '#plan/explain'
import { connectionOf } from './root-fields.ts'
import {
  block,
  connectionArguments,
  customArguments,
  deprecation,
  described,
  isToMany,
  listArguments,
  outputType,
} from './sdl.ts'

export function objectTypes(model: Model, visibility: Visibility): string[] {
  const rows = rowTypes(model)
  const collections = [...rows, ...model.abstracts]
  return [
    ...rows.map((resource) => resourceType(resource, model, visibility)),
    ...model.abstracts.map((abstract) => abstractType(abstract, model, visibility)),
    ...model.values.map(valueType),
    ...model.enums.map(enumType),
    ...collections.flatMap(connectionTypes),
    ...(collections.length > 0 ? [pageInfo] : []),
    ...(model.resources.length > 0 ? [deleteResult] : []),
  ]
}

function resourceType(resource: Resource, model: Model, visibility: Visibility): string {
  const head = `type ${resource.name}${implementsClause(resource)}`
  const fields = [
    ...rowFields(resource, visibility, (field) => isServedNonNull(field, model)),
    ...extraFields(resource),
    ...transitionFields(resource),
  ]
  return described(resource.description ?? `A row of ${resource.path}.`, block(head, fields))
}

function abstractType(abstract: Abstract, model: Model, visibility: Visibility): string {
  const description = abstract.description ?? `Any of ${abstract.members.map(({ name }) => name).join(', ')}.`
  if (abstract.form === 'union') {
    return described(description, `union ${abstract.name} = ${abstract.members.map(({ name }) => name).join(' | ')}`)
  }
  // An interface promises a value only where each of its members does.
  const promised = rowFields(abstract, visibility, ({ name }) =>
    abstract.members.every((member) => isServedNonNull((member.fields.get(name) ?? member.computed.get(name))!, model)),
  )
  const fields = [...promised, ...extraFields(abstract)]
  return described(description, block(`interface ${abstract.name}${implementsClause(abstract)}`, fields))
}

function implementsClause(type: Resource | Abstract): string {
  const interfaces = type.memberOf.filter(({ form }) => form === 'interface')
  return interfaces.length === 0 ? '' : ` implements ${interfaces.map(({ name }) => name).join(' & ')}`
}

function rowFields(
  { fields, computed }: Resource | Abstract,
  visibility: Visibility,
  isPromised: (field: AnyField) => boolean,
): string[] {
  return [
    ...withAliases(fields.values()).flatMap((field) => fieldLines(field, isPromised(field) ? '!' : '', visibility)),
    ...withAliases(computed.values()).map((field) => computedLine(field, isPromised(field) ? '!' : '')),
  ]
}

/** A file is never changed, so that it has no versions, but it has an address. */
function extraFields(type: Resource | Abstract): string[] {
  if (isFile(type)) {
    return [
      described(
        'Where its bytes are, on this server. Where not everyone may read it, the address itself lets one in, for an hour.',
        'url: String!',
      ),
    ]
  }
  return [described('Counts the writes of this row, from 1; `ifVersion` of a write compares it.', '_version: Int!')]
}

function transitionFields(resource: Resource): string[] {
  return withAliases(stateFields(resource)).map((field) => {
    // Who may not read the state is not told what follows it.
    const bang = field.rules.some(({ to }) => to.includes('READ')) ? '' : '!'
    return described(
      `The states that you could write to \`${field.name}\` now, by a write that changes nothing else.`,
      `${transitionsName(field)}: [${outputType(field.type)}!]${bang}${deprecation(field.deprecated)}`,
    )
  })
}

/** `bang` is the mark of what is always there, or nothing. */
function fieldLines(field: Field, nonNullMark: '!' | '', visibility: Visibility): string[] {
  const end = `${nonNullMark}${deprecation(field.deprecated)}`
  if (!isToMany(field)) return [described(field.description, `${field.name}: ${fieldType(field)}${end}`)]
  const list = described(
    field.description,
    `${field.name}${listArguments(field.to, 'bare', visibility)}: [${field.to.name}!]${end}`,
  )
  const twin = connectionOf(field.name)
  const connection = `${twin}${connectionArguments(field.to, 'bare', visibility)}: ${field.to.name}Connection${end}`
  return [list, described(`\`${field.name}\`, page by page with a cursor.`, connection)]
}

function computedLine(field: ComputedField, nonNullMark: '!' | ''): string {
  const { name, description, args, type } = field
  return described(
    description,
    `${name}${customArguments(args)}: ${printCustomType(type)}${nonNullMark}${deprecation(field.deprecated)}`,
  )
}

function fieldType(field: Exclude<Field, { kind: 'many' | 'links' }>): string {
  return field.kind === 'stored' ? outputType(field.type) : field.to.name
}

function valueType(value: ValueType): string {
  const lines = withAliases(value.fields.values()).map((field) =>
    described(
      field.description,
      `${field.name}: ${outputType(field.type)}${field.required ? '!' : ''}${deprecation(field.deprecated)}`,
    ),
  )
  return described(
    value.description ?? 'A value: it has no id and is kept inside its owner.',
    block(`type ${value.name}`, lines),
  )
}

function enumType({ name, description, values }: EnumType): string {
  const lines = withAliases(values).map((value) =>
    described(value.description, `${value.name}${deprecation(value.deprecated)}`),
  )
  return described(description, block(`enum ${name}`, lines))
}

function connectionTypes({ name, path }: Resource | Abstract): string[] {
  return [
    described(
      `A page of ${path}, with what is needed to ask for the next.`,
      block(`type ${name}Connection`, [
        `edges: [${name}Edge!]!`,
        'pageInfo: PageInfo!',
        described('How many rows match in all; counted only when asked for.', 'totalCount: Int!'),
      ]),
    ),
    described(
      `One row of a page of ${path}, and its cursor.`,
      block(`type ${name}Edge`, [
        `node: ${name}!`,
        described('The place of this row, for `after`.', 'cursor: String!'),
      ]),
    ),
  ]
}

const pageInfo = described(
  'Where a page stands among all rows.',
  block('type PageInfo', [
    described('Whether rows follow behind this page.', 'hasNextPage: Boolean!'),
    described('The cursor of the last row of the page, for `after`; null when the page is empty.', 'endCursor: String'),
    described('Whether rows stand before this page.', 'hasPreviousPage: Boolean!'),
    described('The cursor of the first row of the page; null when the page is empty.', 'startCursor: String'),
  ]),
)

const deleteResult = described(
  'What became of a delete.',
  block('type DeleteResult', [
    described('False when there was no such row.', 'success: Boolean!'),
    described('The same, in words.', 'message: String!'),
    described('The id that was asked for.', 'id: ID!'),
  ]),
)
