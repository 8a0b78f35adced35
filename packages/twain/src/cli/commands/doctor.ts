// `twain doctor`: checks what a service needs, and says what to do about what is wrong. It changes nothing.

import { CodeRejected } from '#code'
import { readCodedSchema, SchemaRejected } from '#main'
import { checkDatabase } from '../doctor/check-database.ts'
import { checkDisk, checkNode, checkPort, checkPublicAddress } from '../doctor/check-machine.ts'
import { type Finding, fine, problem } from '../doctor/findings.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type DoctorCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'settings'>

/** Returns the exit code: 1 if something would keep the service from working. */
export async function doctor({ file, settings }: DoctorCommandLine, surface: Terminal): Promise<number> {
  const { database, poolSize, replicas, data, host, port } = settings
  const findings = [
    checkNode(),
    await checkSchema(file),
    ...(database === null ? [await checkDisk(data)] : await checkDatabase(database, poolSize, 'primary')),
    ...(await Promise.all(replicas.map((replica) => checkDatabase(replica, poolSize, 'replica')))).flat(),
    await checkPort(host, port),
    checkPublicAddress(settings),
  ]
  surface.out(findings.map((finding) => printFinding(finding, surface)).join(''))
  return findings.some(({ kind }) => kind === 'problem') ? 1 : 0
}

async function checkSchema(file: string): Promise<Finding> {
  try {
    const { model } = await readCodedSchema(file)
    return fine(`${file} has no mistakes: ${model.resources.length} types with an id.`)
  } catch (error) {
    if (!(error instanceof SchemaRejected || error instanceof CodeRejected)) throw error
    return problem(`${file} can't be served.`, `twain check ${file} lists the mistakes.`)
  }
}

const marks = { fine: '✓', warning: '!', problem: '✗' }
const colours = { fine: 'green', warning: 'yellow', problem: 'red' } as const

function printFinding({ kind, text, advice }: Finding, surface: Terminal): string {
  const paint = createPaint(surface.colours.out)
  return `${paint[colours[kind]](marks[kind])} ${text}\n${advice === undefined ? '' : `  ${advice}\n`}`
}
