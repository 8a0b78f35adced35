// Loads `twain.config.ts` from beside the schema file. A file that was saved since is loaded anew; what it imports is not.

import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const configName = 'twain.config.ts'

export function configPath(schemaFile: string): string {
  return join(dirname(resolve(schemaFile)), configName)
}

/** What the file exports by default, the same object for as long as it is not saved again; null: there is no such file.
 *  Throws what the file throws. */
export async function loadConfig(schemaFile: string): Promise<{ exported: unknown } | null> {
  const path = configPath(schemaFile)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  const module = (await import(`${pathToFileURL(path).href}?saved=${stats.mtimeMs}`)) as { default?: unknown }
  return { exported: module.default ?? null }
}
