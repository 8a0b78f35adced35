import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings, type Setting, settings, variableOf } from './settings.ts'
import { settingsSchema } from './settings-schema.ts'

const file = join(import.meta.dirname, '../../../settings.schema.json')

interface SchemaView {
  $ref?: string
  description?: string
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  properties?: Record<string, SchemaView>
  anyOf?: SchemaView[]
}

const schema = JSON.parse(settingsSchema()) as SchemaView & {
  $defs: { settings: Record<string, SchemaView>; environment: SchemaView }
}

test('settings.schema.json is up to date; WRITE_SETTINGS_SCHEMA=1 writes it', () => {
  if (process.env.WRITE_SETTINGS_SCHEMA === '1') writeFileSync(file, settingsSchema())
  assert.equal(readFileSync(file, 'utf8'), settingsSchema())
})

test('it has each setting in its group and under its full name, and nothing else', () => {
  const named = new Set<string>()
  for (const [name, member] of Object.entries(schema.properties!)) {
    if (name === '$schema') continue
    for (const one of member.anyOf ?? [member]) {
      const inside = Object.entries(one.properties ?? {})
      for (const [key, { $ref }] of inside) named.add(`${name}.${key} ${$ref}`)
      if (one.$ref !== undefined) named.add(`${name} ${one.$ref}`)
    }
  }
  assert.deepEqual(
    [...named].sort(),
    settings.map(({ name }) => `${name} #/$defs/settings/${name}`).sort(),
    'a setting in a group is also a member under its full name',
  )
  for (const { name } of settings) assert.ok(Object.hasOwn(schema.properties!, name) || !name.includes('.'), name)
  assert.deepEqual(
    Object.keys(schema.$defs.settings),
    settings.map(({ name }) => name),
  )
})

test('its types, bounds and defaults are those of the settings table', () => {
  for (const setting of settings) {
    const { name, default: standard, about } = setting
    const view = schema.$defs.settings[name]!
    assert.equal(view.default ?? null, standard, name)
    assert.ok(view.description!.startsWith(about), name)
    for (const value of samplesOf(setting, view)) {
      const mistakes: string[] = []
      readSettings({ flags: new Map(), env: {}, config: new Map([[name, String(value)]]) }, mistakes)
      const isRefused = mistakes.some((mistake) => mistake.startsWith(`${name} in `))
      assert.equal(isRefused, !accepts(view, value), `${name}: ${value}`)
    }
  }
})

test('it has each variable', () => {
  const expected = settings.flatMap(({ name }) => [variableOf(name), `${variableOf(name)}_FILE`])
  assert.deepEqual(Object.keys(schema.$defs.environment.properties!), expected)
})

/** Values at the bounds and beside them, and each choice. */
function samplesOf({ min, max, value }: Setting, view: SchemaView): (number | boolean | string)[] {
  if (min !== undefined) return [min, max!, min - 1, ...(max === Number.MAX_SAFE_INTEGER ? [] : [max! + 1])]
  if (view.enum !== undefined) return [...value.split('|'), 'other']
  return view.type?.includes('boolean') === true ? [true, false] : []
}

function accepts({ minimum, maximum, enum: choices }: SchemaView, value: number | boolean | string): boolean {
  if (typeof value === 'number') return value >= minimum! && value <= (maximum ?? Number.MAX_SAFE_INTEGER)
  return choices?.includes(value) ?? true
}
