// The command `twain`: parses the command line, runs the command and returns its exit code (0 done, 1 failed, 2 usage error).

import { unreachable } from '#base'
import { backup, copy, restore } from './commands/backup.ts'
import { check } from './commands/check.ts'
import { config } from './commands/config.ts'
import { key, token } from './commands/credentials.ts'
import { doctor } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { init } from './commands/init.ts'
import { invite } from './commands/invite.ts'
import { jobs } from './commands/jobs.ts'
import { migrate } from './commands/migrate.ts'
import { print, types } from './commands/print.ts'
import { seedCommand } from './commands/seed.ts'
import { serve } from './commands/serve.ts'
import { test } from './commands/test.ts'
import { explain, explainInLog } from './report/explain-error.ts'
import { openLogs } from './report/logs.ts'
import { createPaint } from './report/paint.ts'
import { type Terminal, terminal } from './report/terminal.ts'
import { twainVersion } from './report/version.ts'
import { readCommandLine } from './settings/command-line.ts'
import { help } from './settings/help.ts'
import { unknownVariables } from './settings/settings.ts'

export async function run(argv: string[], surface: Terminal = terminal()): Promise<number> {
  const line = await readCommandLine(argv, surface.env, surface.envFile)
  const paint = createPaint(surface.colours.err)
  switch (line.kind) {
    case 'help':
      surface.out(help(line.command))
      return 0
    case 'version':
      surface.out(`${twainVersion()}\n`)
      return 0
    case 'mistakes':
      for (const mistake of line.mistakes) surface.err(`${paint.red('error')} ${mistake}\n`)
      surface.err(`\nSee twain ${line.command === null ? '' : `${line.command} `}--help.\n`)
      return 2
    case 'run':
      break
    default:
      return unreachable(line)
  }
  const logs = openLogs(line.command === 'start', line.settings.log, surface, line.settings.http.basePath ?? undefined)
  const { log } = logs
  try {
    if (line.command === 'init') return await init(line, surface)
    if (line.command === 'print') return await print(line, surface)
    if (line.command === 'config') return config(line, surface)
    if (line.command === 'doctor') return await doctor(line, surface)
    if (line.command === 'types') return await types(line, surface)
    if (line.command === 'check') return await check(line, surface)
    if (line.command === 'seed') return await seedCommand(line, surface, logs)
    if (line.command === 'import') return await importCommand(line, surface, logs)
    if (line.command === 'export') return await exportCommand(line, surface, logs)
    if (line.command === 'invite') return await invite(line, surface, logs)
    if (line.command === 'test') return await test(line, surface)
    if (line.command === 'copy') return await copy(line, surface)
    if (line.command === 'migrate') return await migrate(line, surface, log)
    if (line.command === 'backup') return await backup(line, surface)
    if (line.command === 'restore') return await restore(line, surface)
    if (line.command === 'jobs') return await jobs(line, surface)
    if (line.command === 'token' || line.command === 'key')
      return await (line.command === 'token' ? token : key)(line, surface)
    for (const sentence of unknownVariables({ ...surface.envFile, ...surface.env })) log.warn({}, sentence)
    return await serve({ ...line, command: line.command }, surface, logs)
  } catch (error) {
    if (line.command === 'start') log.error({ 'exception.message': explainInLog(error) }, 'start failed')
    else surface.err(explain(error, surface.colours.err))
    return 1
  } finally {
    await logs.close()
  }
}
