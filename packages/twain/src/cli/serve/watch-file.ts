// Calls back when the schema file or the config file beside it changes. It watches the folder, because some editors replace
// the file, and a watch of the file would stay with the old one.

import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { configName } from '#code'

export interface Watcher {
  /** Resolves when the last call of `changed` has ended. */
  close(): Promise<void>
}

/** One save can cause several events: the callback runs after this pause. */
const DEBOUNCE_MS = 50

/** Calls of `changed` never overlap; a change during a call causes another call. It must not throw. */
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
    }, DEBOUNCE_MS)
  })
  watcher.on('error', () => watcher.close()) // the folder was deleted
  return {
    close() {
      clearTimeout(timer)
      watcher.close()
      return running
    },
  }
}
