// The package `twain`: bundles that share chunks, one for the command line and one for custom code, and a bundle of its own for each
// thread and process that the server starts, so that it loads nothing but what it needs. A bundle starts in less than half the time of
// single files (docs/internals/decisions/0047-published-packages.md).
//
// A source names a file beside it by `new URL('./file', import.meta.url)`, and a file of another package by
// `new URL('./file', import.meta.resolve('package/package.json'))`. The build finds these: a TypeScript file becomes a bundle, any
// other file, and a folder (its path ends with a slash), is copied to `assets/`.

import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { buildConsole } from './build-console.ts'
import { beginPackage, compile, type Manifest, root } from './package-folder.ts'

const source = join(root, 'packages/twain')
const sources = join(source, 'src')
const launcher = 'bin/twain.js'

export async function buildServer(): Promise<string> {
  const { folder, manifest } = await bundleServer()
  const exported = Object.values(manifest.exports)
  await compileTypes(moduleFiles(manifest), folder)
  for (const path of exported)
    if (!isModule(path) && path !== './package.json') await cp(join(source, path), join(folder, path))
  return folder
}

/** The package without its types, which runs; by default in its folder of `build/`. */
export async function bundleServer(into?: string): Promise<{ folder: string; manifest: Manifest }> {
  await buildConsole()
  let manifest: Manifest | undefined
  const folder = await beginPackage(
    source,
    (own) => {
      manifest = own
      return {
        exports: builtExports(own.exports),
        imports: typeImports(own.imports as Record<string, string>),
        sideEffects: undefined, // of the sources: bundles load each other
      }
    },
    into,
  )
  await Promise.all([bundle(moduleFiles(manifest!), manifest!, folder), copyLauncher(folder), copyLicenses(folder)])
  return { folder, manifest: manifest! }
}

/** Of the exports. */
function moduleFiles({ exports }: Manifest): string[] {
  return Object.values(exports)
    .filter(isModule)
    .map((path) => join(source, path))
}

/** The entry of a source file: all bundles are in one folder, so that they find each other and the assets. */
function bundleOf(path: string): string {
  return `./dist/${basename(path).replace(/\.ts$/, '.js')}`
}

function isModule(path: string): boolean {
  return path.endsWith('.ts')
}

function typesOf(path: string): string {
  return path.replace('./src/', './types/').replace(/\.ts$/, '.d.ts')
}

function builtExports(exports: Record<string, string>): object {
  const built = Object.entries(exports).map(([name, path]) => [
    name,
    isModule(path) ? { types: typesOf(path), default: bundleOf(path) } : path,
  ])
  return Object.fromEntries(built)
}

/** The types import each other by these names; the bundles do not. */
function typeImports(imports: Record<string, string>): Record<string, { types: string }> {
  const names = Object.entries(imports).filter(([, path]) => !path.includes('.fixture.'))
  return Object.fromEntries(names.map(([name, path]) => [name, { types: typesOf(path) }]))
}

async function bundle(exported: readonly string[], manifest: Manifest, folder: string): Promise<void> {
  const threads = new Set<string>()
  const assets = new Set<string>()
  const bundleAll = (entryPoints: string[], splitting: boolean) =>
    build({
      entryPoints,
      outdir: join(folder, 'dist'),
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      bundle: true,
      splitting,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      external: externalPackages(manifest),
      alias: ownImports(manifest),
      legalComments: 'none',
      logLevel: 'warning',
      plugins: [filesByUrl(threads, assets)],
    })
  await bundleAll([join(sources, 'cli/cli.ts'), ...exported], true)
  const done = new Set<string>()
  // A thread may name further ones.
  for (let found = [...threads]; found.length > 0; found = [...threads].filter((one) => !done.has(one))) {
    for (const thread of found) done.add(thread)
    await bundleAll(found, false)
  }
  for (const asset of assets) {
    const copy = join(folder, 'dist/assets', assetPath(asset))
    await mkdir(dirname(copy), { recursive: true })
    await cp(asset, copy, { recursive: true })
  }
}

/** A start needs 168 files of it: to find and to load them takes a fifth of its CPU time. It stays a dependency, for the types. */
const bundledPackages = ['graphql']

async function copyLicenses(folder: string): Promise<void> {
  await mkdir(join(folder, 'licenses'))
  for (const name of bundledPackages)
    await cp(join(root, 'node_modules', name, 'LICENSE'), join(folder, 'licenses', `${name}.txt`))
}

/** The others are loaded when they are needed, if at all. */
function externalPackages({ dependencies, peerDependencies }: Manifest): string[] {
  const names = Object.keys({ ...(dependencies as object), ...(peerDependencies as object) })
  return names.filter((name) => !bundledPackages.includes(name))
}

/** Below the sources, below the package, or below `node_modules`. */
function assetPath(file: string): string {
  const parent = [sources, source].find((one) => file.startsWith(`${one}/`))
  const start = parent === undefined ? file.lastIndexOf('node_modules/') + 'node_modules/'.length : parent.length + 1
  return file.slice(start)
}

/** esbuild would look for `#base` and the like in the published package.json. */
function ownImports({ imports }: Manifest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(imports as Record<string, string>).map(([name, path]) => [name, join(source, path)]),
  )
}

function filesByUrl(threads: Set<string>, assets: Set<string>): Plugin {
  return {
    name: 'files-by-url',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const contents = text.replaceAll(urlOfFile, (_, named: string, from: string) => {
          const [, literal] = /^'([^']+)'$/.exec(named) ?? []
          if (literal === undefined) throw new Error(`${path}: the build needs a literal path in new URL(${named}, …).`)
          const file = join(folderOf(from, path), literal)
          return `new URL('${builtPath(file, threads, assets)}', import.meta.url)`
        })
        return { contents, loader: 'ts' }
      })
    },
  }
}

const urlOfFile = /new URL\(\s*([^,]+), import\.meta\.(url|resolve\('[^']+'\)),?\s*\)/g

/** The folder that a path is relative to: that of the source, or that of a package. */
function folderOf(from: string, sourceFile: string): string {
  const [, name] = /^resolve\('(.+)\/package\.json'\)$/.exec(from) ?? []
  return name === undefined ? dirname(sourceFile) : dirname(createRequire(sourceFile).resolve(`${name}/package.json`))
}

/** Where the file is, seen from `dist/`. */
function builtPath(file: string, threads: Set<string>, assets: Set<string>): string {
  if (file === join(source, 'package.json')) return '../package.json'
  if (file.endsWith('.ts')) {
    threads.add(file)
    return `./${basename(bundleOf(file))}`
  }
  assets.add(file)
  return `./assets/${assetPath(file)}`
}

function compileTypes(entries: readonly string[], folder: string): Promise<void> {
  return compile({
    files: entries,
    rootDir: sources,
    outDir: join(folder, 'types'),
    options: { emitDeclarationOnly: true },
  })
}

async function copyLauncher(folder: string): Promise<void> {
  const text = await readFile(join(source, launcher), 'utf8')
  const built = text.replace(`'../src/cli/cli.ts'`, `'../dist/cli.js'`)
  if (built === text) throw new Error(`${launcher} does not import the command line.`)
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, launcher), built, { mode: 0o755 })
}
