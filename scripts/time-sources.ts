// The server reads clocks, sets timers and draws random values in `base/time` only (`packages/twain/src/base/time/time.ts`): so the
// simulator can replace them all.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const home = 'base/time/'

const forbidden: readonly [what: RegExp, instead: string][] = [
  [/\bDate\.now\b|\bnew Date\b(?!\()|\bDate\(\s*\)/, 'wallTime'],
  [/\bperformance\.now\b|\bprocess\.hrtime\b/, 'monotonicTime'],
  [/\bMath\.random\b/, 'randomFraction'],
  [/\bcrypto\.(randomUUID|getRandomValues)\b/, 'randomUUID or randomBytes'],
  [/\bAbortSignal\.timeout\b/, 'timeoutSignal'],
  [/\b(globalThis|global)\.(set|clear)(Timeout|Interval)\b/, 'setTimeout'],
]

/** Global timers are allowed where the file imports the functions of the same names. */
const timers = /(?<![\w.'`#])(setTimeout|setInterval|clearTimeout|clearInterval)\(/g

const foreignImports = /\bimport\s+([^'"]*?)\s*\bfrom\s*['"]((?:node:)?(?:timers(?:\/promises)?|crypto))['"]/g
const ownNames = /\b(setTimeout|setInterval|scheduler|random(Bytes|UUID|FillSync|Fill|Int)|getRandomValues|webcrypto)\b/
const foreignModules = /\b(?:import|require)\(\s*['"](?:node:)?(?:timers(?:\/promises)?|crypto)['"]/

/** What stands in files of `sources` that should come from `base/time`, a line each. */
export function checkTimeSources(sources: string): string[] {
  return globSync('**/*.ts', { cwd: sources })
    .filter((file) => !file.startsWith(home) && !/\.(test|fixture|d)\.ts$/.test(file) && !file.includes('/templates/'))
    .sort()
    .flatMap((file) => foreignTime(readFileSync(join(sources, file), 'utf8')).map((what) => `${file}: ${what}`))
}

/** The text of a file → what it should take from `base/time`. */
export function foreignTime(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  const found = forbidden
    .filter(([what]) => what.test(code))
    .map(([what, instead]) => `${what.exec(code)![0]}; use ${instead} of #base/time`)
  const imported = [...code.matchAll(/import \{([^}]*)\} from '(?:#base\/time|[./]*time\/index\.ts)'/g)]
    .map((one) => one[1])
    .join()
  for (const name of new Set([...code.matchAll(timers)].map((one) => one[1]!)))
    if (!new RegExp(`\\b${name}\\b`).test(imported)) found.push(`${name}; import it from #base/time`)
  for (const [, names, module] of code.matchAll(foreignImports)) {
    if (!/^(type\s+)?\{[^}]*\}$/.test(names!)) found.push(`all of ${module}; import what you need by its name`)
    else if (ownNames.test(names!)) found.push(`${ownNames.exec(names!)![0]} of ${module}; import it from #base/time`)
  }
  const loaded = foreignModules.exec(code)
  if (loaded !== null) found.push(`${loaded[0]}; import what you need by its name`)
  return found
}
