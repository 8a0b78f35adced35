// Calls back when a schema file has changed, or the config file beside it, however it was saved: some editors write it, others put a new one in its place.
// So the folder is watched, and not the file, whose watch would stay with what was replaced.

import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { configName } from '#code'

export interface Watcher {
  /** Resolves when `changed` runs no more. */
  close(): Promise<void>
}

/** Milliseconds of quiet after a change: one save can be several events. */
const QUIET = 50

/** `changed` never runs twice at a time; a change while it runs makes it run once more. It must not throw. */
export function watchFile(file: string, changed: () => Promise<void>): Watcher {
  const path = resolve(file)
  const names = [basename(path), configName]
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const watcher = watch(dirname(path), (_event, which) => {
    if (which !== null && !names.includes(which)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(changed)
    }, QUIET)
  })
  watcher.on('error', () => watcher.close()) // the folder is gone, and the file with it
  return {
    close() {
      clearTimeout(timer)
      watcher.close()
      return running
    },
  }
}
