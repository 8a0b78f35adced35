// What a write takes: an input for creating and replacing, one for updating, and a twin of each value type.

import {
  type Field,
  isFile,
  isOwned,
  type Json,
  type LinksField,
  type Model,
  ownedInput,
  type ReferenceField,
  type Resource,
  type StoredField,
  type ToManyField,
  type ValueType,
  withAliases,
} from '#model'
import { isRequiredInput } from '#plan/build'
import { block, deprecation, described, inputMemberText, inputType } from './sdl.ts'
import { passwordInput } from './token-types.ts'

export function inputTypes(model: Model): string[] {
  return [
    ...model.resources.flatMap((resource) => resourceInputs(resource, model)),
    ...model.values.map(valueInput),
    ...model.inputs.map(customInput),
  ]
}

/** As the file has it. */
function customInput({ name, description, fields, isOneOf }: ValueType): string {
  const lines = [...fields.values()].map((field) => described(field.description, inputMemberText(field)))
  return described(description, block(`input ${name}${isOneOf ? ' @oneOf' : ''}`, lines))
}

function resourceInputs(resource: Resource, model: Model): string[] {
  const create = createFields(resource, null)
  if (isAccount(resource, model)) create.push(passwordInput.create)
  const update = updateFields(resource, model).map(({ text }) => text)
  // An input object must have a field, also where a type has nothing to write but its id.
  if (create.length === 0) create.push(placeholderField)
  const inputs = [described(`A new ${resource.name}.`, block(`input Create${resource.name}Input`, create))]
  if (update.length > 0) {
    inputs.push(
      described(`What to change of one ${resource.name}.`, block(`input Update${resource.name}Input`, update)),
    )
  }
  return [...inputs, ...[...resource.fields.values()].filter(isOwned).map(rowInput)]
}

/** `by` is the list whose row this is, which says what it refers back to. */
function createFields(resource: Resource, by: ToManyField | null): string[] {
  const own = writable(resource).filter((field) => field !== by?.via)
  const lists = [...resource.fields.values()].filter(isOwned)
  return [
    ...withAliases(own).map(createField),
    ...lists.flatMap((list) =>
      withAliases([list]).map(({ name, deprecated }) =>
        described(list.description, `${name}: [${ownedInput(list)}!]${deprecation(deprecated)}`),
      ),
    ),
  ]
}

/** A row that is made along with the one that it belongs to. */
function rowInput(by: ToManyField): string {
  const { to, owner } = by
  const fields = createFields(to, by)
  if (fields.length === 0) fields.push(placeholderField)
  return described(`A new ${to.name}, made along with its ${owner.name}.`, block(`input ${ownedInput(by)}`, fields))
}

const placeholderField = described('Nothing of this type can be written; leave it out.', '_: Boolean')

/** What an update can change, each as an optional input field or argument. */
export function updateFields(resource: Resource, model: Model): { name: string; text: string }[] {
  const fields = withAliases(writable(resource).filter(isUpdatable)).map((field) => ({
    name: field.name,
    text: described(field.description, `${field.name}: ${writtenType(field)}${deprecation(field.deprecated)}`),
  }))
  return isAccount(resource, model) ? [...fields, { name: 'password', text: passwordInput.update }] : fields
}

function isAccount(resource: Resource, { account }: Model): boolean {
  return account?.resource === resource
}

/** What is set to the viewer is so when the row is made, and stays. */
function isUpdatable(field: WritableField): boolean {
  if (field.kind === 'links') return true
  return !field.immutable && !(field.kind === 'reference' && field.auto !== null)
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
  // Of two names either may be given, so that GraphQL asks for neither; the write asks for one.
  const end = isRequiredInput(field) && field.alias === undefined ? '!' : deprecation(field.deprecated)
  return described(withDefault(field.description, defaultOf(field)), `${field.name}: ${writtenType(field)}${end}`)
}

function writtenType(field: WritableField): string {
  switch (field.kind) {
    case 'stored':
      return inputType(field.type)
    case 'reference':
      return isFile(field.to) ? 'Upload' : 'ID'
    case 'links':
      return isFile(field.to) ? '[Upload!]' : '[ID!]'
  }
}

function valueInput(value: ValueType): string {
  const lines = withAliases(value.fields.values()).map((field) => {
    const needed = field.required && field.default === undefined && field.alias === undefined
    const end = needed ? '!' : deprecation(field.deprecated)
    return described(
      withDefault(field.description, printDefault(field.default)),
      `${field.name}: ${inputType(field.type)}${end}`,
    )
  })
  return described(value.description, block(`input ${value.name}Input`, lines))
}

function defaultOf(field: WritableField): string | null {
  if (field.kind === 'reference' && (field.auto === 'VIEWER' || field.defaultsToViewer)) return "the viewer's account"
  return field.kind === 'links' ? null : printDefault(field.default)
}

function printDefault(fallback: Json | undefined): string | null {
  return fallback === undefined ? null : JSON.stringify(fallback)
}

function withDefault(description: string | null, fallback: string | null): string | null {
  if (fallback === null) return description
  return [description, `When left out: ${fallback}.`].filter((text) => text !== null).join('\n\n')
}
