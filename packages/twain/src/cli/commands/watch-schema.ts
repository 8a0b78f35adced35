// Notices in `twain dev` that the schema file, a file of the schema folder, the config file or a data migration beside it has
// changed.

import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { clearTimeout, setTimeout } from '#base/time'
import { configFolder, configName, migrationsFolder } from '#code'
import { isSchemaFolder, isSchemaName, walkSchemaFolder } from '#main'

export interface Watcher {
  /** Resolves when the last call of `changed` has ended. */
  close(): Promise<void>
}

/** One save can cause several events, and a checkout changes many files: the callback runs after this pause. */
const DEBOUNCE_MS = 50

/** Calls of `changed` never overlap; a change during a call causes another call. It must not throw. */
export function watchSchema(schema: string, changed: () => Promise<void>): Watcher {
  const path = resolve(schema)
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  watchFolders()
  return {
    close() {
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      return running
    },
  }

  /** Watches folders, because some editors replace the file, and a watch of the file would stay with the old one. */
  function watchFolders(): void {
    const wanted = foldersOf(path)
    for (const [folder, watcher] of watchers) if (!wanted.has(folder)) stop(folder, watcher)
    for (const folder of wanted) if (!watchers.has(folder)) start(folder)
  }

  function start(folder: string): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || matters(join(folder, name), path, watchers)) notice()
      })
      watcher.on('error', () => stop(folder, watcher)) // the folder was deleted
      watchers.set(folder, watcher)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // deleted since it was listed
    }
  }

  function stop(folder: string, watcher: FSWatcher): void {
    watcher.close()
    watchers.delete(folder)
  }

  function notice(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Before the files are read: a file that is written after that causes an event.
      watchFolders()
      running = running.then(changed)
    }, DEBOUNCE_MS)
  }
}

/** The folder of the schema file, or the schema folder, those below it and the one that it stands in; the config
 *  file's, and that of data migrations. */
function foldersOf(path: string): ReadonlySet<string> {
  const migrations = migrationsFolder(path)
  return new Set([
    dirname(path),
    configFolder(path),
    ...(existsSync(migrations) ? [migrations] : []),
    ...(isSchemaFolder(path) ? subfoldersOf(path) : []),
  ])
}

function subfoldersOf(path: string): string[] {
  try {
    return walkSchemaFolder(path).folders
  } catch {
    return [path] // something was deleted meanwhile, which causes another event
  }
}

/** Whether a change of this file or folder can change the schema. */
function matters(changed: string, schema: string, watched: ReadonlyMap<string, unknown>): boolean {
  const name = basename(changed)
  if (changed === schema || changed === join(configFolder(schema), configName)) return true
  const migrations = migrationsFolder(schema)
  if (changed === migrations || (dirname(changed) === migrations && /\.m?ts$/.test(name))) return true
  if (!watched.has(schema) || !watched.has(dirname(changed)) || !isBelow(changed, schema)) return false
  if (isSchemaName(name, 'file')) return true
  return isSchemaName(name, 'folder') && (watched.has(changed) || isSchemaFolder(changed))
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(join(folder, '/'))
}
