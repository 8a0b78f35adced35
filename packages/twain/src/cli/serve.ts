// `twain dev` and `twain start`: opens the service, fills it if asked, listens, follows the file in dev, stops in peace.

import { relative } from 'node:path'
import { openService } from '#main'
import { banner } from './banner.ts'
import { listenNear } from './listen-near.ts'
import { humanLog, jsonLog } from './log.ts'
import { createPaint } from './paint.ts'
import { reloader } from './reloader.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'
import type { Surface } from './surface.ts'
import { watchFile } from './watch-file.ts'

export interface Serving {
  command: 'dev' | 'start'
  file: string
  settings: Settings
}

/** Resolves when it was told to stop and has; throws what keeps it from starting. */
export async function serve({ command, file, settings }: Serving, surface: Surface): Promise<void> {
  const log = command === 'dev' ? humanLog(surface.err, createPaint(surface.colours.err)) : jsonLog(surface.err)
  const { data, limits } = settings
  const service = await openService({ schemaFile: file, data, limits, log, forgetting: command === 'dev' })
  try {
    if (settings.seed !== null) surface.out(await seed(settings.seed, service))
    const { port, host } = settings
    const server = await listenNear(
      { handle: service.handle, host, port, body: limits.body, log },
      mayMove(command, settings),
    )
    const paint = createPaint(surface.colours.out)
    surface.out(banner({ command, model: service.model, server, data, wanted: port }, paint))
    const watcher = command === 'dev' ? watchFile(file, reloader(relative('', file), service, surface)) : null
    await aborted(surface.stop)
    service.retire()
    await watcher?.close()
    await server.close()
  } finally {
    await service.close()
  }
}

/** A port that was asked for is meant; the default is only a habit. */
function mayMove(command: Serving['command'], settings: Settings): boolean {
  return command === 'dev' && !settings.portChosen
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
