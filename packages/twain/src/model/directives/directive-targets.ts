// Which directives fit which kind of field. GraphQL itself only has FIELD_DEFINITION.

import type { MistakeReport } from '../mistakes.ts'
import type { DeclaredField } from '../parse/outline.ts'

/** The kind of a field, as Twain reads it. */
type FieldRole = 'id' | 'stored' | 'reference' | 'inverse' | 'many' | 'links' | 'value' | 'computed' | 'interface'

const always = ['deprecated', 'allow', 'was', 'cacheControl', 'cost']

const fitting: Readonly<Record<FieldRole, { takes: readonly string[]; words: string }>> = {
  id: {
    takes: always.filter((name) => name !== 'was'),
    words: 'is the id, which the server generates and which is always unique',
  },
  stored: {
    takes: [...always, 'unique', 'index', 'default', 'auto', 'immutable', 'constraint', 'search', 'collation', 'label'],
    words: 'is stored in the row itself',
  },
  reference: {
    takes: [...always, 'unique', 'index', 'default', 'auto', 'immutable', 'relation'],
    words: 'is a reference',
  },
  inverse: { takes: [...always, 'relation'], words: 'is the other side of a reference, and has no column' },
  many: { takes: [...always, 'relation', 'default'], words: 'is the other side of a reference' },
  links: { takes: [...always, 'relation'], words: 'is a many-to-many relation' },
  computed: { takes: [...always, 'computed'], words: 'is computed, not stored' },
  value: {
    takes: ['deprecated', 'default', 'constraint', 'was', 'cost', 'collation'],
    words: 'is stored inside the row of another type',
  },
  interface: { takes: ['deprecated', 'was', 'cacheControl', 'cost'], words: 'is only declared here' },
}

const fitsOn: Readonly<Record<string, string>> = {
  unique: 'on a scalar, an enum or a reference of a resource',
  index: 'on a scalar, an enum or a reference of a resource',
  default: 'on a field that a create can write',
  auto: 'on a DateTime of a resource, or on a reference to the account type',
  immutable: 'on a field of a resource that can be written',
  constraint: 'on a scalar or a list of scalars',
  relation: 'on a reference or a list of resources',
  search: 'on a String of a resource',
  collation: 'on a String',
  label: 'on a scalar or an enum of a resource',
  computed: 'on a field of a resource',
  was: 'on a field that the file names',
  resource: 'on a type, or on a custom operation',
  allow: 'on a resource or a field of one',
}

export function checkFits(owner: string, field: DeclaredField, role: FieldRole, report: MistakeReport): void {
  const { takes, words } = fitting[role]
  for (const { name, node } of field.uses) {
    if (takes.includes(name)) continue
    const where = role === 'interface' ? 'on the types that implement it' : (fitsOn[name] ?? 'elsewhere')
    report.at(node, `@${name} does not fit ${owner}.${field.name}, which ${words}.`, `It makes sense ${where}.`)
  }
}
