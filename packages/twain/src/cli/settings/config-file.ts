// Reads the settings of `twain.config.ts` beside the schema file: `export default { limits: { depth: 6 }, http: { cors: […] } }`.

import { isRecord } from '#base'
import { ConfigNotLoaded, configName, loadConfig } from '#code'

/** Values by setting name (`limits.depth`), written as a flag would be. */
export type ConfigFile = ReadonlyMap<string, string>

/** Members that hold custom code, which the service binds to its schema. */
const code: ReadonlySet<string> = new Set([
  'resolvers',
  'before',
  'after',
  'on',
  'signIn',
  'mails',
  'mail.send',
  'jobs',
])

/** Settings whose value is an object. */
const objects: ReadonlySet<string> = new Set(['auth.providers'])

/** For editors, in settings that come from a JSON file. */
const schemaMember = '$schema'

/** Empty without such a file. Adds mistakes to `mistakes`. */
export async function readConfigFile(schemaFile: string, mistakes: string[]): Promise<ConfigFile> {
  const values = new Map<string, string>()
  const exported = await load(schemaFile, mistakes)
  if (exported === undefined) return values
  if (!isRecord(exported)) mistakes.push(`${configName} must export default { … } with settings.`)
  else gather(exported, '', values, mistakes)
  return values
}

async function load(schemaFile: string, mistakes: string[]): Promise<unknown> {
  try {
    return (await loadConfig(schemaFile))?.exported
  } catch (error) {
    if (!(error instanceof ConfigNotLoaded)) throw error
    mistakes.push(error.message)
    return undefined
  }
}

function gather(record: object, prefix: string, values: Map<string, string>, mistakes: string[]): void {
  for (const [key, value] of Object.entries(record)) {
    const name = `${prefix}${key}`
    if (code.has(name) || name === schemaMember) continue
    else if (objects.has(name) && isRecord(value)) values.set(name, JSON.stringify(value))
    else if (isRecord(value)) gather(value, `${name}.`, values, mistakes)
    else if (Array.isArray(value)) values.set(name, value.some(isRecord) ? JSON.stringify(value) : value.join(','))
    else if (value !== undefined && value !== null) values.set(name, String(value))
  }
}
