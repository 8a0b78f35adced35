// The files of the console (packages/console) in `packages/twain/console/`, from where the server serves them and `npm run build`
// copies them. `npm ci` runs this too (`prepare`), so that a clone serves the console.
//
// The names of scripts and style sheets contain hashes of their content, so that browsers may cache them for ever. Files are written
// under another name and renamed: a server or a second build that runs at the same time never sees half of one.

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'

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
  const { outputFiles, metafile } = await build({
    entryPoints: [join(source, 'main.tsx')],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: root,
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  const first = firstFiles(metafile)
  const files = outputFiles.map(
    ({ path, contents }): ConsoleFile => ({
      name: basename(path),
      contents,
      isFirst: first.has(relative(root, path)),
    }),
  )
  const template = await readFile(join(source, page), 'utf8')
  const named = (end: string) => files.find(({ name }) => name.startsWith('main-') && name.endsWith(end))!.name
  const html = template.replace('main.css', named('.css')).replace('main.js', named('.js'))
  return [...files, { name: page, contents: new TextEncoder().encode(html), isFirst: true }]
}

/** The entry, its style sheet, and what they import at once. */
function firstFiles({ outputs }: Metafile): ReadonlySet<string> {
  const first = new Set<string>()
  const add = (path: string): void => {
    if (first.has(path)) return
    first.add(path)
    const { imports, cssBundle } = outputs[path]!
    if (cssBundle !== undefined) add(cssBundle)
    for (const one of imports) if (one.kind === 'import-statement') add(one.path)
  }
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint?.endsWith('main.tsx')) add(path)
  return first
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
