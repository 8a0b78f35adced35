// The package `@twain/client`: a module for each source file, so that a bundler leaves out unused ones.

import { join } from 'node:path'
import { beginPackage, compile, root } from './package-folder.ts'

const source = join(root, 'packages/client')

export async function buildClient(): Promise<string> {
  let entries: string[] = []
  const folder = await beginPackage(source, ({ exports }) => {
    entries = Object.values(exports)
    return { exports: Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, builtEntry(path)])) }
  })
  await compile({
    files: entries.map((entry) => join(source, entry)),
    rootDir: join(source, 'src'),
    outDir: join(folder, 'dist'),
    options: { target: 'es2022', rewriteRelativeImportExtensions: true },
  })
  return folder
}

function builtEntry(path: string): { types: string; default: string } {
  const stem = path.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${stem}.d.ts`, default: `${stem}.js` }
}
