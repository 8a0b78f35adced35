// `twain dev` and `twain start`: opens the service, runs the seed, listens, reloads the file in dev, and stops gracefully.

import { relative } from 'node:path'
import { openTracing, SlowStatements } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import { configFolder } from '#code'
import {
  type HttpServer,
  type HttpSettings,
  isLoopback,
  type ListenOptions,
  listen,
  Metrics,
  RateLimit,
  SignInLinks,
} from '#http'
import { Mailbox } from '#mail'
import { closedByOmission, isSchemaFolder, openService, type Service, type ServiceOptions } from '#main'
import { servedNullable } from '#plan/explain'
import { describeAddress } from '#store'
import { expectFree } from '../doctor/expect-free.ts'
import { addressOf, banner, callerOf } from '../report/banner.ts'
import { lacksAdmin } from '../report/lacks-admin.ts'
import type { Logs } from '../report/logs.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import { warningLines } from '../report/warnings.ts'
import { seed } from '../run-seed.ts'
import type { Settings } from '../settings/settings.ts'
import { guardProcess } from '../watchdog/process-guard.ts'
import { silentSeconds, Watchdog } from '../watchdog/watchdog.ts'
import { reloader } from './reload.ts'
import { watchSchema } from './watch-schema.ts'
import { growYoungGeneration } from './young-generation.ts'

export interface ServeCommandLine {
  command: 'dev' | 'start'
  file: string
  settings: Settings
  options: ReadonlyMap<string, string>
}

/** Resolves after a stop signal, when the server has stopped, with the exit code. Throws every error of the start. */
export async function serve(
  { command, file, settings, options }: ServeCommandLine,
  surface: Terminal,
  logs: Logs,
): Promise<number> {
  const { data, database, limits, http, port, host } = settings
  const { log, onServed } = logs
  const mayUseOtherPort = canUseOtherPort(command, settings)
  if (!mayUseOtherPort) await expectFree(host, port)
  const metrics = http.metrics === 'off' ? null : new Metrics()
  const tracing = await openTracing(log)
  const mailbox = command === 'dev' ? new Mailbox() : null
  let consoleAddress = ''
  const watchdog = new Watchdog()
  const links =
    command === 'dev' && settings.console
      ? new SignInLinks((key) => surface.out(`  Console    ${consoleAddress}#key=${key}  (the next link)\n`))
      : null
  const service = await openService({
    ...settings,
    mailbox,
    consoleLinks: links,
    schemaFile: file,
    stop: surface.stop,
    log,
    tracing,
    codeBegan: watchdog.began,
    slowQueryMs: settings.log.slowQueryMs,
    slowStatements: new SlowStatements(),
    monitored: { load: metrics?.load ?? null, log: logs.history },
    allowBreaking: command === 'dev' || options.has('allow-breaking'),
    requireRules: command === 'start',
    isWatched: command === 'dev',
    denials: { inAnswer: command === 'dev' },
    operatorsAct: command === 'dev',
    rate: http.requestsPerMinute === 0 ? null : new RateLimit(http.requestsPerMinute),
    ...(metrics === null ? {} : measuredBy(metrics, http)),
  }).catch((error: unknown) => {
    metrics?.close()
    if (surface.stop.aborted && error === surface.stop.reason) return null
    throw error
  })
  if (service === null) {
    log.info({}, 'stopped before it was ready')
    return 0
  }
  let deadline: StopDeadline | null = null
  let exitCode = 0
  const exited = new AbortController()
  let endGuard: (() => void) | null = null
  try {
    if (settings.seed !== null) report(await seed(settings.seed, service))
    const { bodyBytes: body, timeSeconds: time } = limits
    const checksHost = command === 'dev' || http.origin !== null || isLoopback(host)
    const { handle, sockets, hasResults } = service
    const server = await listenNear(
      { handle, sockets, host, port, checksHost, body, time, log, http, metrics, tracing, onServed, hasResults },
      mayUseOtherPort,
    )
    if (mailbox !== null) mailbox.origin = addressOf(server)
    consoleAddress = `${addressOf(server)}${http.basePath ?? ''}/console`
    growYoungGeneration()
    endGuard = guardCode(service)
    const { model } = service
    const place = database === null ? data : describeAddress(database)
    if (command === 'dev')
      surface.out(
        banner(
          {
            model,
            server,
            basePath: http.basePath ?? '',
            data: place,
            requestedPort: port,
            caller: callerOf(surface.env),
            consoleLink: links && `${consoleAddress}#key=${links.make()}`,
            lacksAdmin: (await lacksAdmin(service, settings.auth)) ? file : null,
          },
          createPaint(surface.colours.out),
        ),
      )
    else {
      const address = addressOf(server) + (http.basePath ?? '')
      log.info(
        { 'service.name': model.service.name, 'server.url': address, data: place, resources: model.resources.length },
        'serving',
      )
      const { types, operations } = closedByOmission(model)
      if (types.length + operations.length > 0)
        log.warn({ types, operations }, 'without @allow: only for the role admin')
      const fields = servedNullable(model)
      if (fields.length > 0) log.info({ fields }, 'served as nullable: not every viewer may read the row behind it')
      for (const warning of warningLines(model)) log.warn({}, warning)
      void warnWithoutAdmin(service)
    }
    const watcher = command === 'dev' ? watchSchema(file, reloader(shownName(file), service, surface)) : null
    await aborted(AbortSignal.any([surface.stop, exited.signal]))
    log.info({}, 'stopping: finishing requests in progress')
    deadline = startDeadline(http.drainSeconds)
    service.retire()
    await watcher?.close()
    await server.close()
  } finally {
    await service.close(deadline?.patience)
    clearTimeout(deadline?.timer)
    metrics?.close()
    await watchdog.close()
    endGuard?.()
  }
  log.info({}, 'stopped')
  return exitCode

  /** Custom code neither holds the process nor ends it. */
  function guardCode(service: Service): (() => void) | null {
    if (surface.process === undefined) return null
    const isDev = command === 'dev'
    if (service.hasCode || isDev) {
      const hangSeconds = limits.codeSeconds === 0 || isDev ? 0 : limits.codeSeconds + silentSeconds
      watchdog.start({ hangMs: hangSeconds * 1000, drainMs: http.drainSeconds * 1000, isJson: !isDev })
    }
    return guardProcess(surface.process, {
      folder: configFolder(file),
      hasCode: () => service.hasCode,
      log,
      exit(code) {
        exitCode = code
        exited.abort()
      },
      crash: () => void logs.close().finally(() => surface.exit?.(1)),
    })
  }

  /** Ends the process after these seconds, whatever happens. Shortly before, nothing is waited for any longer. */
  function startDeadline(seconds: number): StopDeadline | null {
    if (seconds === 0) return null
    const timer = setTimeout(() => {
      log.warn({ seconds }, 'stopped before all requests were finished')
      void logs.close().finally(() => surface.exit?.(1))
    }, seconds * 1000)
    return { timer, patience: new Promise((resolve) => setTimeout(resolve, seconds * patienceShare * 1000).unref()) }
  }

  /** A start does not wait for it, nor does it fail because of it. */
  async function warnWithoutAdmin(service: Service): Promise<void> {
    const isLacking = await lacksAdmin(service, settings.auth).catch(() => false)
    if (isLacking) log.warn({}, 'no account has the role admin: twain invite EMAIL --role admin')
  }

  function report(sentence: string): void {
    if (command === 'dev') surface.out(`${sentence}\n`)
    else log.info({}, sentence)
  }
}

/** What the service tells the metrics, and who may read them. */
function measuredBy(metrics: Metrics, http: HttpSettings): Pick<ServiceOptions, 'metrics' | 'countOperation'> {
  const countOperation: ServiceOptions['countOperation'] = (kind, field, isFailed, milliseconds) =>
    metrics.operation(kind, field, isFailed, milliseconds)
  return { metrics: { of: metrics, to: http.metrics }, countOperation }
}

interface StopDeadline {
  timer: NodeJS.Timeout
  /** Resolves when running requests are no longer waited for. */
  patience: Promise<void>
}

/** The part of `limits.drainSeconds` for which the service waits for requests. The store closes in the rest. */
const patienceShare = 0.9

/** Only the default port may be replaced, never one that the operator set. */
function canUseOtherPort(command: ServeCommandLine['command'], settings: Settings): boolean {
  return command === 'dev' && !settings.portChosen
}

/** `schema/` for a folder. */
function shownName(path: string): string {
  const name = relative('', path)
  return isSchemaFolder(path) ? `${name === '' ? '.' : name}/` : name
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Listens on the requested port. If it is taken and another port is allowed, tries the next ten, then any free port. */
export async function listenNear(options: ListenOptions, mayUseOtherPort: boolean): Promise<HttpServer> {
  const { port } = options
  const last = mayUseOtherPort ? port + 10 : port
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      return await listen({ ...options, port: candidate })
    } catch (error) {
      if (!mayUseOtherPort || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  return listen({ ...options, port: 0 })
}
