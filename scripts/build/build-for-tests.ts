// The package `twain` for test processes, bundled as it is published: a command starts in less than half the CPU time of the sources, and
// the suite starts hundreds. Types are those of the sources.
//
// It stands in `build/tests/HASH/node_modules`, beside links to all other packages of the repository. The same sources have the same
// hash, so runs can share it, and Node's compiled code with it.

import { createHash, randomUUID } from 'node:crypto'
import { globSync } from 'node:fs'
import { access, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleServer } from './build-server.ts'
import { type Manifest, root } from './package-folder.ts'

const parent = join(root, 'build/tests')
const keptMs = 24 * 3_600_000

/** Returns its `node_modules`. */
export async function buildForTests(): Promise<string> {
  const unfinished = join(parent, `unfinished-${randomUUID()}`)
  const modules = join(unfinished, 'node_modules')
  const folder = join(modules, 'twain')
  const { manifest } = await bundleServer(folder)
  await useTypesOfSources(folder, manifest)
  await linkOthers(modules)
  const built = join(parent, await hashOf(folder))
  await rename(unfinished, built).catch(async (error) => {
    await rm(unfinished, { recursive: true })
    await access(built).catch(() => {
      throw error // it is not there from an earlier run
    })
  })
  await utimes(built, new Date(), new Date())
  await removeOld()
  return join(built, 'node_modules')
}

async function useTypesOfSources(folder: string, { exports, imports }: Manifest): Promise<void> {
  const file = join(folder, 'package.json')
  const built = JSON.parse(await readFile(file, 'utf8')) as { exports: Record<string, string | { default: string }> }
  const withTypes = Object.entries(built.exports).map(([name, entry]) => [
    name,
    typeof entry === 'string' ? entry : { ...entry, types: exports[name] },
  ])
  await writeFile(file, JSON.stringify({ ...built, exports: Object.fromEntries(withTypes), imports }))
  await symlink(join(root, 'packages/twain/src'), join(folder, 'src'))
}

async function linkOthers(modules: string): Promise<void> {
  const names = await readdir(join(root, 'node_modules'))
  for (const name of names)
    if (name !== 'twain' && name !== '.cache') await symlink(join(root, 'node_modules', name), join(modules, name))
}

async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  const files = globSync('{bin,dist}/*.js', { cwd: folder })
  for (const file of ['package.json', ...files.sort()]) hash.update(file).update(await readFile(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(parent)) {
    const { mtimeMs } = await stat(join(parent, name))
    if (mtimeMs < Date.now() - keptMs) await rm(join(parent, name), { recursive: true, force: true })
  }
}
