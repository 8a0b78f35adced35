// Loads `twain.config.ts` from the folder of the schema file. A changed file is loaded again; the modules it imports are not.

import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const configName = 'twain.config.ts'

export function configPath(schemaFile: string): string {
  return join(dirname(resolve(schemaFile)), configName)
}

/** The default export, the same object until the file changes; null without a file. Rejects with the error of the file. */
export async function loadConfig(schemaFile: string): Promise<{ exported: unknown } | null> {
  const path = configPath(schemaFile)
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  const module = (await import(`${pathToFileURL(path).href}?saved=${stats.mtimeMs}`)) as { default?: unknown }
  return { exported: module.default ?? null }
}
