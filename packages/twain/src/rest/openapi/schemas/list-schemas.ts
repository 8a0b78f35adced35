// `_tags` of a create or a merge patch: writes of the rows of a list, along with the row that has it.

import { changeableLists, type ListField, type ListWrite, listMember, type Resource, type ToManyField } from '#model'
import { withAliases } from '#model/names'
import { type NamedSchema, type OpenapiObject, schemaRef } from '../json-parts.ts'

type ListAction = 'create' | 'update'

/** The member of each list. */
export function listProperties(of: Resource, action: ListAction): OpenapiObject {
  const members = changeableLists(of, action).flatMap(({ field }) =>
    withAliases([field]).map(({ name, deprecated }) => {
      const schema = { anyOf: [schemaRef(listName(field, action)), { type: 'null' }] }
      return [listMember({ name }), deprecated === null ? schema : { ...schema, deprecated: true }] as const
    }),
  )
  return Object.fromEntries(members)
}

/** The schemas of these members. On a create a list has fewer writes. */
export function listSchemas(of: Resource): NamedSchema[] {
  return (['create', 'update'] as const).flatMap((action) =>
    changeableLists(of, action).map(({ field, writes }): NamedSchema => {
      const properties = writes.map((write) => [write, itemsOf(write, field)] as const)
      const description = `Writes of rows of \`${field.name}\`, in the same transaction, in this order: ${writes.join(', ')}. Each is checked like a write of its own. Null changes nothing.`
      const schema = { type: 'object', description, properties: Object.fromEntries(properties) }
      return [listName(field, action), { ...schema, additionalProperties: false }]
    }),
  )
}

function listName({ owner, name }: ListField, action: ListAction): string {
  return `${owner.name}.${name}.${action === 'create' ? 'add' : 'change'}`
}

function itemsOf(write: ListWrite, field: ListField): OpenapiObject {
  return { type: ['array', 'null'], description: descriptions[write], items: itemOf(write, field) }
}

const descriptions: Readonly<Record<ListWrite, string>> = {
  disconnect: 'The ids of rows to take out of the list. Each must be in it.',
  delete: 'The ids of rows of the list to delete.',
  connect: 'The ids of rows to put into the list.',
  update: 'Rows of the list, each with its id and the fields to change.',
  create: 'New rows of the list.',
}

function itemOf(write: ListWrite, field: ListField): OpenapiObject {
  const { to } = field
  if (write === 'update') return schemaRef(changedRowName(to as Resource))
  if (write !== 'create') return { type: 'string', description: `The id of a ${to.name}.`, 'x-references': to.name }
  return schemaRef(field.kind === 'many' ? childCreateName(field) : `${to.name}.create`)
}

/** A row of a list that is updated along with the row that has the list. */
export function changedRowName({ name }: Resource): string {
  return `${name}.merge.by.id`
}

/** A row that is created along with the row that it refers to. */
export function childCreateName({ to, via }: ToManyField): string {
  return `${to.name}.create.along.${via.name}`
}
