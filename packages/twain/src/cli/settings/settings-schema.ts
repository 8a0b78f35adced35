// The JSON Schema of settings in a JSON file, and of the environment variables: made from the settings table. The package has it as
// `twain/settings.schema.json`, for editors and for checks of deployments.

import type { Json } from '#model'
import { type Setting, settings, variableOf } from './settings.ts'

type Schema = { [keyword: string]: Json }

export function settingsSchema(): string {
  const schema: Schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Twain',
    description:
      'A setting stands in its group, or under its full name: {"limits": {"depth": 6}} or {"limits.depth": 6}.',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...memberSchemas(), ...fullNames() },
    additionalProperties: false,
    $defs: { settings: settingSchemas(), environment: environmentSchema() },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** Each setting once, by its full name. */
function settingSchemas(): Schema {
  return Object.fromEntries(settings.map((setting) => [setting.name, settingSchema(setting)]))
}

/** `limits.depth`, where the setting is in a group. */
function fullNames(): Schema {
  return Object.fromEntries(
    settings.filter(({ name }) => name.includes('.')).map(({ name }) => [name, reference(name)]),
  )
}

/** The groups, and the settings without one. `database` is both. */
function memberSchemas(): Schema {
  const members = new Map<string, Schema[]>()
  for (const { name } of settings) {
    const [group = '', member] = name.split('.')
    if (members.has(group)) continue
    const known: Schema[] = member === undefined ? [reference(name)] : []
    const inside = settings.filter((other) => other.name.startsWith(`${group}.`))
    members.set(group, inside.length === 0 ? known : [...known, groupSchema(group, inside)])
  }
  return Object.fromEntries(
    [...members].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0]! : { anyOf: schemas }]),
  )
}

function groupSchema(group: string, inside: readonly Setting[]): Schema {
  const properties = inside.map(({ name }) => [name.slice(group.length + 1), reference(name)] as const)
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

function reference(name: string): Schema {
  return { $ref: `#/$defs/settings/${name}` }
}

function settingSchema(setting: Setting): Schema {
  const { about, default: standard, dev, secret } = setting
  return {
    description: dev === undefined ? about : `${about} (twain dev: ${dev})`,
    ...valueSchema(setting),
    ...(standard === null ? {} : { default: standard }),
    ...(secret === true ? { writeOnly: true } : {}),
  }
}

/** Null is a setting that is not set. */
function valueSchema({ value, min, max, default: standard }: Setting): Schema {
  if (typeof standard === 'boolean') return { type: ['boolean', 'null'] }
  if (min !== undefined) return { type: ['integer', 'null'], minimum: min, ...bounded(max) }
  if (value.includes('|')) return { enum: [...value.split('|'), null] }
  if (value === 'OBJECT') return { type: ['string', 'object', 'null'], minLength: 1 }
  const list = lists.get(value)
  if (list === undefined) return { type: ['string', 'null'], minLength: 1 }
  return { type: ['string', 'array', ...list.or, 'null'], minLength: 1, items: { type: list.of } }
}

/** Settings that take several values, which a file can have as a list. */
const lists: ReadonlyMap<string, { of: 'string' | 'object' | 'integer'; or: readonly string[] }> = new Map([
  ['URLS', { of: 'string', or: [] }],
  ['ORIGINS', { of: 'string', or: [] }],
  ['PROXIES', { of: 'string', or: ['integer'] }],
  ['SIZES', { of: 'integer', or: ['integer'] }],
  ['JSON', { of: 'object', or: [] }],
])

function bounded(max: number | undefined): Schema {
  return max === undefined || max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }
}

/** Variables are texts. An empty one is not set; `TWAIN_…_FILE` names a file with the value. */
function environmentSchema(): Schema {
  const variables = settings.flatMap((setting) => {
    const variable = variableOf(setting.name)
    const file = { type: 'string', description: `A file with the value of ${variable}.` }
    return [[variable, variableSchema(setting)] as const, [`${variable}_FILE`, file] as const]
  })
  return { type: 'object', properties: Object.fromEntries(variables) }
}

function variableSchema({ about, value, min }: Setting): Schema {
  if (min !== undefined) return { type: 'string', pattern: '^[0-9]*$', description: about }
  if (value.includes('|')) return { type: 'string', enum: ['', ...value.split('|')], description: about }
  return { type: 'string', description: about }
}
