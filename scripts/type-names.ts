// Counts the type names of the server that stand for more than one type: a reader can't search for such a name.
// `npm run check` holds the share of declarations with a shared name below `maxSharedPercent`.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** graphql-js has 3 %, Kysely 6 %. */
const maxSharedPercent = 6

export interface SharedNames {
  declarations: number
  shared: number
  percent: number
  /** Each shared name with the files that declare it. */
  names: [name: string, files: string[]][]
}

export function checkTypeNames(sources: string): { ok: boolean; text: string } {
  const { declarations, shared, percent, names } = sharedNames(readSources(sources))
  const summary = `${shared} of ${declarations} type declarations share a name (${percent.toFixed(1)} %, limit ${maxSharedPercent} %)`
  if (percent <= maxSharedPercent) return { ok: true, text: summary }
  return { ok: false, text: [summary, ...names.map(([name, files]) => `${name}: ${files.join(', ')}`)].join('\n') }
}

function readSources(sources: string): Map<string, string> {
  const files = globSync('**/*.ts', { cwd: sources }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  return new Map(files.sort().map((file) => [file, readFileSync(join(sources, file), 'utf8')]))
}

/** `texts` are sources by file name. */
export function sharedNames(texts: ReadonlyMap<string, string>): SharedNames {
  const files = new Map<string, string[]>()
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(declaration)) files.set(name, [...(files.get(name) ?? []), file])
  }
  const names = [...files].filter(([, found]) => found.length > 1).sort(([, a], [, b]) => b.length - a.length)
  const declarations = [...files.values()].reduce((sum, found) => sum + found.length, 0)
  const shared = names.reduce((sum, [, found]) => sum + found.length, 0)
  return { declarations, shared, percent: declarations === 0 ? 0 : (100 * shared) / declarations, names }
}

/** `type X =`, `interface X {`, `class X extends Y`; not `import { type X, … }`. */
const declaration =
  /^[ \t]*(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class) ([A-Z]\w*)(?=\s*(?:<|=|\{|extends\b|implements\b))/gm
