// The input types of writes of a list's rows (`_tags`), along with the row that has the list.

import {
  changeableLists,
  changedRowInput,
  isFile,
  type ListField,
  type ListWrite,
  listInput,
  listMember,
  listWrites,
  ownedInput,
  type Resource,
} from '#model'
import { withAliases } from '#model/names'
import { block, deprecation, described } from './sdl.ts'

/** The member of each list in the input of a create or an update. */
export function listMembers(of: Resource, action: 'create' | 'update'): { name: string; text: string }[] {
  return changeableLists(of, action).flatMap(({ field }) =>
    withAliases([field]).map(({ name, deprecated }) => {
      const member = listMember({ name })
      const text = `${member}: ${listInput(field, action)}${deprecation(deprecated)}`
      return { name: member, text: described(`Changes \`${field.name}\`, along with the row.`, text) }
    }),
  )
}

/** The types of these members. On a create and on an update a list may have different ones. */
export function listInputTypes(of: Resource): string[] {
  return (['create', 'update'] as const).flatMap((action) =>
    changeableLists(of, action).map(({ field, writes }) => {
      const lines = writes.map((write) => described(listWriteTexts[write], `${write}: [${itemType(write, field)}!]`))
      const order = listWrites.filter((write) => writes.includes(write)).join(', ')
      const about = `Writes of rows of \`${field.owner.name}.${field.name}\`, in this order: ${order}.`
      return described(about, block(`input ${listInput(field, action)}`, lines))
    }),
  )
}

const listWriteTexts: Readonly<Record<ListWrite, string>> = {
  disconnect: 'The ids of rows to take out of the list.',
  delete: 'The ids of rows of the list to delete.',
  connect: 'The ids of rows to put into the list.',
  update: 'Rows of the list, each with its id and the fields to change.',
  create: 'New rows of the list.',
}

function itemType(write: ListWrite, field: ListField): string {
  const { to } = field
  if (write === 'update') return changedRowInput(to as Resource)
  if (write === 'create') return field.kind === 'many' ? ownedInput(field) : `Create${to.name}Input`
  return isFile(to) && write === 'connect' ? 'Upload' : 'ID'
}
