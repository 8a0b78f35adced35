// The server reads clocks, sets timers and draws random values in `base/time` only (`packages/twain/src/base/time/time.ts`): so the
// simulator can replace them all.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const home = 'base/time/'

const forbidden: readonly [what: RegExp, instead: string][] = [
  [/\bDate\.now\b|\bnew Date\(\)/, 'wallTime'],
  [/\bperformance\.now\b|\bprocess\.hrtime\b/, 'monotonicTime'],
  [/\bMath\.random\b/, 'randomFraction'],
  [/\bAbortSignal\.timeout\b/, 'timeoutSignal'],
  [/\bglobalThis\.(set|clear)(Timeout|Interval)\b/, 'setTimeout'],
]

/** Global timers are allowed where the file imports the functions of the same names. */
const timers = /(?<![\w.'`#])(setTimeout|setInterval|clearTimeout|clearInterval)\(/g

const foreignImports = /import \{([^}]*)\} from '(node:timers(?:\/promises)?|node:crypto)'/g
const ownNames = /\b(setTimeout|setInterval|random(Bytes|UUID|FillSync|Fill|Int)|getRandomValues)\b/

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
  for (const [, names, module] of code.matchAll(foreignImports))
    if (ownNames.test(names!)) found.push(`${ownNames.exec(names!)![0]} of ${module}; import it from #base/time`)
  return found
}
