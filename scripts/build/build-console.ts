// The files of the console (packages/console) in `packages/twain/console/`, from where the server serves them and `npm run build`
// copies them. `npm ci` runs this too (`prepare`), so that a clone serves the console.
//
// The names of scripts and style sheets contain hashes of their content, so that browsers may cache them for ever. Files are written
// under another name and renamed: a server or a second build that runs at the same time never sees half of one.

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'packages/console/src')
const folder = join(root, 'packages/twain/console')
const page = 'index.html'

export interface ConsoleFile {
  name: string
  contents: Uint8Array
  /** Whether the page needs it before it shows anything. */
  isFirst: boolean
}

export async function bundleConsole(): Promise<ConsoleFile[]> {
  const [scripts, styles] = await Promise.all([bundleScripts(), bundleStyles()])
  const template = await readFile(join(source, page), 'utf8')
  const main = scripts.find(({ name }) => name.startsWith('main-'))!
  const html = template
    .replace('main.css', styles.name)
    .replace('main.js', main.name)
    .replace(
      '<body>',
      `${scripts
        .filter((one) => one.isFirst && one !== main)
        .map(preloadOf)
        .join('')}<body>`,
    )
  return [...scripts, styles, { name: page, contents: new TextEncoder().encode(html), isFirst: true }]
}

/** The browser loads it along with the entry, not after it has read the entry. */
function preloadOf({ name }: ConsoleFile): string {
  return `<link rel="modulepreload" href="{base}/console/files/${name}">\n`
}

/** What the client loads for its first request of REST, one part after the other. */
const firstRequest = /\/client\/src\/(client\/on-demand|rest\/rest)\.ts$/

/** Small pages of one menu, which share a file: each file of its own would be compressed by itself. */
const runningService = /\/console\/src\/operations\/(?!operation-pages|load\/)/

/** Rolldown, because a part that the entry has loaded already gets no file of its own: esbuild made 70 files, 5 % larger together. */
async function bundleScripts(): Promise<ConsoleFile[]> {
  const bundle = await rolldown({
    cwd: root,
    input: join(source, 'main.tsx'),
    preserveEntrySignatures: 'allow-extension', // as groups of files need it
    tsconfig: join(root, 'packages/console/tsconfig.json'),
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, target: 'es2022' },
  })
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: 'chunk-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: 'operations', test: runningService }],
    },
  })
  await bundle.close()
  const chunks = new Map(output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])))
  const first = new Set<string>()
  const addFirst = (name: string): void => {
    if (first.has(name)) return
    first.add(name)
    for (const imported of chunks.get(name)!.imports) addFirst(imported)
  }
  for (const { fileName, isEntry, facadeModuleId } of chunks.values())
    if (isEntry || firstRequest.test(facadeModuleId ?? '')) addFirst(fileName)
  return [...chunks.values()].map(({ fileName: name, code }) => ({
    name,
    contents: new TextEncoder().encode(code),
    isFirst: first.has(name),
  }))
}

async function bundleStyles(): Promise<ConsoleFile> {
  const { outputFiles } = await build({
    entryPoints: { main: join(source, 'console.css') },
    minify: true,
    outdir: folder,
    entryNames: '[name]-[hash]',
    write: false,
  })
  const { path, contents } = outputFiles[0]!
  return { name: basename(path), contents, isFirst: true }
}

export async function buildConsole(): Promise<string> {
  const files = await bundleConsole()
  await mkdir(folder, { recursive: true })
  for (const { name, contents } of files) {
    const written = join(folder, `.${randomUUID()}`)
    await writeFile(written, contents)
    await rename(written, join(folder, name))
  }
  const names = new Set(files.map(({ name }) => name))
  for (const name of await readdir(folder))
    if (!names.has(name) && !name.startsWith('.')) await rm(join(folder, name), { force: true })
  return folder
}

if (import.meta.main) await buildConsole()
