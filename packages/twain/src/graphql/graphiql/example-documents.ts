// Example documents, generated from the model: a list, one row with its relations, and a create. They use the resources with the
// most relations; the create uses one that refers to no other row, if possible.

import { type Field, isReadRestricted, type Model, type Resource } from '#model'
import { isRequiredInput } from '#plan/build'
import { exampleCreate } from '#plan/explain'

export interface ExampleDocument {
  title: string
  query: string
  /** JSON text; empty if the document has no variables. */
  variables: string
}

type Relation = Exclude<Field, { kind: 'stored' }> & { to: Resource }

const maxFields = 6
const maxRelations = 3

/** `suffix` makes the values of unique fields new. */
export function exampleDocuments(model: Model, suffix = ''): ExampleDocument[] {
  const { resources } = model
  const listed = highest(resources, (resource) => referencesOf(resource).length)
  const shown = highest(resources, (resource) => relationsOf(resource).length)
  const made = highest(resources, (resource) => -requiredRelations(resource))
  return [list(listed), one(shown), create(made, model, suffix)].filter((example) => example !== null)
}

function list(of: Resource): ExampleDocument {
  const rows = block(`${of.list}(limit: 5)`, [
    ...fieldsOf(of),
    ...referencesOf(of).map((field) => block(field.name, fieldsOf(field.to).slice(0, 3))),
  ])
  return { title: `List ${of.path}`, query: document(`query ${capital(of.list)}`, [rows]), variables: '' }
}

function one(of: Resource): ExampleDocument {
  const row = block(`${of.list}(limit: 1)`, [
    ...fieldsOf(of),
    ...relationsOf(of).map((field) => block(`${field.name}${isMany(field) ? '(limit: 3)' : ''}`, fieldsOf(field.to))),
  ])
  return {
    title: `One ${of.name} with its relations`,
    query: document(`query ${of.name}`, [row]),
    variables: '',
  }
}

/** Null if no example row meets the constraints. */
function create(of: Resource, model: Model, suffix: string): ExampleDocument | null {
  const input = exampleCreate(of, model, { suffix })
  if (input === undefined) return null
  const row = block(`create${of.name}(input: $input)`, fieldsOf(of))
  return {
    title: `Create a ${of.name}`,
    query: document(`mutation Create${of.name}($input: Create${of.name}Input!)`, [row]),
    variables: JSON.stringify({ input }, null, 2),
  }
}

/** Fields without subfields that are not deprecated and that everyone may read. */
function fieldsOf(of: Resource): string[] {
  return [...of.fields.values()]
    .filter((field) => field.kind === 'stored' && isPlain(field.type) && isForAll(field))
    .map(({ name }) => name)
    .slice(0, maxFields)
}

function isPlain(type: (Field & { kind: 'stored' })['type']): boolean {
  return type.kind === 'list' ? isPlain(type.of) : type.kind !== 'value'
}

function relationsOf(of: Resource): Relation[] {
  return [...of.fields.values()]
    .filter((field): field is Relation => field.kind !== 'stored' && field.to.kind === 'resource' && isForAll(field))
    .slice(0, maxRelations)
}

function referencesOf(of: Resource): Relation[] {
  return relationsOf(of).filter(({ kind }) => kind === 'reference')
}

function isForAll(field: Field): boolean {
  return field.deprecated === null && field.rules.length === 0 && !isReadRestricted(field)
}

function isMany({ kind }: Field): boolean {
  return kind === 'many' || kind === 'links'
}

function requiredRelations(of: Resource): number {
  return [...of.fields.values()].filter((field) => field.kind === 'reference' && isRequiredInput(field)).length
}

/** The first item with the highest score. */
function highest<T>(all: readonly T[], score: (one: T) => number): T {
  return all.toSorted((left, right) => score(right) - score(left))[0]!
}

function document(head: string, selections: readonly string[]): string {
  return `${block(head, selections)}\n`
}

function block(head: string, selections: readonly string[]): string {
  return `${head} {\n${selections.join('\n').replace(/^/gm, '  ')}\n}`
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
