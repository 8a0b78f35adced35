// What a write takes: an input for creating and replacing, one for updating, and a twin of each value type.

import type { Field, Json, LinksField, Model, ReferenceField, Resource, StoredField, ValueType } from '#model'
import { block, deprecation, described, inputType } from './contract-text.ts'

export function inputTypes(model: Model): string[] {
  return [...model.resources.flatMap(resourceInputs), ...model.values.map(valueInput)]
}

function resourceInputs(resource: Resource): string[] {
  const create = writable(resource).map((field) => createField(field))
  const update = updateFields(resource).map(({ text }) => text)
  // An input object must have a field, also where a type has nothing to write but its id.
  if (create.length === 0) create.push(described('Nothing of this type can be written; leave it out.', '_: Boolean'))
  const inputs = [described(`A new ${resource.name}.`, block(`input Create${resource.name}Input`, create))]
  if (update.length > 0) {
    inputs.push(
      described(`What to change of one ${resource.name}.`, block(`input Update${resource.name}Input`, update)),
    )
  }
  return inputs
}

/** What an update can change, each as an optional input field or argument. */
export function updateFields(resource: Resource): { name: string; text: string }[] {
  return writable(resource)
    .filter((field) => field.kind === 'links' || !field.immutable)
    .map((field) => ({
      name: field.name,
      text: described(field.description, `${field.name}: ${writtenType(field)}${deprecation(field.deprecated)}`),
    }))
}

type WritableField = StoredField | ReferenceField | LinksField

/** Neither the id, nor what the server sets, nor what another type's reference says. */
function writable(resource: Resource): WritableField[] {
  return [...resource.fields.values()].filter(isWritable)
}

function isWritable(field: Field): field is WritableField {
  if (field.kind === 'stored') return field.name !== 'id' && field.auto === null
  return field.kind === 'reference' || field.kind === 'links'
}

function createField(field: WritableField): string {
  const fallback = field.kind === 'links' ? undefined : field.default
  const needed = field.kind !== 'links' && field.required && fallback === undefined
  const end = needed ? '!' : deprecation(field.deprecated)
  return described(withFallback(field.description, fallback), `${field.name}: ${writtenType(field)}${end}`)
}

function writtenType(field: WritableField): string {
  switch (field.kind) {
    case 'stored':
      return inputType(field.type)
    case 'reference':
      return 'ID'
    case 'links':
      return '[ID!]'
  }
}

function valueInput(value: ValueType): string {
  const lines = [...value.fields.values()].map((field) => {
    const needed = field.required && field.default === undefined
    const end = needed ? '!' : deprecation(field.deprecated)
    return described(withFallback(field.description, field.default), `${field.name}: ${inputType(field.type)}${end}`)
  })
  return described(value.description, block(`input ${value.name}Input`, lines))
}

function withFallback(description: string | null, fallback: Json | undefined): string | null {
  if (fallback === undefined) return description
  return [description, `When left out: ${JSON.stringify(fallback)}.`].filter((text) => text !== null).join('\n\n')
}
