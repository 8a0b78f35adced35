// The variables of settings: from the environment, from files that variables name (`TWAIN_AUTH_SECRET_FILE`), and from `.env`.

import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export type Variables = Readonly<Record<string, string | undefined>>

export interface Environment {
  values: Variables
  /** Where a value comes from, if it is not the variable itself. */
  sources: ReadonlyMap<string, string>
}

const envFileName = '.env'
const fileSuffix = '_FILE'

/** The variables of `.env` in the current folder; none without that file. */
export function readEnvFile(): Variables {
  try {
    return parseEnv(readFileSync(envFileName, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** The values of the variables with these names. The environment overrides `.env`. An empty variable counts as not set. Adds
 *  mistakes to `mistakes`. */
export function readEnvironment(
  names: readonly string[],
  env: Variables,
  envFile: Variables,
  mistakes: string[],
): Environment {
  const values: Record<string, string> = {}
  const sources = new Map<string, string>()
  for (const name of names) {
    const found = readVariable(name, env, '', mistakes) ?? readVariable(name, envFile, ` in ${envFileName}`, mistakes)
    if (found === null) continue
    values[name] = found.text
    sources.set(name, found.source)
  }
  return { values, sources }
}

function readVariable(
  name: string,
  variables: Variables,
  place: string,
  mistakes: string[],
): { text: string; source: string } | null {
  const text = variables[name]
  const named = `${name}${fileSuffix}`
  const path = variables[named]
  if (text && path) mistakes.push(`${name} and ${named} are both set${place}; remove one of them.`)
  if (text) return { text, source: `${name}${place}` }
  if (!path) return null
  try {
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, ''), source: `${named}${place}` }
  } catch (error) {
    mistakes.push(`${named}${place}: ${path} can't be read (${(error as NodeJS.ErrnoException).code}).`)
    return null
  }
}

/** The name of the variable whose value a variable sets: `TWAIN_AUTH_SECRET` for `TWAIN_AUTH_SECRET_FILE`. */
export function variableSetBy(name: string): string {
  return name.endsWith(fileSuffix) ? name.slice(0, -fileSuffix.length) : name
}
