// `twain.config.ts` beside the schema file: settings by their names, `export default { limits: { depth: 6 }, http: { cors: […] } }`.

import { isRecord } from '#base'
import { configName, loadConfig } from '#code'

/** What the file says, by the names of the settings and as a flag would say it. */
export type ConfigFile = ReadonlyMap<string, string>

/** What in the file is code: the service binds it to its contract. */
const code: ReadonlySet<string> = new Set(['resolvers', 'before', 'after', 'on'])

/** Empty when there is no such file. What is wrong with it goes to `mistakes`. */
export async function readConfigFile(schemaFile: string, mistakes: string[]): Promise<ConfigFile> {
  const said = new Map<string, string>()
  const exported = await load(schemaFile, mistakes)
  if (exported === undefined) return said
  if (!isRecord(exported)) mistakes.push(`${configName} wants export default { … } with settings.`)
  else gather(exported, '', said, mistakes)
  return said
}

async function load(schemaFile: string, mistakes: string[]): Promise<unknown> {
  try {
    return (await loadConfig(schemaFile))?.exported
  } catch (error) {
    mistakes.push(`${configName} can't be run: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

function gather(record: object, prefix: string, said: Map<string, string>, mistakes: string[]): void {
  for (const [key, value] of Object.entries(record)) {
    const name = `${prefix}${key}`
    if (prefix === '' && code.has(key)) continue
    else if (isRecord(value)) gather(value, `${name}.`, said, mistakes)
    else if (Array.isArray(value)) said.set(name, value.join(','))
    else if (value !== undefined && value !== null) said.set(name, String(value))
  }
}
