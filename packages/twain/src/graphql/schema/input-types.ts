// The input types of writes: one to create and replace, one to update, and one for each value type.

import {
  changedRowInput,
  countableFields,
  type Field,
  incrementInput,
  incrementMember,
  isChangedInLists,
  isFile,
  isOwned,
  type Json,
  type LinksField,
  type Model,
  ownedInput,
  type ReferenceField,
  type Resource,
  type StoredField,
  servedResources,
  type ToManyField,
  takesNewRows,
  type ValueType,
  writesOf,
} from '#model'
import { hasOneName, withAliases } from '#model/names'
import { isRequiredInput } from '#plan/build'
import { keyTypes } from './key-types.ts'
import { listInputTypes, listMembers } from './list-input-types.ts'
import { block, deprecation, described, inputMemberText, inputType } from './sdl.ts'
import { passwordInput } from './sign-in-types.ts'

export function inputTypes(model: Model): string[] {
  return [
    ...servedResources(model).flatMap((resource) => resourceInputs(resource, model)),
    ...[...model.values, ...model.system.values].map(valueInput),
    ...model.inputs.map(customInput),
  ]
}

/** An input type of the schema file. */
function customInput({ name, description, fields, isOneOf }: ValueType): string {
  const lines = [...fields.values()].map((field) => described(field.description, inputMemberText(field)))
  return described(description, block(`input ${name}${isOneOf ? ' @oneOf' : ''}`, lines))
}

function resourceInputs(resource: Resource, model: Model): string[] {
  const create = createFields(resource, null)
  if (isAccount(resource, model)) create.push(passwordInput.create, passwordInput.current, passwordInput.captcha)
  const update = updateFields(resource, model).map(({ text }) => text)
  const counted = withAliases(countableFields(resource)).map(({ name, type, description, deprecated }) =>
    described(description, `${name}: ${inputType(type)}${deprecation(deprecated)}`),
  )
  // An input type must have a field, even if a resource has nothing to write but its id.
  if (create.length === 0) create.push(placeholderField)
  const inputs: string[] = []
  if (writesOf(resource).includes('create')) {
    inputs.push(described(`The fields of a new ${resource.name}.`, block(`input Create${resource.name}Input`, create)))
  }
  if (update.length > 0 && writesOf(resource).includes('update')) {
    inputs.push(
      described(`The fields of a ${resource.name} to change.`, block(`input Update${resource.name}Input`, update)),
    )
  }
  if (counted.length > 0) {
    const about = `Numbers to add to those of a ${resource.name}; not 0.`
    inputs.push(described(about, block(`input ${incrementInput(resource)}`, counted)))
  }
  if (isChangedInLists(resource, model.resources)) inputs.push(changedRow(resource, model))
  inputs.push(...keyTypes(resource))
  return [...inputs, ...[...resource.fields.values()].filter(takesNewRows).map(rowInput), ...listInputTypes(resource)]
}

/** A row that is updated along with a row that has it in a list. The login of an account is changed by a write of its own. */
function changedRow(resource: Resource, model: Model): string {
  const isOwnWrite = (name: string) =>
    isAccount(resource, model) &&
    (name === model.account!.login.name || ['password', 'currentPassword', '_locked'].includes(name))
  const fields = updateFields(resource, model).filter(({ name }) => name !== 'id' && !isOwnWrite(name))
  return described(
    `A ${resource.name} in a list, and its fields to change.`,
    block(`input ${changedRowInput(resource)}`, ['id: ID!', ...fields.map(({ text }) => text)]),
  )
}

/** `by` is the list that the new row belongs to; it sets the reference back. */
function createFields(resource: Resource, by: ToManyField | null): string[] {
  const fields = writable(resource).filter((field) => field !== by?.via)
  const lists = [...resource.fields.values()].filter(isOwned)
  return [
    ...withAliases(fields).map(createField),
    ...lists.flatMap((list) =>
      withAliases([list]).map(({ name, deprecated }) =>
        described(list.description, `${name}: [${ownedInput(list)}!]${deprecation(deprecated)}`),
      ),
    ),
    ...listMembers(resource, 'create').map(({ text }) => text),
  ]
}

/** A row that is created together with its owner. */
function rowInput(by: ToManyField): string {
  const { to, owner } = by
  const fields = createFields(to, by)
  if (fields.length === 0) fields.push(placeholderField)
  return described(
    `A new ${to.name}, created together with its ${owner.name}.`,
    block(`input ${ownedInput(by)}`, fields),
  )
}

const placeholderField = described('This type has no field to write; leave it out.', '_: Boolean')

/** The fields that an update can change, each as an optional input field or argument. */
export function updateFields(resource: Resource, model: Model): { name: string; text: string }[] {
  const fields = withAliases(writable(resource).filter(isUpdatable)).map((field) => ({
    name: field.name,
    text: described(field.description, `${field.name}: ${writtenType(field)}${deprecation(field.deprecated)}`),
  }))
  const counted = countableFields(resource)
  if (counted.length > 0) {
    // It goes with the last of its fields.
    const reason = counted.every(({ deprecated }) => deprecated !== null) ? counted[0]!.deprecated : null
    const text = `${incrementMember}: ${incrementInput(resource)}${deprecation(reason)}`
    fields.push({ name: incrementMember, text: described(incrementText, text) })
  }
  fields.push(...listMembers(resource, 'update'))
  if (!isAccount(resource, model)) return fields
  const { update, current, locked } = passwordInput
  return [
    ...fields,
    { name: 'password', text: update },
    { name: 'currentPassword', text: current },
    { name: '_locked', text: locked },
  ]
}

const incrementText =
  'Numbers to add to those of the row, without reading it. The constraints of a field hold for the sum. Null stays null.'

function isAccount(resource: Resource, { account }: Model): boolean {
  return account?.resource === resource
}

/** A field that is set to the viewer on create never changes. */
function isUpdatable(field: WritableField): boolean {
  if (field.kind === 'links') return true
  return !field.immutable && !(field.kind === 'reference' && field.auto !== null)
}

type WritableField = StoredField | ReferenceField | LinksField

/** Not the id, nor fields that the server sets, nor the inverse of a reference. */
function writable(resource: Resource): WritableField[] {
  return [...resource.fields.values()].filter(isWritable)
}

function isWritable(field: Field): field is WritableField {
  if (field.kind === 'stored') return field.name !== 'id' && field.auto === null
  return field.kind === 'reference' || field.kind === 'links'
}

function createField(field: WritableField): string {
  // A client may use either of two names, so GraphQL requires neither; the write requires one of them.
  const end = isRequiredInput(field) && hasOneName(field) ? '!' : deprecation(field.deprecated)
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
    const needed = field.required && field.default === undefined && hasOneName(field)
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
  if (field.kind === 'links') return null
  if (field.defaultClaim !== undefined) return `the claim ${field.defaultClaim} of the token`
  return printDefault(field.default)
}

function printDefault(defaultValue: Json | undefined): string | null {
  return defaultValue === undefined ? null : JSON.stringify(defaultValue)
}

function withDefault(description: string | null, defaultText: string | null): string | null {
  if (defaultText === null) return description
  return [description, `Default: ${defaultText}.`].filter((text) => text !== null).join('\n\n')
}
