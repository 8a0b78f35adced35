// The types of the built-in SDL that belong to one schema: a token refers to the account type of the schema file, and a file knows
// the rows that refer to it. So each model has objects of its own for them.

import { NamedFields } from '../aliases.ts'
import type { Account, Field, FileType, Resource, Rule, StoredField, Who } from '../model.ts'

/** The type, with every reference to an account leading to the account type of the schema file. */
export function bindToAccount(declared: Resource, account: Account): Resource {
  const made = copyOf(declared)
  for (const field of made.fields.values()) if (field.kind === 'reference') field.to = account.resource
  return made
}

/** `holders` and `uploader` are known when all fields of the schema file are read. */
export function bindFile(declared: Resource): FileType {
  const resource = copyOf(declared)
  return {
    resource,
    bytes: internalField(resource, 'bytes', 'String'),
    fresh: internalField(resource, 'fresh', 'Boolean'),
    uploader: null,
    holders: [],
  }
}

function internalField(owner: Resource, name: string, scalar: 'String' | 'Boolean'): StoredField {
  const { place } = owner
  const base = { name, owner, description: null, deprecated: null, required: true, rules: [], place }
  return {
    kind: 'stored',
    ...base,
    type: { kind: 'scalar', name: scalar },
    auto: null,
    constraint: null,
    immutable: true,
  }
}

function copyOf(declared: Resource): Resource {
  const fields = new NamedFields<Field>()
  const made: Resource = { ...declared, fields }
  for (const field of declared.fields.values()) fields.set(field.name, { ...field, owner: made })
  made.rules = declared.rules.map((rule): Rule => ({ ...rule, who: whoIn(made, rule.who) }))
  made.indexes = declared.indexes.map((index) => ({
    ...index,
    fields: index.fields.map(({ name }) => fields.get(name) as (typeof index.fields)[number]),
  }))
  return made
}

/** A path of the built-in SDL has one field. */
function whoIn({ fields }: Resource, who: Who): Who {
  if (who.kind !== 'path') return who
  return { ...who, path: who.path.map(({ name }) => fields.get(name) as (typeof who.path)[number]) }
}
