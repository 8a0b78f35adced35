// The output types: resources, interfaces, unions, values and enums as the schema file declares them, and their connections.

import {
  type Abstract,
  type AnyField,
  type ComputedField,
  type EnumType,
  type Field,
  hasAggregates,
  isFile,
  isReadRestricted,
  isView,
  type LinksField,
  type Model,
  type Resource,
  rowTypes,
  stateFields,
  type ToManyField,
  transitionsName,
  type ValueType,
} from '#model'
import { aggregateFields, aggregateTypes, nodeInterface, printCustomType, withAliases } from '#model/names'
import { hasHistory, type Visibility } from '#plan/build'
import { isServedNonNull } from '#plan/explain'
import { aggregateArguments, groupArguments } from './aggregate-inputs.ts'
import { aggregateObjectTypes, hasVisibleGroups } from './aggregate-types.ts'
import { historyLine } from './change-types.ts'
import { imageArguments, imageTypes } from './image-arguments.ts'
import { type NodeTypes, nodeIdField } from './node-types.ts'
import { connectionOf, rootFieldsOf } from './root-fields.ts'
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
  const { nodes } = rootFieldsOf(model)
  const rows = [...rowTypes(model), ...model.system.resources]
  const collections = [...rows, ...model.abstracts]
  return [
    ...rows.map((resource) => resourceType(resource, model, visibility, nodes)),
    ...model.abstracts.map((abstract) => abstractType(abstract, model, visibility, nodes)),
    ...(nodes === null ? [] : [nodeType]),
    ...[...model.values, ...model.system.values].map(valueType),
    ...[...model.enums, ...model.system.enums].map(enumType),
    ...collections.flatMap(connectionTypes),
    ...aggregateObjectTypes(model, visibility),
    ...(collections.length > 0 ? [pageInfo] : []),
    ...(model.resources.length > 0 ? [deleteResult, bulkResult, rowResult, rowProblem] : []),
    ...(model.file === null ? [] : imageTypes),
  ]
}

function resourceType(resource: Resource, model: Model, visibility: Visibility, nodes: NodeTypes | null): string {
  const head = `type ${resource.name}${implementsClause(resource, nodes)}`
  const fields = [
    ...rowFields(resource, visibility, (field) => isServedNonNull(field, model)),
    ...extraFields(resource, nodes),
    ...transitionFields(resource),
  ]
  return described(resource.description ?? `A row of ${resource.path}.`, block(head, fields))
}

function abstractType(abstract: Abstract, model: Model, visibility: Visibility, nodes: NodeTypes | null): string {
  const description = abstract.description ?? `Any of ${abstract.members.map(({ name }) => name).join(', ')}.`
  if (abstract.form === 'union') {
    return described(description, `union ${abstract.name} = ${abstract.members.map(({ name }) => name).join(' | ')}`)
  }
  // A field of an interface is non-null only if it is so in each member.
  const declared = rowFields(abstract, visibility, ({ name }) =>
    abstract.members.every((member) => isServedNonNull((member.fields.get(name) ?? member.computed.get(name))!, model)),
  )
  const fields = [...declared, ...extraFields(abstract, nodes)]
  return described(description, block(`interface ${abstract.name}${implementsClause(abstract, nodes)}`, fields))
}

function implementsClause(type: Resource | Abstract, nodes: NodeTypes | null): string {
  const declared = type.memberOf.filter(({ form }) => form === 'interface').map(({ name }) => name)
  const interfaces = nodes?.has(type) === true ? [...declared, nodeInterface] : declared
  return interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`
}

const nodeIdLine = described(
  'The id of this row among all types, for `node`. Store and compare it as it is.',
  `${nodeIdField}: ID!`,
)

const nodeType = described(
  'A row of any type, as Relay expects it: the field with its id is `_nodeId`.',
  block(`interface ${nodeInterface}`, [nodeIdLine]),
)

function rowFields(
  { fields, computed }: Resource | Abstract,
  visibility: Visibility,
  isNonNull: (field: AnyField) => boolean,
): string[] {
  return [
    ...withAliases(fields.values()).flatMap((field) => fieldLines(field, isNonNull(field) ? '!' : '', visibility)),
    ...withAliases(computed.values()).map((field) => computedLine(field, isNonNull(field) ? '!' : '')),
  ]
}

/** A file never changes, so it has no version, but a URL. */
function extraFields(type: Resource | Abstract, nodes: NodeTypes | null): string[] {
  if (isFile(type)) {
    return [
      described(
        'The URL of its bytes on this server, or of a variant of an image. If not everyone may read the file, the URL is signed and valid for an hour.',
        `url${imageArguments('described')}: String!`,
      ),
    ]
  }
  // Nothing writes the rows of a view, so nothing counts their versions.
  if (isView(type)) return []
  const issued = (type.kind === 'resource' && type.system?.issued) || []
  // The response that issues something is not a row: it has no version.
  const nonNullMark = issued.length === 0 ? '!' : ''
  return [
    described('The version of this row. It rises with each write. See `ifVersion`.', `_version: Int${nonNullMark}`),
    ...(type.kind === 'resource' && hasHistory(type) ? [historyLine] : []),
    ...issued.map(({ name, description }) => described(description, `${name}: String`)),
    ...(nodes?.has(type) === true ? [nodeIdLine] : []),
  ]
}

function transitionFields(resource: Resource): string[] {
  return withAliases(stateFields(resource)).map((field) => {
    // A viewer who may not read the state may not read the transitions either.
    const nonNullMark = isReadRestricted(field) ? '' : '!'
    return described(
      `The states that the viewer may write to \`${field.name}\` now, in a write that changes nothing else.`,
      `${transitionsName(field)}: [${outputType(field.type)}!]${nonNullMark}${deprecation(field.deprecated)}`,
    )
  })
}

function fieldLines(field: Field, nonNullMark: '!' | '', visibility: Visibility): string[] {
  const end = `${nonNullMark}${deprecation(field.deprecated)}`
  if (!isToMany(field)) {
    const args = field.kind === 'reference' && isFile(field.to) ? imageArguments('plain') : ''
    return [described(field.description, `${field.name}${args}: ${fieldType(field)}${end}`)]
  }
  const list = described(
    field.description,
    `${field.name}${listArguments(field.to, 'plain', visibility)}: [${field.to.name}!]${end}`,
  )
  const connectionName = connectionOf(field.name)
  const connection = `${connectionName}${connectionArguments(field.to, 'plain', visibility)}: ${field.to.name}Connection${end}`
  return [list, described(`\`${field.name}\`, paged by cursor.`, connection), ...aggregateLines(field, end, visibility)]
}

/** Aggregates beside a list. Like the list, they are null where it can't be read. */
function aggregateLines(field: ToManyField | LinksField, end: string, visibility: Visibility): string[] {
  const { name, to } = field
  if (!hasAggregates(to)) return []
  const { one, groups } = aggregateFields(name)
  const types = aggregateTypes(to)
  const lines = [
    described(`\`${name}\` in one.`, `${one}${aggregateArguments(to, 'plain', visibility)}: ${types.aggregate}${end}`),
  ]
  if (hasVisibleGroups(to, visibility)) {
    const line = `${groups}${groupArguments(to, 'plain', visibility)}: [${types.group}!]${end}`
    lines.push(described(`Groups of \`${name}\`.`, line))
  }
  return lines
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
    value.description ?? 'A value without an id, stored inside its owner.',
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
      `A page of ${path}.`,
      block(`type ${name}Connection`, [
        `edges: [${name}Edge!]!`,
        'pageInfo: PageInfo!',
        described(
          'The number of matching rows; counted only if selected. With `estimate`, a large number is an estimate with two digits.',
          'totalCount(estimate: Boolean! = false): Int!',
        ),
      ]),
    ),
    described(
      `One row of a page of ${path}, and its cursor.`,
      block(`type ${name}Edge`, [
        `node: ${name}!`,
        described('The position of this row, for `after`.', 'cursor: String!'),
      ]),
    ),
  ]
}

const pageInfo = described(
  'The position of a page among all rows.',
  block('type PageInfo', [
    described('Whether there are rows after this page.', 'hasNextPage: Boolean!'),
    described('The cursor of the last row of the page, for `after`; null if the page is empty.', 'endCursor: String'),
    described('Whether there are rows before this page.', 'hasPreviousPage: Boolean!'),
    described('The cursor of the first row of the page; null if the page is empty.', 'startCursor: String'),
  ]),
)

const bulkResult = described(
  'The rows that a write by a filter has changed or deleted, or would with `dryRun`.',
  block('type BulkResult', [
    described('How many.', 'count: Int!'),
    described('In the order of `orderBy`.', 'ids: [ID!]!'),
  ]),
)

const rowResult = described(
  'What became of one row of many.',
  block('type RowResult', [
    described('The place of the row in `inputs`, from 0.', 'index: Int!'),
    described('201 if the row was created; otherwise the status that REST has for the error.', 'status: Int!'),
    described('The id of the new row.', 'id: ID'),
    described('The code of the error.', 'code: String'),
    described('The error as a sentence.', 'message: String'),
    described('What to do about it.', 'hint: String'),
    described('Every mistake of the row; null if it was created.', 'errors: [RowProblem!]'),
  ]),
)

const rowProblem = described(
  'A mistake of a row.',
  block('type RowProblem', [
    described('The field; empty for the row as a whole.', 'path: String!'),
    described('The detail code.', 'code: String!'),
    'message: String!',
  ]),
)

const deleteResult = described(
  'The result of a delete.',
  block('type DeleteResult', [
    described('False if there was no such row.', 'success: Boolean!'),
    described('The result as a sentence.', 'message: String!'),
    described('The id of the row; empty if a key has found none.', 'id: ID!'),
  ]),
)
