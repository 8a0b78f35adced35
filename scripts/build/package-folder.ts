// The folder of a package that is to be published: package.json, README, licence, and what was built.

import { execFile } from 'node:child_process'
import { copyFile, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')

export interface Manifest {
  name: string
  exports: Record<string, string>
  [other: string]: unknown
}

/** What only the repository needs. */
const ownMembers = ['scripts', 'devDependencies', 'imports']

/** Begins the folder anew: everything but the built files. `publish` makes the published package.json from the one of the
 *  repository. */
export async function beginPackage(
  source: string,
  publish: (manifest: Manifest) => object,
  folder = join(root, 'build', basename(source)),
): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest
  const kept = Object.fromEntries(Object.entries(manifest).filter(([name]) => !ownMembers.includes(name)))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ ...kept, ...publish(manifest) }, null, 2)}\n`)
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await copyFile(join(source, 'README.md'), join(folder, 'README.md'))
  return folder
}

interface CompilerRun {
  /** The sources, below `rootDir`. */
  files: readonly string[]
  rootDir: string
  outDir: string
  options: object
}

/** Runs the TypeScript compiler with the settings of the repository and these. */
export async function compile({ files, rootDir, outDir, options }: CompilerRun): Promise<void> {
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'))
  const project = join(rootDir, '..', `tsconfig.${basename(outDir)}.json`)
  const settings = { ...compilerOptions, noEmit: false, declaration: true, rootDir, outDir, ...options }
  await writeFile(project, JSON.stringify({ compilerOptions: settings, files }))
  try {
    await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', project])
  } finally {
    await rm(project)
  }
  // The compiler does not change import paths in types.
  for await (const file of glob('**/*.d.ts', { cwd: outDir })) {
    const text = await readFile(join(outDir, file), 'utf8')
    await writeFile(join(outDir, file), text.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}
