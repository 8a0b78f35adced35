// Filters and orders: a `Where` for each type with fields, a filter with the matching operators for each stored type, and an
// `Order` for each collection.

import {
  type Abstract,
  comparedType,
  type Field,
  type FilterOperator,
  filterMembers,
  isJson,
  isJsonOperator,
  isJsonTextOperator,
  isSortable,
  jsonFlags,
  jsonOperators,
  listWords,
  type Model,
  mayBeAccount,
  operatorOf,
  operators,
  operatorsOf,
  type Resource,
  rowTypes,
  type StoredType,
  type TypeOperator,
  takesJsonList,
  typenameEnum,
  typenameFilter,
  typeOperators,
  typeWord,
  type ValueType,
} from '#model'
import { withAliases } from '#model/names'
import { isFiltered, type Visibility } from '#plan/build'
import { block, deprecation, described, inputType } from './sdl.ts'

/** Filters and orders leave out fields that are always hidden from the viewer. */
export function filterTypes(model: Model, visibility: Visibility): string[] {
  const filters = new Map<string, string>() // by name
  const collections = [...rowTypes(model), ...model.system.resources, ...model.abstracts]
  const lists = new Set(collections.flatMap(({ fields }) => [...fields.values()].flatMap(listTarget)))
  return [
    ...collections.map((of) => rowWhere(of, model, filters, visibility)),
    ...[...model.values, ...model.system.values].map((value) => valueWhere(value, filters)),
    ...[...lists].map(listWhere),
    ...model.abstracts.flatMap(typenameTypes),
    ...collections.map((of) => orderType(of, visibility)),
    ...[...lists].map(listOrder),
    ...(collections.length > 0 ? [direction] : []),
    ...filters.values(),
  ]
}

function rowWhere(of: Resource | Abstract, model: Model, filters: Map<string, string>, visibility: Visibility): string {
  const lines = withAliases(visibleFields(of, visibility)).map(
    (field) => [field.name, `${fieldWhere(field, filters)}${deprecation(field.deprecated)}`] as const,
  )
  const viewer = mayBeAccount(of, model) ? [isViewerField] : []
  return whereType(of.name, `A filter of ${of.path}.`, [...lines, ...memberLines(of)], [...viewer, ...typeField(of)])
}

function typeField(of: Resource | Abstract): string[] {
  return of.kind === 'resource' ? [] : [described('A condition on the type.', `${typeWord}: ${typenameFilter(of)}`)]
}

/** A filter for each member type: the row is of this type, and matches. */
function memberLines(of: Resource | Abstract): (readonly [name: string, type: string])[] {
  if (of.kind === 'resource') return []
  return filterMembers(of).map(({ name, of: member, deprecated }) => [
    name,
    `${member.name}Where${deprecation(deprecated)}`,
  ])
}

function typenameTypes(of: Abstract): string[] {
  const name = typenameEnum(of)
  const values = filterMembers(of).map((member) => `${member.name}${deprecation(member.deprecated)}`)
  const operators = typeOperators.map((operator) => {
    const operand = operator === 'in' || operator === 'notIn' ? `[${name}!]` : name
    return described(typeOperatorDescriptions[operator], `${operator}: ${operand}`)
  })
  return [
    described(`The types of ${of.path}.`, block(`enum ${name}`, values)),
    described(`Conditions on the type of ${of.path}.`, block(`input ${typenameFilter(of)}`, operators)),
  ]
}

const typeOperatorDescriptions: Record<TypeOperator, string> = {
  eq: 'Is this type.',
  ne: 'Is another type.',
  in: 'Is one of these types.',
  notIn: 'Is none of these types.',
}

function visibleFields(of: Resource | Abstract, visibility: Visibility): Field[] {
  return [...of.fields.values()].filter((field) => isFiltered(field, of, visibility))
}

function valueWhere(value: ValueType, filters: Map<string, string>): string {
  const lines = withAliases(value.fields.values()).map(
    (field) => [field.name, `${storedWhere(field.type, filters)}${deprecation(field.deprecated)}`] as const,
  )
  return whereType(value.name, `A condition on one ${value.name}.`, lines)
}

function whereType(
  name: string,
  description: string,
  fields: (readonly [name: string, type: string])[],
  extraFields: string[] = [],
): string {
  const where = `${name}Where`
  return described(
    `${description} All conditions must hold.`,
    block(`input ${where}`, [
      described('All of these hold.', `and: [${where}!]`),
      described('At least one of these holds.', `or: [${where}!]`),
      described('This does not hold.', `not: ${where}`),
      described(`Whether there is no ${name}.`, 'isNull: Boolean'),
      ...extraFields,
      ...fields.map(([field, type]) => `${field}: ${type}`),
    ]),
  )
}

const isViewerField = described("Whether it is the viewer's account.", 'isViewer: Boolean')

function fieldWhere(field: Field, filters: Map<string, string>): string {
  switch (field.kind) {
    case 'stored':
      return storedWhere(field.type, filters)
    case 'reference':
    case 'inverse':
      return `${field.to.name}Where`
    case 'many':
    case 'links':
      return `${field.to.name}ListWhere`
  }
}

/** The name of the filter of a stored type. Adds the filter type on its first use. */
function storedWhere(type: StoredType, filters: Map<string, string>): string {
  if (type.kind === 'value') return `${type.value.name}Where`
  const name = `${filterName(type)}Filter`
  if (!filters.has(name)) filters.set(name, filterType(name, type))
  return name
}

function filterName(type: StoredType): string {
  return type.kind === 'list' ? `${filterName(type.of)}List` : inputName(type)
}

function inputName(type: Exclude<StoredType, { kind: 'list' }>): string {
  return type.kind === 'value' ? type.value.name : inputType(type)
}

function filterType(name: string, type: StoredType): string {
  const lines = operatorsOf(type).map((operator) =>
    described(operators[operator].description, `${operator}: ${operandType(operator, type)}`),
  )
  const ofPath = isJson(type) ? jsonLines() : []
  return described(`Conditions on a field of type ${inputType(type)}.`, block(`input ${name}`, [...lines, ...ofPath]))
}

/** Conditions on the scalar that a path leads to. `isNull` is there already. */
function jsonLines(): string[] {
  const path = 'The path to a value inside, such as `size.width`: then the conditions are about this value.'
  return [
    described(path, 'path: String'),
    ...Object.entries(jsonOperators).map(([word, description]) =>
      described(description, `${word}: ${jsonOperand(word)}`),
    ),
    described(jsonFlags.exists, 'exists: Boolean'),
  ]
}

function jsonOperand(word: string): string {
  if (!isJsonOperator(word)) return 'JSON'
  if (takesJsonList(word)) return '[JSON!]'
  return isJsonTextOperator(word) ? 'String' : 'JSON'
}

function operandType(operator: FilterOperator, type: StoredType): string {
  const { operand } = operatorOf(operator)
  if (operand === 'flag') return 'Boolean'
  return operand === 'value' ? inputType(comparedType(operator, type)) : `[${inputType(type)}!]`
}

function listTarget(field: Field): (Resource | Abstract)[] {
  return field.kind === 'many' || field.kind === 'links' ? [field.to] : []
}

function listWhere({ name, path }: Resource | Abstract): string {
  return described(
    `A condition on a list of ${path}.`,
    block(
      `input ${name}ListWhere`,
      Object.entries(listWords).map(([word, description]) => described(description, `${word}: ${name}Where`)),
    ),
  )
}

function orderType(of: Resource | Abstract, visibility: Visibility): string {
  const fields = withAliases(visibleFields(of, visibility).filter(isOrderKey))
  return described(
    `One sort key of ${of.path}. Rows without a value come last in both directions.`,
    block(
      `input ${of.name}Order @oneOf`,
      fields.map((field) => `${field.name}: ${keyType(field)}${deprecation(field.deprecated)}`),
    ),
  )
}

/** An order may also name fields of the rows that a reference leads to, and count the rows of a list. */
function isOrderKey(field: Field): boolean {
  return field.kind !== 'stored' || isSortable(field)
}

function keyType(field: Field): string {
  if (field.kind === 'stored') return 'Direction'
  return field.kind === 'many' || field.kind === 'links' ? `${field.to.name}ListOrder` : `${field.to.name}Order`
}

function listOrder({ name, path }: Resource | Abstract): string {
  const count = described('By the number of rows that the viewer may read.', 'count: Direction')
  return described(`A sort key of a list of ${path}.`, block(`input ${name}ListOrder @oneOf`, [count]))
}

const direction = block('enum Direction', [described('Ascending.', 'ASC'), described('Descending.', 'DESC')])
