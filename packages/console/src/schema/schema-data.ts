// The schema as `/docs/schema` has it, joined by names, and who uses what (`/docs/contract`).

import { client } from '../api/client.ts'

interface SchemaPlace {
  file: string
  line: number
}

export interface SchemaType extends SchemaPlace {
  name: string
  kind: 'resource' | 'view' | 'interface' | 'union' | 'value' | 'input' | 'enum' | 'scalar' | 'root'
  path: string | null
  description: string | null
  memberOf: readonly string[]
  hooks: readonly string[]
}

export interface SchemaField extends SchemaPlace {
  of: string
  name: string
  kind: 'value' | 'reference' | 'list' | 'computed' | 'enumValue' | 'operation'
  type: string
  to: string | null
  inverse: string | null
  unique: boolean
  description: string | null
  deprecated: string | null
  start: string | null
}

export interface SchemaRule extends SchemaPlace {
  of: string
  field: string | null
  rule: string
}

export interface SchemaTransition extends SchemaPlace {
  of: string
  field: string
  from: string
  to: string
  who: string
  rule: string
}

interface SchemaDependency extends SchemaPlace {
  of: string
  field: string
  by: string
  what: string
}

interface SchemaLists {
  types: readonly SchemaType[]
  fields: readonly SchemaField[]
  rules: readonly SchemaRule[]
  transitions: readonly SchemaTransition[]
  dependencies: readonly SchemaDependency[]
}

export interface ClientUse {
  client: string
  requested: string | null
  returned: string | null
  /** The last days through each API. */
  rest: string | null
  graphql: string | null
}

export interface SchemaUses {
  since: string | null
  /** By path: `Post.title`. */
  uses: Readonly<Record<string, { by: readonly ClientUse[] }>>
}

export class Schema {
  readonly types: readonly SchemaType[]
  readonly #types: ReadonlyMap<string, SchemaType>
  readonly #fields: ReadonlyMap<string, readonly SchemaField[]>
  readonly #rules: ReadonlyMap<string, readonly SchemaRule[]>
  readonly #transitions: ReadonlyMap<string, readonly SchemaTransition[]>
  readonly #dependencies: ReadonlyMap<string, readonly SchemaDependency[]>

  constructor({ types, fields, rules, transitions, dependencies }: SchemaLists) {
    this.types = types
    this.#types = new Map(types.map((type) => [type.name, type]))
    this.#fields = Map.groupBy(fields, ({ of }) => of)
    this.#rules = Map.groupBy(rules, ({ of, field }) => pathOf(of, field))
    this.#transitions = Map.groupBy(transitions, ({ of, field }) => pathOf(of, field))
    this.#dependencies = Map.groupBy(dependencies, ({ of, field }) => pathOf(of, field))
  }

  type(name: string | null): SchemaType | undefined {
    return name === null ? undefined : this.#types.get(name)
  }

  fieldsOf(type: string): readonly SchemaField[] {
    return this.#fields.get(type) ?? []
  }

  /** `field`: null for the rules of the type. */
  rulesOf(type: string, field: string | null): readonly SchemaRule[] {
    return this.#rules.get(pathOf(type, field)) ?? []
  }

  transitionsOf(type: string, field: string): readonly SchemaTransition[] {
    return this.#transitions.get(pathOf(type, field)) ?? []
  }

  dependenciesOf(type: string, field: string): readonly SchemaDependency[] {
    return this.#dependencies.get(pathOf(type, field)) ?? []
  }

  /** The types with the words in their name, or in that of a field. */
  find(words: string): readonly SchemaType[] {
    const wanted = words.trim().toLowerCase()
    if (wanted === '') return this.types
    const has = (name: string) => name.toLowerCase().includes(wanted)
    return this.types.filter(({ name }) => has(name) || this.fieldsOf(name).some((field) => has(field.name)))
  }
}

export function pathOf(type: string, field: string | null): string {
  return field === null ? type : `${type}.${field}`
}

export async function loadSchema(): Promise<Schema> {
  return new Schema((await client.rest.get<SchemaLists>('/docs/schema')).data!)
}

export async function loadUses(): Promise<SchemaUses> {
  return (await client.rest.get<SchemaUses>('/docs/contract')).data!
}
