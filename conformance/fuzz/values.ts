// Generates values that a schema allows, and values that it does not.

import fc from 'fast-check'
import type { ApiDocument, Schema } from './openapi-document.ts'
import type { Random } from './random.ts'

/** Ids of existing rows, by the name of their type. */
export type Ids = (type: string) => string[]

export class Values {
  readonly #document: ApiDocument
  readonly #random: Random
  readonly #ids: Ids
  /** By pattern: they are expensive to create. */
  readonly #matchers = new Map<string, fc.Arbitrary<string>>()

  constructor(document: ApiDocument, random: Random, ids: Ids) {
    this.#document = document
    this.#random = random
    this.#ids = ids
  }

  /** `required`: only required members, in half of the cases. */
  valid(unresolved: Schema, depth = 0): unknown {
    const random = this.#random
    const schema = this.#document.schema(unresolved)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return random.one(schema.enum)
    const ways = schema.anyOf ?? schema.oneOf
    if (ways !== undefined) return this.valid(random.one(ways), depth)
    if (schema['x-references'] !== undefined && !isNullable(schema)) return this.#reference(schema['x-references'])
    const type = random.one([schema.type ?? 'any'].flat())
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return random.chance(0.5)
      case 'integer':
        if (schema.examples !== undefined && random.chance(0.7)) return random.one(schema.examples)
        return random.between(...rangeOf(schema))
      case 'number':
        return Math.round(random.between(...rangeOf(schema)) * 8) / 8
      case 'string':
        return schema['x-references'] === undefined ? this.#text(schema) : this.#reference(schema['x-references'])
      case 'array': {
        const min = schema.minItems ?? 0
        const max = Math.min(schema.maxItems ?? 3, Math.max(min, depth > 4 ? 0 : 3))
        return Array.from({ length: random.between(min, max) }, () => this.valid(schema.items ?? {}, depth + 1))
      }
      case 'object':
        return this.#object(schema, depth)
      default:
        return random.one<unknown>([1, 'text', true, ['list'], { any: null }])
    }
  }

  /** One of the alternatives of a schema. */
  way(unresolved: Schema): Schema {
    const ways = unresolved.anyOf ?? unresolved.oneOf
    return ways === undefined ? unresolved : this.way(this.#random.one(ways))
  }

  /** The JSON patch (RFC 6902) for the changes of a merge patch. */
  patch(merge: Schema): unknown[] {
    const random = this.#random
    const members = Object.entries(this.#document.schema(merge).properties ?? {})
    const operation = () => {
      const [name, schema] = random.one(members)
      const path = `/${name}${random.chance(0.1) ? '/0' : ''}`
      const from = `/${random.one(members)[0]}`
      const op = random.one(['add', 'replace', 'add', 'replace', 'test', 'remove', 'copy', 'move'])
      if (op === 'remove') return { op, path }
      return op === 'copy' || op === 'move' ? { op, path, from } : { op, path, value: this.valid(schema, 1) }
    }
    return Array.from({ length: random.between(0, 3) }, operation)
  }

  /** A value that is invalid where an object of these members, or a list of them, is expected. */
  spoiled(unresolved: Schema): { value: unknown; how: string } {
    const random = this.#random
    const schema = this.#document.schema(unresolved)
    const valid = this.valid(schema)
    if (Array.isArray(valid)) {
      const { value, how } = this.spoiled(this.way(schema.items ?? {}))
      return random.chance(0.5) ? { value: [...valid, value], how } : { value: 'text', how: 'another type' }
    }
    if (typeof valid !== 'object' || valid === null) return { value: { no: 'thing' }, how: 'another type' }
    const members = valid as Record<string, unknown>
    const [needed] = schema.required ?? []
    const how = random.one([
      ...(schema.additionalProperties === false ? ['unknown member'] : []),
      'another type',
      'nothing',
      ...(needed === undefined ? [] : ['missing member']),
    ])
    switch (how) {
      case 'unknown member':
        return { value: { ...members, [random.one(['x', '__proto__', 'constructor', 'tit le', ''])]: 1 }, how }
      case 'missing member': {
        const { [needed!]: _, ...rest } = members
        return { value: rest, how }
      }
      case 'another type':
        return { value: random.one<unknown>([[[members]], 'text', 5, true]), how }
      default:
        return { value: null, how }
    }
  }

  #object(schema: Schema, depth: number): object {
    const members = Object.entries(schema.properties ?? {}).filter(([name, member]) => {
      if (schema.required?.includes(name)) return true
      return member.readOnly !== true && depth < 3 && this.#random.chance(depth === 0 ? 0.6 : 0.3)
    })
    const chosen = new Set(members.map(([name]) => name))
    const values = members
      .filter(([name]) => !name.startsWith('_') || !chosen.has(name.slice(1))) // `_tags` changes the list that `tags` would set
      .map(([name, member]): [string, unknown] => [name, this.valid(member, depth + 1)])
    return Object.fromEntries(
      values.map(([name, value]) => [name, name === '_increment' ? without(value, chosen) : value]),
    )
  }

  #reference(type: string): string {
    const ids = this.#ids(type)
    return ids.length === 0 || this.#random.chance(0.05) ? `no-${this.#random.between(0, 99)}` : this.#random.one(ids)
  }

  #text(schema: Schema): string {
    const random = this.#random
    const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
    if (format !== undefined && formats[format] !== undefined) return formats[format](random)
    if (pattern !== undefined) return this.#matching(pattern, minLength, maxLength)
    const word = random.one(['', 'a', 'Ünïcode “quoted” 🎈', "it's; DROP TABLE", '%00', 'null', 'x'.repeat(200), '<b>'])
    const characters = [...`${word}${random.chance(0.7) ? random.between(0, 1e9) : ''}`.padEnd(minLength, 'y')]
    return characters.slice(0, maxLength).join('')
  }

  #matching(pattern: string, min: number, max: number): string {
    const texts = this.#matchers.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'))
    this.#matchers.set(pattern, texts)
    const fitting = texts.filter((text) => {
      const { length } = [...text]
      return length >= min && length <= max && !text.includes('\0') && text.isWellFormed()
    })
    return fc.sample(fitting, { seed: this.#random.between(0, 2 ** 31 - 1), numRuns: 1 })[0]!
  }
}

function isNullable({ type }: Schema): boolean {
  return Array.isArray(type) && type.includes('null')
}

function rangeOf({ minimum = -1000, maximum = 1000 }: Schema): [number, number] {
  return [Math.ceil(minimum), Math.floor(Math.max(minimum, maximum))]
}

const day = (random: Random) => `20${random.between(10, 30)}-0${random.between(1, 9)}-${random.between(10, 28)}`
const time = (random: Random) => `${random.between(10, 23)}:${random.between(10, 59)}:00Z`

const formats: Record<string, (random: Random) => string> = {
  email: (random) => `p${random.between(0, 1e6)}@example.org`,
  uri: (random) => `https://example.org/${random.between(0, 1e6)}`,
  uuid: (random) => `0197c1a2-7d3e-7abc-8def-${String(random.between(0, 1e9)).padStart(12, '0')}`,
  hostname: (random) => `h${random.between(0, 99)}.example.org`,
  ipv4: (random) => `192.0.2.${random.between(0, 255)}`,
  ipv6: () => '2001:db8::1',
  date: day,
  time,
  'date-time': (random) => `${day(random)}T${time(random)}`,
  duration: (random) => `P${random.between(1, 9)}D`,
  password: (random) => `password ${random.between(0, 99)}`,
}

/** A field is set or counted, not both. */
function without(amounts: unknown, fields: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries((amounts ?? {}) as object).filter(([name]) => !fields.has(name)))
}
