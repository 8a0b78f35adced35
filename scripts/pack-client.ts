// `npm pack` of the client. In the repository it is TypeScript, which Node runs directly; in `node_modules` Node does not. So `prepack`
// makes JavaScript modules and types of it, and a package.json that names them; `postpack` restores the original one.

import { execFile } from 'node:child_process'
import { copyFile, glob, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

interface Manifest {
  exports: Record<string, string>
  [other: string]: unknown
}

// npm runs it in the package's folder.
const folder = process.cwd()
const manifest = join(folder, 'package.json')
const own = join(folder, 'package.source.json')
const made = join(folder, 'dist')

if (process.argv.includes('--restore')) await rename(own, manifest)
else await prepare()

async function prepare(): Promise<void> {
  const { scripts: _, devDependencies: __, ...source } = JSON.parse(await readFile(manifest, 'utf8')) as Manifest
  const entries = Object.values(source.exports)
  if (!entries.every((path) => path.endsWith('.ts'))) throw new Error('It is prepared already: run postpack first.')
  await rm(made, { recursive: true, force: true })
  await compile(entries)
  await copyFile(manifest, own)
  const exports = Object.fromEntries(Object.entries(source.exports).map(([name, path]) => [name, shipped(path)]))
  await writeFile(manifest, `${JSON.stringify({ ...source, exports }, null, 2)}\n`)
}

function shipped(source: string): { types: string; default: string } {
  const stem = source.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${stem}.d.ts`, default: `${stem}.js` }
}

/** A module for each source file, so that a bundler leaves out unused ones. */
async function compile(files: string[]): Promise<void> {
  const compiler = join(import.meta.dirname, '../node_modules/.bin/tsc')
  const { compilerOptions: usual } = JSON.parse(await readFile(join(import.meta.dirname, '../tsconfig.json'), 'utf8'))
  const compilerOptions = {
    ...usual,
    target: 'es2022',
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    rootDir: './src',
    outDir: './dist',
  }
  const project = join(folder, 'tsconfig.pack.json')
  await writeFile(project, JSON.stringify({ compilerOptions, files }))
  try {
    await promisify(execFile)(compiler, ['-p', project], { cwd: folder })
  } finally {
    await rm(project)
  }
  // The compiler does not change import paths in types.
  for await (const file of glob('**/*.d.ts', { cwd: made })) {
    const text = await readFile(join(made, file), 'utf8')
    await writeFile(join(made, file), text.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}
